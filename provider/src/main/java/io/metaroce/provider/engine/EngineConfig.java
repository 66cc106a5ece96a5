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
 */
public record EngineConfig(
        long bootNonce,
        long seed,
        int localSlot,
        int pathsPerPlane,
        long windowBytes,
        long ackDelayNs,
        long ptoFloorNs) {
    /** The defaults of protocol sections 5 and 6. */
    public static EngineConfig of(long bootNonce, long seed, int localSlot) {
        return new EngineConfig(bootNonce, seed, localSlot, 4, 1 << 20, 25_000, 200_000);
    }
}
