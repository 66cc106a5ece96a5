package io.metaroce.provider.link.sim;

import java.util.random.RandomGenerator;

/** Which ports a frame passes. Implementations hold the ports; {@link SimFabric} moves the frames. */
public interface Topology {
    int hosts();

    int planes();

    /**
     * The ports from a host to another on a plane, in order, the sender's own NIC port first.
     *
     * @param entropy a hash of addresses and UDP ports: the same flow takes the same way (ECMP)
     * @param random for switches that spray each packet
     * @param route filled from {@code at} on, at most {@code Frames.MAX_HOPS} entries
     * @return how many; 0 when there is no way
     */
    int route(int source, int target, int plane, int entropy, RandomGenerator random, int[] route, int at);

    SimPort port(int index);

    int ports();

    /** The port by which a host sends on a plane. */
    int nic(int host, int plane);
}
