package io.metaroce.provider.device;

import io.metaroce.provider.port.ApplicationMemory;
import io.metaroce.provider.port.Regions;
import io.metaroce.provider.slots.Commands;
import io.metaroce.wire.Mem;

/**
 * Memory regions by key. A key is {@code generation 4 | index 20 | random 8}: the index finds the entry at once, and the 12 other bits change each time an index is
 * used again, so that a key of a deregistered region opens nothing. lkey and rkey of a region are equal; what a remote side may do is in its access flags.
 *
 * <p>Entries live in native memory (64 bytes each), because a program may have a million of them and the heap of an embedded VM is small.
 */
public final class RegionTable implements Regions, AutoCloseable {
    private static final int ADDR = 0;
    private static final int LENGTH = 8;
    private static final int IOVA = 16;
    private static final int KEY = 24; // 0: free
    private static final int PD = 28;
    private static final int ACCESS = 32;
    private static final int NEXT = 36; // next free index, or -1
    private static final int LAST_KEY = 40;

    private static final int INDEX_MASK = 0xf_ffff;
    private static final int KEY_BITS = 0xf000_00ff;
    private static final long PAGE_OFFSET = 4095;
    /** Linux counts the pages of a region with 32 bits. */
    private static final long MAX_LENGTH = 0xffff_ffffL << 12;

    private final ApplicationMemory memory;
    private long entries;
    private int capacity;
    private int freeHead = -1;
    private int freeTail = -1;
    private int count;
    private long random;
    private int lastKey;

    /** @param seed of the random bits of keys */
    public RegionTable(ApplicationMemory memory, long seed) {
        this.memory = memory;
        random = seed | 1;
        grow(1024);
    }

    /**
     * Registers; the key is left in {@link #lastKey}.
     *
     * @param pd its protection domain, known to exist
     * @param iova the address that names the first byte, with the lkey as well as with the rkey (man ibv_reg_mr_iova)
     * @return 0, or EINVAL (access flags, no bytes, 2^32 pages or more, an end past the address space, offsets within a page that differ), EOPNOTSUPP (on demand, zero based, huge pages, flush),
     *     EFAULT (not mapped, or read-only while local writing is asked for), ENOMEM (too many regions)
     */
    public int register(int pd, int access, long addr, long length, long iova) {
        int error = Access.check(access);
        if (error != 0) {
            return error;
        }
        if (length <= 0 || length > MAX_LENGTH || wraps(addr, length) || wraps(iova, length)) {
            return Errno.EINVAL;
        }
        if (((addr ^ iova) & PAGE_OFFSET) != 0) {
            return Errno.EINVAL;
        }
        if (!memory.accessible(addr, length, (access & Access.LOCAL_WRITE) != 0)) {
            return Errno.EFAULT;
        }
        if (freeHead < 0) {
            if (capacity == Commands.MAX_MR) {
                return Errno.ENOMEM;
            }
            grow(Math.min(capacity * 2, Commands.MAX_MR));
        }
        int index = freeHead;
        long entry = entry(index);
        freeHead = Mem.getInt(entry + NEXT);
        if (freeHead < 0) {
            freeTail = -1;
        }
        int key = newKey(index, Mem.getInt(entry + LAST_KEY));
        Mem.putLong(entry + ADDR, addr);
        Mem.putLong(entry + LENGTH, length);
        Mem.putLong(entry + IOVA, iova);
        Mem.putInt(entry + PD, pd);
        Mem.putInt(entry + ACCESS, access & Access.SUPPORTED);
        Mem.putInt(entry + KEY, key);
        count++;
        lastKey = key;
        return 0;
    }

    /** The key of the last region registered: its lkey and its rkey. */
    public int lastKey() {
        return lastKey;
    }

    /** The protection domain of a region, or -1 if there is no such region. */
    public int pdOf(int lkey) {
        long entry = find(lkey);
        return entry == 0 ? -1 : Mem.getInt(entry + PD);
    }

    /** Takes a region away: the next access by its key fails. Answers 0, or EINVAL for an unknown key. */
    public int deregister(int lkey) {
        long entry = find(lkey);
        if (entry == 0) {
            return Errno.EINVAL;
        }
        Mem.putInt(entry + LAST_KEY, Mem.getInt(entry + KEY));
        Mem.putInt(entry + KEY, 0);
        addFree((lkey >>> 8) & INDEX_MASK);
        count--;
        return 0;
    }

    /** Regions there are. */
    public int count() {
        return count;
    }

    @Override
    public long local(int lkey, int pd, long addr, long length, int access) {
        return resolve(lkey, pd, addr, length, access);
    }

    @Override
    public long remote(int rkey, int pd, long va, long length, int access) {
        return resolve(rkey, pd, va, length, access);
    }

    private long resolve(int key, int pd, long va, long length, int access) {
        if (length == 0) {
            return va & Long.MAX_VALUE;
        }
        long entry = find(key);
        if (entry == 0) {
            return BAD_KEY;
        }
        if (Mem.getInt(entry + PD) != pd) {
            return BAD_PD;
        }
        if ((Mem.getInt(entry + ACCESS) & access) != access) {
            return BAD_ACCESS;
        }
        return inRange(entry, va, length);
    }

    /** Both differences are taken as unsigned numbers, so that no sum can wrap. */
    private static long inRange(long entry, long va, long length) {
        long offset = va - Mem.getLong(entry + IOVA);
        long size = Mem.getLong(entry + LENGTH);
        if (length < 0 || Long.compareUnsigned(offset, size) > 0 || Long.compareUnsigned(length, size - offset) > 0) {
            return BAD_RANGE;
        }
        return Mem.getLong(entry + ADDR) + offset;
    }

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

    /** Gives the table's memory back; no method may be called after it. */
    @Override
    public void close() {
        if (entries != 0) {
            Mem.free(entries);
            entries = 0;
            capacity = 0;
        }
    }

    private long entry(int index) {
        return entries + ((long) index << 6);
    }

    private long find(int key) {
        int index = (key >>> 8) & INDEX_MASK;
        if (key == 0 || index >= capacity) {
            return 0;
        }
        long entry = entry(index);
        return Mem.getInt(entry + KEY) == key ? entry : 0;
    }

    private static boolean wraps(long start, long length) {
        return Long.compareUnsigned(start + (length - 1), start) < 0;
    }

    private int newKey(int index, int previous) {
        while (true) {
            random ^= random << 13;
            random ^= random >>> 7;
            random ^= random << 17;
            int key = (index << 8) | ((int) (random >>> 16) & KEY_BITS);
            if (key != 0 && key != previous) {
                return key;
            }
        }
    }

    /** Free indexes are used first in, first out: the longest time passes before a key's index lives again. */
    private void addFree(int index) {
        Mem.putInt(entry(index) + NEXT, -1);
        if (freeTail < 0) {
            freeHead = index;
        } else {
            Mem.putInt(entry(freeTail) + NEXT, index);
        }
        freeTail = index;
    }

    private void grow(int wanted) {
        long bigger = Mem.alloc((long) wanted << 6);
        if (capacity > 0) {
            Mem.copy(entries, bigger, (long) capacity << 6);
            Mem.free(entries);
        }
        entries = bigger;
        int from = capacity;
        capacity = wanted;
        for (int i = from; i < wanted; i++) {
            addFree(i);
        }
    }
}
