package io.metaroce.provider.engine;

/**
 * What an engine is started with.
 *
 * @param bootNonce random, not zero; another one at every start of the process
 * @param seed of the engine's own generator (connection ids, first SPSNs, path choice, cookie key); secret and random on a real link
 * @param localSlot the claimed UDP slot, 0..1023
 * @param pathsPerPlane paths of a connection on each plane, 1..64; fewer where all planes together would have more than 64
 * @param windowBytes the window of a connection never exceeds it
 * @param ackDelayNs longest delay of an acknowledgement
 * @param ptoFloorNs least probe time-out
 * @param segmentWindow W that our binds offer: segments of one stream between the first that has not landed and the last that may be sent; a power of two, 64..32768
 * @param hints whether our ACKs tell senders their share
 */
public record EngineConfig(
        long bootNonce,
        long seed,
        int localSlot,
        int pathsPerPlane,
        long windowBytes,
        long ackDelayNs,
        long ptoFloorNs,
        int segmentWindow,
        boolean hints) {
    /** Paths of a connection on each plane, by default (protocol section 13 has the measurement). */
    public static final int PATHS = 16;

    /** The defaults of protocol sections 5 and 11. */
    public static EngineConfig of(long bootNonce, long seed, int localSlot) {
        return new EngineConfig(bootNonce, seed, localSlot, PATHS, 1 << 26, 25_000, 200_000, 4096, true);
    }

    public EngineConfig withPathsPerPlane(int paths) {
        return new EngineConfig(
                bootNonce, seed, localSlot, paths, windowBytes, ackDelayNs, ptoFloorNs, segmentWindow, hints);
    }

    public EngineConfig withWindowBytes(long bytes) {
        return new EngineConfig(
                bootNonce, seed, localSlot, pathsPerPlane, bytes, ackDelayNs, ptoFloorNs, segmentWindow, hints);
    }

    public EngineConfig withSegmentWindow(int segments) {
        return new EngineConfig(
                bootNonce, seed, localSlot, pathsPerPlane, windowBytes, ackDelayNs, ptoFloorNs, segments, hints);
    }

    public EngineConfig withHints(boolean on) {
        return new EngineConfig(
                bootNonce, seed, localSlot, pathsPerPlane, windowBytes, ackDelayNs, ptoFloorNs, segmentWindow, on);
    }
}
