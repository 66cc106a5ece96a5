package io.metaroce.provider.engine;

/** What the stream layer asks of the connection layer (protocol sections 1 to 6, 10, 11, 13, 14). */
public interface ConnectionLayer {
    /**
     * The connection to the process that owns {@code slot} at a remote GID, opened by its first user. Each call is answered by one {@link #detach}.
     *
     * @return its number, or -1 when there is no route or no room (the QP then waits and asks again at its next BIND timer)
     */
    int attach(long remoteHi, long remoteLo, int slot, long nowNs);

    /** A stream leaves; the connection is closed when it has been unused for a while. */
    void detach(int conn, long nowNs);

    /** Whether the handshake is over. */
    boolean isOpen(int conn);

    /** Segment size S this side offers on the connection: 1344 or 1152. */
    int segmentBytes(int conn);

    /** The stream has something new to send: it joins the list of streams with work. Idempotent. */
    void wantTransmit(int conn, int stream);

    /** A STREAM_CTL is due. Idempotent. */
    void wantCtl(int conn);

    /** A stream block is due: an ACK that carries it goes out in this duty cycle (at once) or with the normal acknowledgement delay. */
    void wantAck(int conn, boolean atOnce);

    /** PTO of the connection's best path: for the timers of unfinished work (QUERY). */
    long ptoNs(int conn);

    /** Smoothed RTT of the connection's best path, nanoseconds; an initial guess before the first sample. */
    long rttNs(int conn);

    /** When an authentic packet of the peer came last; the open time before the first. */
    long lastHeardNs(int conn);

    /** A sentence for the log: peer address, slot, paths, last progress. */
    String describe(int conn, long nowNs);
}
