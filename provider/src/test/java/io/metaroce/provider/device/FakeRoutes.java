package io.metaroce.provider.device;

import io.metaroce.provider.port.Routes;
import io.metaroce.wire.MetaRoce;

/** Two planes; every address has a route from both but those a test takes away. */
final class FakeRoutes implements Routes {
    /** No route leads to this address from the planes below {@link #deadPlanes}. */
    long deadLo = -1;

    int deadPlanes;
    int inUse;

    @Override
    public int planes() {
        return 2;
    }

    @Override
    public long planeHi(int plane) {
        return 0;
    }

    @Override
    public long planeLo(int plane) {
        return 0xffff_0a00_0001L + ((long) plane << 8);
    }

    @Override
    public int planeMbps(int plane) {
        return 0;
    }

    @Override
    public int localPort() {
        return MetaRoce.port(DeviceBench.SLOT);
    }

    @Override
    public int destination(int plane, long hi, long lo, int port) {
        if (lo == deadLo && plane < deadPlanes) {
            return -1;
        }
        inUse++;
        return plane;
    }

    @Override
    public void release(int destination) {
        inUse--;
    }

    @Override
    public int maxPayload(int destination) {
        return 1472;
    }
}
