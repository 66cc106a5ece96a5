package io.metaroce.provider.engine.stream;

/**
 * READs and atomics at the responder. A ticket is taken when the request arrives, executed when everything before it has landed, and kept until the requester has
 * the answer: a READ is read again from the MR at each transmission, an atomic's result is replayed from here, so that it runs once.
 *
 * <p>Executed tickets are numbered 0, 1, 2...; the numbers of those alive are {@link #oldest} to {@link #end} - 1.
 */
final class Tickets {
    private static final int LONGS = 4; // va; rkey and length; argument, then result; comparand
    private static final int VA = 0;
    private static final int KEY_LENGTH = 1;
    private static final int VALUE = 2;
    private static final int COMPARAND = 3;
    private static final int INTS = 6;
    private static final int MSN = 0;
    private static final int OPERATION = 1;
    private static final int FIRST = 2;
    private static final int SEGMENTS = 3;
    private static final int SENT = 4;
    private static final int IN_FLIGHT = 5;

    /** Operation of a READ; atomics have their {@link io.metaroce.wire.AtomicOp} number. */
    static final int READ = 16;

    private static final long[] NO_LONGS = {};
    private static final int[] NO_INTS = {};

    private long[] longs = NO_LONGS;
    private int[] ints = NO_INTS;
    private int[] order = NO_INTS; // number -> slot, a power of two long
    private long usedLow; // slots taken, 0..63
    private long usedHigh; // 64..127
    private int limit;
    private int oldest;
    private int end;

    /** Starts anew with room for {@code most} (0..128, max_dest_rd_atomic). */
    void start(int most) {
        limit = most;
        usedLow = 0;
        usedHigh = 0;
        oldest = 0;
        end = 0;
    }

    /** Number of the oldest executed ticket that is alive. */
    int oldest() {
        return oldest;
    }

    /** Number that the next executed ticket gets. */
    int end() {
        return end;
    }

    /** Whether a request may come: a slot is free, or the oldest answer is complete by the rule that the requester keeps at most {@code limit} open. */
    boolean hasRoom() {
        return taken() < limit || oldest != end;
    }

    private int taken() {
        return Long.bitCount(usedLow) + Long.bitCount(usedHigh);
    }

    /** Takes a slot for a request that has arrived; {@link #hasRoom} said yes. */
    int take(int msn, int operation, long va, int rkey, long length, long argument, long comparand) {
        if (limit * INTS > ints.length) { // once in a QP's life: a QP that is never read from has none
            longs = new long[limit * LONGS];
            ints = new int[limit * INTS];
            order = new int[limit == 1 ? 1 : Integer.highestOneBit(limit - 1) << 1];
        }
        if (taken() >= limit) {
            releaseOldest();
        }
        int slot = usedLow != -1L ? Long.numberOfTrailingZeros(~usedLow) : 64 + Long.numberOfTrailingZeros(~usedHigh);
        if (slot < 64) {
            usedLow |= 1L << slot;
        } else {
            usedHigh |= 1L << slot;
        }
        put(slot, VA, va);
        put(slot, KEY_LENGTH, (long) rkey << 32 | (length & 0xffff_ffffL));
        put(slot, VALUE, argument);
        put(slot, COMPARAND, comparand);
        set(slot, MSN, msn);
        set(slot, OPERATION, operation);
        set(slot, SENT, 0);
        set(slot, IN_FLIGHT, 0);
        return slot;
    }

    /** Gives back a ticket that was not executed. */
    void give(int slot) {
        if (slot < 64) {
            usedLow &= ~(1L << slot);
        } else {
            usedHigh &= ~(1L << slot);
        }
    }

    /** The ticket has been executed: its answer takes {@code segments} from {@code first} on. */
    void executed(int slot, int first, int segments) {
        set(slot, FIRST, first);
        set(slot, SEGMENTS, segments);
        order[end & order.length - 1] = slot;
        end++;
    }

    void releaseOldest() {
        give(slot(oldest));
        oldest++;
    }

    /** Whether this number is of a ticket that is alive. */
    boolean alive(int number) {
        return number - oldest >= 0 && number - end < 0;
    }

    /** The slot of an executed ticket. */
    int slot(int number) {
        return order[number & order.length - 1];
    }

    int msn(int slot) {
        return get(slot, MSN);
    }

    int operation(int slot) {
        return get(slot, OPERATION);
    }

    long va(int slot) {
        return at(slot, VA);
    }

    int rkey(int slot) {
        return (int) (at(slot, KEY_LENGTH) >>> 32);
    }

    long length(int slot) {
        return at(slot, KEY_LENGTH) & 0xffff_ffffL;
    }

    /** Argument of an atomic before, and its result after the execution. */
    long value(int slot) {
        return at(slot, VALUE);
    }

    void result(int slot, long original) {
        put(slot, VALUE, original);
    }

    long comparand(int slot) {
        return at(slot, COMPARAND);
    }

    int first(int slot) {
        return get(slot, FIRST);
    }

    int segments(int slot) {
        return get(slot, SEGMENTS);
    }

    int sent(int slot) {
        return get(slot, SENT);
    }

    void sent(int slot, int segments) {
        set(slot, SENT, segments);
    }

    int inFlight(int slot) {
        return get(slot, IN_FLIGHT);
    }

    void flew(int slot) {
        set(slot, IN_FLIGHT, get(slot, IN_FLIGHT) + 1);
    }

    /** A record of the answer came back. */
    void landed(int slot) {
        int flying = get(slot, IN_FLIGHT);
        if (flying > 0) {
            set(slot, IN_FLIGHT, flying - 1);
        }
    }

    private int get(int slot, int field) {
        return ints[slot * INTS + field];
    }

    private void set(int slot, int field, int value) {
        ints[slot * INTS + field] = value;
    }

    private long at(int slot, int field) {
        return longs[slot * LONGS + field];
    }

    private void put(int slot, int field, long value) {
        longs[slot * LONGS + field] = value;
    }
}
