package io.metaroce.provider.port;

import io.metaroce.provider.device.PlainMemory;

/** Memory of a test, which is always there: what {@link Regions} does once an address is found, as for a Java program. */
public abstract class PlainRegions implements Regions {
    private final PlainMemory memory = new PlainMemory();

    @Override
    public boolean copy(long destination, long source, long bytes) {
        return memory.copy(destination, source, bytes);
    }

    @Override
    public boolean storeRelease(long destination, long source, int bytes) {
        return memory.storeRelease(destination, source, bytes);
    }

    @Override
    public boolean compareSwap(long address, long compare, long swap) {
        return memory.compareSwap(address, compare, swap);
    }

    @Override
    public boolean fetchAdd(long address, long add) {
        return memory.fetchAdd(address, add);
    }

    @Override
    public long old() {
        return memory.old();
    }
}
