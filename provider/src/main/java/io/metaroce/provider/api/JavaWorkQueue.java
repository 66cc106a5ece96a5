package io.metaroce.provider.api;

import io.metaroce.provider.slots.Ring;
import io.metaroce.verbs.Errno;
import io.metaroce.verbs.VerbsException;

/** The writing side of a ring of work requests: the slots that are free, the one being filled, and those ended but not posted. */
abstract class JavaWorkQueue {
    final JavaQp qp;
    final VerbsRuntime runtime;
    final long ring;
    final int maxSge;

    private final String verb;
    private final String noun;
    private final int entries;
    private final int stride;
    private final int limit;

    private int next; // the slot being filled; those below it are ended
    private int head; // last seen
    private boolean begun;

    /** The work request being filled. */
    long slot;

    int numSge;
    long length;

    /**
     * @param verb the name of the verb in errors
     * @param noun what one entry is called there
     */
    JavaWorkQueue(JavaQp qp, long ring, String verb, String noun, int limit, int maxSge) {
        this.qp = qp;
        this.ring = ring;
        this.verb = verb;
        this.noun = noun;
        this.limit = limit;
        this.maxSge = maxSge;
        runtime = qp.runtime;
        entries = Ring.entries(ring);
        stride = Ring.stride(ring);
    }

    /** Work requests that can still be begun. */
    public final int room() {
        if (next - head >= limit) {
            head = Ring.headAcquire(ring);
        }
        return limit - (next - head);
    }

    /** Takes the next free slot; what was begun before and not ended is forgotten. */
    final void open() {
        slot = Ring.slot(ring, next, entries, stride);
        numSge = 0;
        length = 0;
        begun = true;
    }

    /** The work request is ended: it is posted with the next commit. */
    final void end() {
        next++;
        begun = false;
    }

    /** The work request is given up. */
    final void forget() {
        begun = false;
    }

    final void publish() {
        Ring.publishTail(ring, next);
    }

    final void requireBegun() {
        if (!begun) {
            throw error(Errno.EINVAL, "no " + noun + " was begun");
        }
    }

    final VerbsException error(int errno, String reason) {
        return new VerbsException(verb, errno, reason);
    }

    /** Gives the work request up; the error that says why. */
    final VerbsException refused(String reason) {
        begun = false;
        return error(Errno.EINVAL, reason);
    }

    /** The queue pair went back to RESET: what was ended and not posted is forgotten. */
    final void reset() {
        begun = false;
        next = Ring.tail(ring);
        head = Ring.headAcquire(ring);
    }

    final void free() {
        begun = false;
        Ring.free(ring);
    }
}
