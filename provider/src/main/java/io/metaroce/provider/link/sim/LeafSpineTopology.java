package io.metaroce.provider.link.sim;

import java.util.random.RandomGenerator;

/** Planes of leaf and spine switches; a flow is hashed onto a spine, or each packet is sprayed where the fabric does that by itself. */
public final class LeafSpineTopology implements Topology {
    private final int hosts;
    private final int planes;
    private final int hostsPerLeaf;
    private final int leaves;
    private final int spines;
    private final SimPort[] ports;
    private boolean sprays;

    /** Cables between switches run at {@code spineGbps}; the delay is one cable's. */
    public LeafSpineTopology(
            int hosts,
            int hostsPerLeaf,
            int spines,
            int planes,
            double hostGbps,
            double spineGbps,
            long cableDelayNs,
            long queueBytes,
            long ecnBytes) {
        this.hosts = hosts;
        this.planes = planes;
        this.hostsPerLeaf = hostsPerLeaf;
        this.leaves = (hosts + hostsPerLeaf - 1) / hostsPerLeaf;
        this.spines = spines;
        ports = new SimPort[planes * (2 * hosts + 2 * leaves * spines)];
        for (int p = 0; p < planes; p++) {
            for (int h = 0; h < hosts; h++) {
                ports[nic(h, p)] =
                        new SimPort("h" + h + ".p" + p + ".tx", hostGbps, cableDelayNs, Long.MAX_VALUE, Long.MAX_VALUE);
                ports[toHost(h, p)] =
                        new SimPort("h" + h + ".p" + p + ".rx", hostGbps, cableDelayNs, queueBytes, ecnBytes);
            }
            for (int l = 0; l < leaves; l++) {
                for (int s = 0; s < spines; s++) {
                    ports[up(l, s, p)] = new SimPort(
                            "l" + l + ".s" + s + ".p" + p + ".up", spineGbps, cableDelayNs, queueBytes, ecnBytes);
                    ports[downTo(s, l, p)] = new SimPort(
                            "s" + s + ".l" + l + ".p" + p + ".down", spineGbps, cableDelayNs, queueBytes, ecnBytes);
                }
            }
        }
    }

    /** The fabric sends each packet over a random spine. */
    public LeafSpineTopology sprays(boolean on) {
        sprays = on;
        return this;
    }

    @Override
    public int hosts() {
        return hosts;
    }

    @Override
    public int planes() {
        return planes;
    }

    public int spines() {
        return spines;
    }

    public int leaves() {
        return leaves;
    }

    @Override
    public int route(int source, int target, int plane, int entropy, RandomGenerator random, int[] route, int at) {
        int from = source / hostsPerLeaf;
        int to = target / hostsPerLeaf;
        route[at] = nic(source, plane);
        if (from == to) {
            route[at + 1] = toHost(target, plane);
            return 2;
        }
        int spine = sprays ? random.nextInt(spines) : Integer.remainderUnsigned(entropy, spines);
        route[at + 1] = up(from, spine, plane);
        route[at + 2] = downTo(spine, to, plane);
        route[at + 3] = toHost(target, plane);
        return 4;
    }

    @Override
    public SimPort port(int index) {
        return ports[index];
    }

    @Override
    public int ports() {
        return ports.length;
    }

    private int base(int plane) {
        return plane * (2 * hosts + 2 * leaves * spines);
    }

    @Override
    public int nic(int host, int plane) {
        return base(plane) + host;
    }

    public int toHost(int host, int plane) {
        return base(plane) + hosts + host;
    }

    /** Leaf to spine. */
    public int up(int leaf, int spine, int plane) {
        return base(plane) + 2 * hosts + leaf * spines + spine;
    }

    /** Spine to leaf. */
    public int downTo(int spine, int leaf, int plane) {
        return base(plane) + 2 * hosts + leaves * spines + spine * leaves + leaf;
    }
}
