package io.metaroce.provider.port;

import io.metaroce.wire.Mem;

/** Memory of a test, which is always there: what {@link Regions} does once an address is found. */
public abstract class PlainRegions implements Regions {
    private long old;

    @Override
    public boolean copy(long destination, long source, long bytes) {
        Mem.copy(source, destination, bytes);
        return true;
    }

    @Override
    public boolean storeRelease(long destination, long source, int bytes) {
        return copy(destination, source, bytes);
    }

    @Override
    public boolean compareSwap(long address, long compare, long swap) {
        old = Mem.compareAndExchangeLong(address, compare, swap);
        return true;
    }

    @Override
    public boolean fetchAdd(long address, long add) {
        old = Mem.getAndAddLong(address, add);
        return true;
    }

    @Override
    public long old() {
        return old;
    }
}
