package io.metaroce.provider.link.sim;

import io.metaroce.wire.MetaRoce;

/**
 * One sending side of a cable: a FIFO queue with a limit and an ECN threshold, a rate, a delay, and the faults of the cable. The queue is kept as the time at which it
 * will be empty, which for a FIFO of constant rate says all.
 */
public final class SimPort {
    /** Bytes of Ethernet, IPv4, UDP, FCS, preamble and gap around a UDP payload. */
    public static final int OVERHEAD_BYTES = 14 + 20 + 8 + 4 + 8 + 12;

    private final String name;
    private double nsPerByte;
    private long delayNs;
    private long queueLimitBytes;
    private long ecnBytes;
    private double loss;
    private double mark;
    private double duplicate;
    private double corrupt;
    private double reorder;
    private long reorderNs;
    private boolean down;
    private int deadRoutes;
    private double emptyAtNs;

    // what happened
    private long frames;
    private long bytes;
    private long drops;
    private long marks;
    private double busyNs;
    private long maxQueueBytes;

    SimPort(String name, double gbps, long delayNs, long queueLimitBytes, long ecnBytes) {
        this.name = name;
        this.nsPerByte = 8.0 / gbps;
        this.delayNs = delayNs;
        this.queueLimitBytes = queueLimitBytes;
        this.ecnBytes = ecnBytes;
    }

    /** Bytes waiting at {@code nowNs}. */
    public long queuedBytes(long nowNs) {
        return emptyAtNs <= nowNs ? 0 : (long) ((emptyAtNs - nowNs) / nsPerByte);
    }

    boolean fits(long nowNs, int payloadBytes) {
        return queuedBytes(nowNs) + payloadBytes + OVERHEAD_BYTES <= queueLimitBytes;
    }

    boolean marks(long nowNs) {
        return queuedBytes(nowNs) > ecnBytes;
    }

    /** Puts a frame into the queue; answers when its last byte arrives at the other end. */
    long send(long nowNs, int payloadBytes) {
        int wire = payloadBytes + OVERHEAD_BYTES;
        double start = Math.max(emptyAtNs, (double) nowNs);
        emptyAtNs = start + wire * nsPerByte;
        busyNs += wire * nsPerByte;
        frames++;
        bytes += wire;
        maxQueueBytes = Math.max(maxQueueBytes, queuedBytes(nowNs));
        return (long) emptyAtNs + delayNs;
    }

    /** When at most {@code bytesLeft} bytes will be waiting. */
    long drainedAtNs(long bytesLeft) {
        return (long) (emptyAtNs - bytesLeft * nsPerByte) + 1;
    }

    /** Probability that a frame is lost on this cable. */
    public SimPort loss(double probability) {
        loss = probability;
        return this;
    }

    /** Probability that a frame gets a CE mark whatever the queue. */
    public SimPort mark(double probability) {
        mark = probability;
        return this;
    }

    public SimPort duplicate(double probability) {
        duplicate = probability;
        return this;
    }

    /** Probability that a bit of the headers is flipped (a flip elsewhere is caught by the UDP checksum: a loss). */
    public SimPort corrupt(double probability) {
        corrupt = probability;
        return this;
    }

    /** Probability that a frame is held back for up to {@code upToNs}. */
    public SimPort reorder(double probability, long upToNs) {
        reorder = probability;
        reorderNs = upToNs;
        return this;
    }

    public SimPort rateGbps(double gbps) {
        nsPerByte = 8.0 / gbps;
        return this;
    }

    public SimPort delayNs(long ns) {
        delayNs = ns;
        return this;
    }

    public SimPort queue(long limitBytes, long ecnThresholdBytes) {
        queueLimitBytes = limitBytes;
        ecnBytes = ecnThresholdBytes;
        return this;
    }

    /** A cable that is down swallows frames in silence. */
    public SimPort down(boolean isDown) {
        down = isDown;
        return this;
    }

    /** Swallows the frames of some routes in silence, as if the next switch hashed source ports onto four: bit k stands for the k-th. Ports that processes claim pass. */
    public SimPort deadRoutes(int mask) {
        deadRoutes = mask;
        return this;
    }

    boolean swallows(int sourcePort) {
        return deadRoutes != 0 && MetaRoce.slot(sourcePort) < 0 && (deadRoutes >>> (sourcePort >>> 10 & 3) & 1) != 0;
    }

    boolean isDown() {
        return down;
    }

    double lossProbability() {
        return loss;
    }

    double markProbability() {
        return mark;
    }

    double duplicateProbability() {
        return duplicate;
    }

    double corruptProbability() {
        return corrupt;
    }

    double reorderProbability() {
        return reorder;
    }

    long reorderNs() {
        return reorderNs;
    }

    void countDrop() {
        drops++;
    }

    void countMark() {
        marks++;
    }

    public String name() {
        return name;
    }

    public long frames() {
        return frames;
    }

    /** Bytes sent, with all overhead of the wire. */
    public long wireBytes() {
        return bytes;
    }

    public long drops() {
        return drops;
    }

    public long marks() {
        return marks;
    }

    public long maxQueueBytes() {
        return maxQueueBytes;
    }

    public double gbps() {
        return 8.0 / nsPerByte;
    }

    /** Time spent sending, nanoseconds. */
    public double busyNs() {
        return busyNs;
    }
}
