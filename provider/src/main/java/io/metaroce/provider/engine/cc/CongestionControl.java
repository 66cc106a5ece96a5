package io.metaroce.provider.engine.cc;

import io.metaroce.provider.engine.path.Path;

/**
 * How much a connection and each of its paths may have in flight; one object per connection. Bytes are UDP payload. The PSN window of a path (256 packets) holds
 * besides and is not its affair.
 */
public interface CongestionControl {
    /** Bytes that the connection may have in flight on paths that are not suspect. */
    long connectionWindowBytes();

    /** Bytes that one path may have in flight: what {@link PathPicker} divides by. */
    long pathWindowBytes(Path path);

    /** A packet was sent, new or again. */
    void onSent(Path path, int bytes, long nowNs);

    /**
     * An ACK of a path was taken in; its RTT estimate is up to date.
     *
     * @param ackedBytes acknowledged for the first time
     * @param ceMarks CE marks that the ACK reports for the first time
     * @param lostPackets declared lost by it
     * @param rateHint as in the header, 0 for none
     */
    void onAck(Path path, int ackedBytes, int ceMarks, int lostPackets, int rateHint, long nowNs);
}
