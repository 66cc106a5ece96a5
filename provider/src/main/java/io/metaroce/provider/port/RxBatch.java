package io.metaroce.provider.port;

/**
 * Received UDP payloads in arrival order, filled by a link and read by the engine. The bytes stay valid until the link's next poll.
 *
 * <p>Addresses are 128-bit: IPv6, or IPv4-mapped IPv6, as two big-endian halves.
 */
public final class RxBatch {
    /** Frames in one batch. */
    public static final int CAPACITY = 64;

    private final long[] addr = new long[CAPACITY];
    private final int[] length = new int[CAPACITY];
    private final int[] meta = new int[CAPACITY]; // plane << 2 | ecn
    private final int[] srcPort = new int[CAPACITY];
    private final long[] srcHi = new long[CAPACITY];
    private final long[] srcLo = new long[CAPACITY];
    private int count;

    public void clear() {
        count = 0;
    }

    public int count() {
        return count;
    }

    public boolean full() {
        return count == CAPACITY;
    }

    /**
     * Adds one frame.
     *
     * @param payload address of the first byte after the UDP header
     * @param bytes length of the UDP payload
     * @param plane index of the local plane it came in by
     * @param ecn the two ECN bits of the IP header (3 = CE)
     */
    public void add(long payload, int bytes, int plane, int ecn, long sourceHi, long sourceLo, int sourcePort) {
        addr[count] = payload;
        length[count] = bytes;
        meta[count] = plane << 2 | ecn;
        srcHi[count] = sourceHi;
        srcLo[count] = sourceLo;
        srcPort[count] = sourcePort;
        count++;
    }

    public long address(int i) {
        return addr[i];
    }

    public int length(int i) {
        return length[i];
    }

    public int plane(int i) {
        return meta[i] >>> 2;
    }

    public int ecn(int i) {
        return meta[i] & 3;
    }

    public long sourceHi(int i) {
        return srcHi[i];
    }

    public long sourceLo(int i) {
        return srcLo[i];
    }

    public int sourcePort(int i) {
        return srcPort[i];
    }
}
