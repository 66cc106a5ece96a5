package io.metaroce.provider.engine.cc;

import io.metaroce.provider.engine.path.Path;

/**
 * How much a connection and each of its paths may have in flight, and when the next packet may go; one object per connection. Bytes are UDP payload. The PSN window
 * of a path (256 packets) holds besides and is not its affair.
 */
public interface CongestionControl {
    /** Bytes that the connection may have in flight on paths that are not suspect. One packet may fly whatever it says. */
    long connectionWindowBytes(long nowNs);

    /** Bytes that one path may have in flight: what {@link PathPicker} divides by. At least 1. */
    long pathWindowBytes(Path path);

    /** What {@link PathPicker} adds to a path's cost for its marks and losses, nanoseconds. */
    long penaltyNs(Path path);

    /** Paths, a bit each, that pacing keeps from sending at {@code nowNs}. */
    long waitingMask(long nowNs);

    /** Whether pacing keeps this path from sending at {@code nowNs}. */
    boolean waits(Path path, long nowNs);

    /** Whether pacing keeps a resend on this path waiting: it goes before its time, but not by more than a round trip. */
    boolean resendWaits(Path path, long nowNs);

    /** When a path of those in {@link #waitingMask} may send a burst again; Long.MAX_VALUE when none waits. */
    long paceDueNs(long nowNs);

    /** A packet was sent, new or again. */
    void onSent(Path path, int bytes, long nowNs);

    /**
     * An ACK of a path was taken in; its RTT estimate is up to date.
     *
     * @param packets acknowledged for the first time
     * @param bytes of these packets
     * @param lostPackets declared lost by the ACK
     * @param lossEvents runs of packets sent one after the other among them: a frame that a link cuts into packets, lost as a whole, is one
     * @param ceMarks CE marks that the ACK reports for the first time
     * @param rateHint as in the header, 0 for none
     * @param ackSeq of the ACK: of two hints the later one holds
     */
    void onAck(
            Path path,
            int packets,
            int bytes,
            int lostPackets,
            int lossEvents,
            int ceMarks,
            int rateHint,
            int ackSeq,
            long nowNs);

    /** Bits a second, as the wire carries them, that windows and pace allow now. */
    double allowedBps(long nowNs);

    /** A path is suspect from now on, or not any more: its window counts only while it is not. */
    void onSuspect(Path path, boolean suspect);
}
