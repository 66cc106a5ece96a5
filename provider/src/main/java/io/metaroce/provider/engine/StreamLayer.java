package io.metaroce.provider.engine;

/**
 * What the connection layer asks of the stream layer (protocol sections 4, 5, 12, 14). A stream is named by its QP index, a connection by
 * {@code conn}. All calls are made under the turn.
 */
public interface StreamLayer {
    /**
     * A DATA packet that its path has not received before; everything after the common header, already checked by FrameReader.
     *
     * @return true when the path may mark it received (also when the QP refused it); false when a resource ran out: the packet is dropped unmarked (rule 8)
     */
    boolean onData(int conn, long streamHeader, int bytes, long nowNs);

    /** A STREAM_CTL packet that its path has not received before. The answer is as in {@link #onData}. */
    boolean onStreamCtl(int conn, long body, int bytes, long nowNs);

    /** A PROBE came: the sender has sent all it has, and may have missed our last ACK. The block that went out last is due once more. */
    default void onProbe(int conn, long nowNs) {}

    /** One stream block of an ACK (or of a FINAL). {@code ackSeq} tells which of two blocks is newer, compared serially. */
    void onBlock(int conn, long block, int ackSeq, long nowNs);

    /**
     * Writes the next new frame of a stream after the common header: stream header, extension, payload, tails.
     *
     * @param room bytes that may be written at {@code out}
     * @param record filled with what was written
     * @return bytes written; 0 when the stream has nothing to send now (it leaves the list of streams with work until {@link ConnectionLayer#wantTransmit})
     */
    int nextFrame(int conn, int stream, long out, int room, Record record, long nowNs);

    /** Whether a stream that has just sent has nothing more to send now; false when that is not known. */
    default boolean nothingFollows(int conn, int stream) {
        return false;
    }

    /**
     * Writes the frame of {@code record} again. Application memory is checked anew.
     *
     * @return bytes written; 0 when its work is complete, flushed, of an earlier life or its memory is gone: the packet becomes a VOID (rule 7)
     */
    int rebuild(int conn, Record record, long out, int room, long nowNs);

    /** Writes the next STREAM_CTL due on a connection, like {@link #nextFrame}; 0 when none is due. Control goes before data. */
    int nextCtl(int conn, long out, int room, Record record, long nowNs);

    /**
     * The path layer has an acknowledgement for the packet of {@code record}, or gave it up ({@code ackSeq} of the ACK that cleared it). Called once per record,
     * before the stream blocks of the same ACK are delivered.
     */
    void onCleared(int conn, Record record, int ackSeq, long nowNs);

    /** Writes up to {@code max} stream blocks that are due to the peer at {@code out} (16 bytes each); returns how many. Oldest first; a written block is no longer due. */
    int blocks(int conn, long out, int max, long nowNs);

    /** Whether a stream block is due on this connection. */
    boolean blocksDue(int conn);

    /** The connection is open: BINDs may go. */
    void onOpen(int conn, long nowNs);

    /**
     * The peer process is gone (other boot nonce, CLOSE, or the connection could not be opened): QPs with a WR outstanding fail with {@code status} (12 =
     * RETRY_EXC_ERR); the connection number is not used after this call.
     */
    void onPeerGone(int conn, int status, String why, long nowNs);

    /** Timers: binds, QUERY, RNR, retry budget. */
    void onTime(long nowNs);

    /** The next timer, or Long.MAX_VALUE. */
    long nextDeadlineNs();
}
