package io.metaroce.provider.device;

import io.metaroce.provider.port.ApplicationMemory;
import io.metaroce.wire.Mem;
import java.lang.invoke.VarHandle;

/**
 * Memory of a Java program, which cannot be unmapped while a region holds it: plain copies. Under the shim, where a program may unmap what it has registered, copies
 * go through the library's guarded functions instead.
 */
public final class PlainMemory implements ApplicationMemory {
    private long old;

    @Override
    public boolean copy(long destination, long source, long bytes) {
        Mem.copy(source, destination, bytes);
        return true;
    }

    /** The last word, as wide as the end of the range is aligned, goes in one store after all others. */
    @Override
    public boolean storeRelease(long destination, long source, int bytes) {
        if (bytes <= 0) {
            return true;
        }
        long end = destination + bytes;
        int last = (int) Math.min(Long.lowestOneBit(end | 8), Integer.highestOneBit(bytes));
        int before = bytes - last;
        if (before > 0) {
            Mem.copy(source, destination, before);
        }
        long from = source + before;
        long to = destination + before;
        VarHandle.releaseFence();
        switch (last) {
            case 8 -> Mem.putLongRelease(to, Mem.getLong(from));
            case 4 -> Mem.putIntRelease(to, Mem.getInt(from));
            case 2 -> Mem.putShort(to, Mem.getShort(from));
            default -> Mem.putByte(to, Mem.getByte(from));
        }
        return true;
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

    @Override
    public boolean accessible(long address, long bytes, boolean write) {
        return address != 0 || bytes == 0;
    }
}
