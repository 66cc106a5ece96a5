package io.metaroce.provider.engine.stream;

import io.metaroce.provider.port.PlainRegions;
import io.metaroce.wire.Mem;
import java.util.HashMap;
import java.util.Map;

/** Memory regions of one fake process: one key for both sides, virtual address = address. */
final class TestMemory extends PlainRegions {
    /** A registered buffer. */
    static final class Region {
        final int key;
        final int pd;
        final long addr;
        final long length;
        int access;

        Region(int key, int pd, long addr, long length, int access) {
            this.key = key;
            this.pd = pd;
            this.addr = addr;
            this.length = length;
            this.access = access;
        }

        void fill(int value) {
            Mem.fill(addr, length, value);
        }

        byte[] bytes(long offset, int n) {
            byte[] copy = new byte[n];
            Mem.copy(addr + offset, copy, 0, n);
            return copy;
        }

        void put(long offset, byte[] bytes) {
            if (bytes.length > 0) {
                Mem.copy(bytes, 0, addr + offset, bytes.length);
            }
        }
    }

    private final Map<Integer, Region> regions = new HashMap<>();
    private int nextKey = 0x1000;
    int releases;
    long lastRelease;
    boolean unmapped;

    Region register(int pd, long length, int access) {
        Region region = new Region(nextKey++, pd, Mem.alloc(Math.max(1, length)), length, access);
        regions.put(region.key, region);
        return region;
    }

    Region alias(Region of, int access) {
        Region region = new Region(nextKey++, of.pd, of.addr, of.length, access);
        regions.put(region.key, region);
        return region;
    }

    void deregister(Region region) {
        regions.remove(region.key);
    }

    private long find(int key, int pd, long addr, long length, int access) {
        Region region = regions.get(key);
        if (region == null) {
            return BAD_KEY;
        }
        if (region.pd != pd) {
            return BAD_PD;
        }
        if (addr < region.addr || addr + length > region.addr + region.length || addr + length < addr) {
            return BAD_RANGE;
        }
        return (region.access & access) == access ? addr : BAD_ACCESS;
    }

    @Override
    public long local(int lkey, int pd, long addr, long length, int access) {
        return length == 0 ? 0 : find(lkey, pd, addr, length, access);
    }

    @Override
    public long remote(int rkey, int pd, long va, long length, int access) {
        return find(rkey, pd, va, length, access);
    }

    @Override
    public boolean copy(long destination, long source, long bytes) {
        return super.copy(destination, source, bytes) && !unmapped;
    }

    @Override
    public boolean storeRelease(long destination, long source, int bytes) {
        if (bytes > 64) {
            throw new AssertionError("storeRelease of " + bytes + " bytes");
        }
        releases++;
        lastRelease = destination + bytes;
        return copy(destination, source, bytes);
    }
}
