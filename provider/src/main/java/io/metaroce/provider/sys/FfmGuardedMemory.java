package io.metaroce.provider.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.metaroce.provider.port.ApplicationMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The library's guarded functions by critical downcalls: 2 ns a call, but a collection waits for each, so that a call copies 64 KB at most. All four functions take
 * up to four integer arguments in registers, so that one method handle serves them.
 */
final class FfmGuardedMemory implements ApplicationMemory {
    private static final int CHUNK = 64 * 1024;
    private static final int PAGE = 4096;
    /** Pages looked at when a range is registered; of a larger one, every n-th and the last. */
    private static final long MAX_PROBES = 256;

    private static final MethodHandle CALL = Linker.nativeLinker()
            .downcallHandle(
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                    Linker.Option.critical(false));

    private final MemorySegment copy;
    private final MemorySegment cas;
    private final MemorySegment fetchAdd;
    private final MemorySegment store;
    private final MemorySegment out = Arena.global().allocate(JAVA_LONG);
    private final long outAddress = out.address();

    FfmGuardedMemory(long copy, long cas, long fetchAdd, long store) {
        this.copy = MemorySegment.ofAddress(copy);
        this.cas = MemorySegment.ofAddress(cas);
        this.fetchAdd = MemorySegment.ofAddress(fetchAdd);
        this.store = MemorySegment.ofAddress(store);
    }

    private static boolean call(MemorySegment function, long a, long b, long c, long d) {
        try {
            return (int) CALL.invokeExact(function, a, b, c, d) == 0;
        } catch (Throwable t) {
            throw new IllegalStateException("a downcall failed", t);
        }
    }

    @Override
    public boolean copy(long destination, long source, long bytes) {
        for (long done = 0; done < bytes; done += CHUNK) {
            if (!call(copy, destination + done, source + done, Math.min(CHUNK, bytes - done), 0)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean storeRelease(long destination, long source, int bytes) {
        return call(store, destination, source, bytes, 0);
    }

    @Override
    public boolean compareSwap(long address, long compare, long swap) {
        return call(cas, address, compare, swap, outAddress);
    }

    @Override
    public boolean fetchAdd(long address, long add) {
        return call(fetchAdd, address, add, outAddress, 0);
    }

    @Override
    public long old() {
        return out.get(JAVA_LONG, 0);
    }

    /** Reading is tried by copying a byte, writing by adding 0 to the aligned word around it, which changes nothing. */
    @Override
    public boolean accessible(long address, long bytes, boolean write) {
        if (bytes <= 0) {
            return true;
        }
        long last = address + bytes - 1;
        long pages = (last >>> 12) - (address >>> 12) + 1;
        long step = Math.max(1, pages / MAX_PROBES) * PAGE;
        for (long at = address, left = pages; left > 0; left -= step / PAGE) {
            if (!probe(at, write)) {
                return false;
            }
            at = (at & -PAGE) + step;
        }
        return probe(last, write);
    }

    private boolean probe(long at, boolean write) {
        return write ? call(fetchAdd, at & -8L, 0, outAddress, 0) : call(copy, outAddress, at, 1, 0);
    }
}
