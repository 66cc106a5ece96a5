package io.metaroce.provider.api;

import io.metaroce.provider.slots.ChannelSlot;
import io.metaroce.provider.slots.Commands;
import io.metaroce.provider.slots.Ring;
import io.metaroce.verbs.CompletionChannel;
import io.metaroce.verbs.CompletionQueue;
import io.metaroce.verbs.Errno;
import io.metaroce.verbs.VerbsException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The reading side of a channel's ring. The holder of the turn writes it without a lock; readers take this object's. */
final class JavaChannel implements CompletionChannel {
    final int fd;
    final long ring = Ring.allocate(2 * Commands.MAX_CQ, ChannelSlot.SIZE);
    private final JavaContext context;
    private int users;
    private boolean closed;

    JavaChannel(JavaContext context) {
        this.context = context;
        fd = context.session.signals.open();
    }

    synchronized boolean isOpenIn(JavaContext asked) {
        return !closed && asked == context;
    }

    synchronized void join() {
        users++;
    }

    /** A queue leaves, of which the engine writes nothing more: its entries and their permits go. */
    synchronized void leave(JavaCq cq) {
        for (int at = Ring.head(ring), tail = Ring.tailAcquire(ring); at != tail; at++) {
            long slot = Ring.slot(ring, at);
            if (ChannelSlot.cqCookie(slot) == cq.cookie) {
                ChannelSlot.cqCookie(slot, 0);
            }
        }
        context.session.signals.drain(fd, Ring.pending(cq.ring()));
        users--;
    }

    @Override
    public @Nullable CompletionQueue await(Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        while (context.session.signals.await(fd, end - System.nanoTime())) {
            CompletionQueue cq = pop();
            if (cq != null) {
                return cq;
            }
        }
        return null;
    }

    private synchronized @Nullable CompletionQueue pop() {
        int head = Ring.head(ring);
        for (int tail = Ring.tailAcquire(ring); !closed && head != tail; head++) {
            Session.Named object = context.session.object(ChannelSlot.cqCookie(Ring.slot(ring, head)));
            if (object instanceof JavaCq cq) {
                if (Ring.addPending(cq.ring(), -1) == 1) {
                    head++;
                }
                Ring.publishHead(ring, head);
                return cq;
            }
        }
        if (!closed) {
            Ring.publishHead(ring, head);
        }
        return null;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        if (users > 0) {
            throw new VerbsException("destroy_comp_channel", Errno.EBUSY, users + " completion queues use it");
        }
        closed = true;
        context.session.signals.close(fd);
        Ring.free(ring);
        context.leave();
    }
}
