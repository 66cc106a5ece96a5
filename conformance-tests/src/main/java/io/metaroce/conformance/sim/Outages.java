package io.metaroce.conformance.sim;

import io.metaroce.provider.link.sim.SimFabric;
import io.metaroce.provider.link.sim.StarTopology;
import java.util.SplittableRandom;

/** Routes and planes that die without a word, one way or both, for a while or for ever. One plane and three of four routes live in the end. */
final class Outages {
    private static final int KINDS = 4;

    private Outages() {}

    static void plan(SimFabric fabric, StarTopology star, int planes, SplittableRandom random) {
        long fromNs = fabric.nowNs() + random.nextLong(random.nextBoolean() ? 300_000 : 3_000_000);
        long lastsNs = 100_000 + random.nextLong(random.nextBoolean() ? 2_000_000 : 50_000_000);
        boolean there = random.nextInt(3) != 0;
        boolean back = !there || random.nextBoolean();
        switch (random.nextInt(KINDS)) {
            case 0 -> {
                int routes = 1 << random.nextInt(4);
                boolean forEver = random.nextBoolean();
                fabric.at(fromNs, () -> routes(star, planes, there, back, routes));
                if (!forEver) {
                    fabric.at(fromNs + lastsNs, () -> routes(star, planes, there, back, 0));
                }
            }
            case 1 -> {
                int plane = random.nextInt(planes);
                boolean forEver = plane > 0 && random.nextBoolean(); // the handshake needs plane 0
                fabric.at(fromNs, () -> plane(star, plane, there, back, true));
                if (!forEver) {
                    fabric.at(fromNs + lastsNs, () -> plane(star, plane, there, back, false));
                }
            }
            case 2 -> {
                long atNs = fromNs;
                for (int i = 0; i < 8; i++) {
                    int plane = random.nextInt(planes);
                    fabric.at(atNs, () -> plane(star, plane, there, back, true));
                    atNs += random.nextLong(5_000_000);
                    fabric.at(atNs, () -> plane(star, plane, there, back, false));
                    atNs += random.nextLong(3_000_000);
                }
            }
            default -> {
                for (int p = 0; p < planes; p++) {
                    int plane = p;
                    fabric.at(fromNs + random.nextLong(2_000_000), () -> plane(star, plane, true, true, true));
                    fabric.at(fromNs + 2_000_000 + lastsNs, () -> plane(star, plane, true, true, false));
                }
            }
        }
    }

    private static void routes(StarTopology star, int planes, boolean there, boolean back, int dead) {
        for (int p = 0; p < planes; p++) {
            star.port(star.nic(0, p)).deadRoutes(there ? dead : 0);
            star.port(star.nic(1, p)).deadRoutes(back ? dead : 0);
        }
    }

    private static void plane(StarTopology star, int plane, boolean there, boolean back, boolean down) {
        star.port(star.nic(0, plane)).down(there && down);
        star.port(star.nic(1, plane)).down(back && down);
    }
}
