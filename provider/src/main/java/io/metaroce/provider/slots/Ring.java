package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_ring}: a 256-byte header, then {@code entries} slots of {@code stride} bytes. One producer publishes {@code tail}, one consumer publishes
 * {@code head}; both count for ever as unsigned 32-bit numbers and are compared by difference.
 */
public final class Ring {
    public static final int TAIL = 0;
    public static final int HEAD = 64;
    public static final int WAITING = 128;
    public static final int PENDING = 132;
    public static final int OVERFLOW = 136;
    public static final int ENTRIES = 140;
    public static final int STRIDE = 144;
    /** Bytes of the header; the first slot follows. */
    public static final int HEADER = 256;

    private Ring() {}

    /** Bytes of a whole ring. */
    public static long bytes(int entries, int stride) {
        return HEADER + (long) entries * stride;
    }

    /** Writes the constants of a zeroed block of {@link #bytes} bytes. */
    public static void init(long ring, int entries, int stride) {
        if (!validGeometry(entries, stride)) {
            throw new IllegalArgumentException("ring of " + entries + " entries of " + stride + " bytes");
        }
        Mem.putInt(ring + ENTRIES, entries);
        Mem.putInt(ring + STRIDE, stride);
    }

    /** A zeroed ring in memory of this process; given back with {@link #free}. */
    public static long allocate(int entries, int stride) {
        if (!validGeometry(entries, stride)) {
            throw new IllegalArgumentException("ring of " + entries + " entries of " + stride + " bytes");
        }
        long ring = Mem.alloc(bytes(entries, stride));
        init(ring, entries, stride);
        return ring;
    }

    public static void free(long ring) {
        Mem.free(ring);
    }

    /** The least power of two that is at least {@code wanted} and at least 1. */
    public static int entriesFor(int wanted) {
        return wanted <= 1 ? 1 : Integer.highestOneBit(wanted - 1) << 1;
    }

    /** Whether these are the constants of a ring: a power of two, and a stride that is a positive multiple of 16. */
    public static boolean validGeometry(int entries, int stride) {
        return Integer.bitCount(entries) == 1 && entries > 0 && stride > 0 && stride % 16 == 0;
    }

    public static int entries(long ring) {
        return Mem.getInt(ring + ENTRIES);
    }

    public static int stride(long ring) {
        return Mem.getInt(ring + STRIDE);
    }

    /** Address of the slot of a counter. */
    public static long slot(long ring, int counter) {
        return ring + HEADER + (long) (counter & (entries(ring) - 1)) * stride(ring);
    }

    /** The same with the constants at hand. */
    public static long slot(long ring, int counter, int entries, int stride) {
        return ring + HEADER + (long) (counter & (entries - 1)) * stride;
    }

    /** The producer's own view of its tail. */
    public static int tail(long ring) {
        return Mem.getInt(ring + TAIL);
    }

    /** The consumer's view: slots below it are complete. */
    public static int tailAcquire(long ring) {
        return Mem.getIntAcquire(ring + TAIL);
    }

    /** By the producer, after the slots were written. */
    public static void publishTail(long ring, int tail) {
        Mem.putIntRelease(ring + TAIL, tail);
    }

    /** The consumer's own view of its head. */
    public static int head(long ring) {
        return Mem.getInt(ring + HEAD);
    }

    /** The producer's view: slots below it may be written again. */
    public static int headAcquire(long ring) {
        return Mem.getIntAcquire(ring + HEAD);
    }

    /** By the consumer, after the slots were read. */
    public static void publishHead(long ring, int head) {
        Mem.putIntRelease(ring + HEAD, head);
    }

    /** RQ: 1 while a peer waits for a receive. CQ: armed, 0 no, 1 solicited, 2 any. */
    public static int waiting(long ring) {
        return Mem.getIntVolatile(ring + WAITING);
    }

    public static void waiting(long ring, int value) {
        Mem.putIntVolatile(ring + WAITING, value);
    }

    public static boolean casWaiting(long ring, int expected, int value) {
        return Mem.compareAndSetInt(ring + WAITING, expected, value);
    }

    /** CQ: events appended to the channel and not yet taken. */
    public static int pending(long ring) {
        return Mem.getIntVolatile(ring + PENDING);
    }

    /** Adds to {@code pending}; the value before. */
    public static int addPending(long ring, int delta) {
        return Mem.getAndAddInt(ring + PENDING, delta);
    }

    /** CQ: 1 once a CQE found the ring full. */
    public static int overflow(long ring) {
        return Mem.getIntVolatile(ring + OVERFLOW);
    }

    public static void overflow(long ring, int value) {
        Mem.putIntVolatile(ring + OVERFLOW, value);
    }
}
