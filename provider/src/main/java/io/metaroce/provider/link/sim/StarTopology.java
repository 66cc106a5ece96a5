package io.metaroce.provider.link.sim;

import java.util.random.RandomGenerator;

/** Every host hangs on one switch per plane. Two hosts: a pair of cables with a switch queue in the middle. */
public final class StarTopology implements Topology {
    private final int hosts;
    private final int planes;
    private final SimPort[] ports; // NICs, then the switch's port to each host

    /**
     * @param gbps rate of every cable
     * @param delayNs one-way delay from host to host (half on each cable)
     * @param queueBytes limit of each switch queue
     * @param ecnBytes threshold from which the switch marks
     */
    public StarTopology(int hosts, int planes, double gbps, long delayNs, long queueBytes, long ecnBytes) {
        this.hosts = hosts;
        this.planes = planes;
        ports = new SimPort[2 * hosts * planes];
        for (int p = 0; p < planes; p++) {
            for (int h = 0; h < hosts; h++) {
                ports[nic(h, p)] =
                        new SimPort("h" + h + ".p" + p + ".tx", gbps, delayNs / 2, Long.MAX_VALUE, Long.MAX_VALUE);
                ports[toHost(h, p)] =
                        new SimPort("h" + h + ".p" + p + ".rx", gbps, delayNs - delayNs / 2, queueBytes, ecnBytes);
            }
        }
    }

    @Override
    public int hosts() {
        return hosts;
    }

    @Override
    public int planes() {
        return planes;
    }

    @Override
    public int route(int source, int target, int plane, int entropy, RandomGenerator random, int[] route, int at) {
        route[at] = nic(source, plane);
        route[at + 1] = toHost(target, plane);
        return 2;
    }

    @Override
    public SimPort port(int index) {
        return ports[index];
    }

    @Override
    public int ports() {
        return ports.length;
    }

    @Override
    public int nic(int host, int plane) {
        return plane * hosts + host;
    }

    /** The switch's port to a host. */
    public int toHost(int host, int plane) {
        return (planes + plane) * hosts + host;
    }
}
