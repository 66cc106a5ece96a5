package io.metaroce.provider.port;

/**
 * Where the engine writes the frames it sends. A link implements it over its own buffers, so that a header is written once and in place; the link adds
 * Ethernet, IP (ECT(0)) and UDP headers around the payload when the frame is committed.
 */
public interface TxBatch {
    /**
     * Room for the next frame's UDP payload, {@link Routes#maxPayload} bytes of {@code destination}; 0 when the batch is full (back-pressure: the engine stops
     * and is called again). A second {@code begin} without a commit gives the same room.
     */
    long begin(int destination);

    /**
     * Sends what was written.
     *
     * @param destination as given to {@link #begin}
     * @param sourcePort UDP source port (the path's ECMP entropy)
     * @param bytes length of the UDP payload, at least 20
     */
    void commit(int destination, int sourcePort, int bytes);
}
