package io.metaroce.provider.engine;

/**
 * What an engine is started with.
 *
 * @param bootNonce random, not zero; another one at every start of the process
 * @param seed of the engine's own generator (connection ids, first SPSNs, path choice, cookie key); secret and random on a real link
 * @param localSlot the claimed UDP slot, 0..1023
 * @param pathsPerPlane paths of a connection on each plane, 1..64
 * @param windowBytes connection window while congestion control is fixed
 * @param ackDelayNs longest delay of an acknowledgement
 * @param ptoFloorNs least probe time-out
 * @param segmentWindow W that our binds offer: segments of one stream between the first that has not landed and the last that may be sent; a power of two, 64..32768
 */
public record EngineConfig(
        long bootNonce,
        long seed,
        int localSlot,
        int pathsPerPlane,
        long windowBytes,
        long ackDelayNs,
        long ptoFloorNs,
        int segmentWindow) {
    /** The defaults of protocol sections 5 and 6. */
    public static EngineConfig of(long bootNonce, long seed, int localSlot) {
        return new EngineConfig(bootNonce, seed, localSlot, 4, 1 << 20, 25_000, 200_000, 4096);
    }

    public EngineConfig withPathsPerPlane(int paths) {
        return new EngineConfig(bootNonce, seed, localSlot, paths, windowBytes, ackDelayNs, ptoFloorNs, segmentWindow);
    }

    public EngineConfig withWindowBytes(long bytes) {
        return new EngineConfig(
                bootNonce, seed, localSlot, pathsPerPlane, bytes, ackDelayNs, ptoFloorNs, segmentWindow);
    }

    public EngineConfig withSegmentWindow(int segments) {
        return new EngineConfig(
                bootNonce, seed, localSlot, pathsPerPlane, windowBytes, ackDelayNs, ptoFloorNs, segments);
    }
}
