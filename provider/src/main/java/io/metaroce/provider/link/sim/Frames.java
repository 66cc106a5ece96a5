package io.metaroce.provider.link.sim;

import io.metaroce.wire.Mem;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * The frames on the wire: a pool of native buffers and, beside each, where it comes from and goes to. Buffers are cut from slabs that the next run of the same thread
 * uses again: to get and give back memory of their own for each takes longer than a short run.
 */
final class Frames {
    static final int MAX_HOPS = 6;

    private static final int SLAB_BYTES = 1 << 16;
    private static final int SLABS_KEPT = 512;
    private static final ThreadLocal<ArrayDeque<Long>> SLABS = ThreadLocal.withInitial(ArrayDeque::new);

    private final int bufferBytes;
    long[] address = new long[256];
    int[] length = new int[256];
    int[] source = new int[256]; // host
    int[] target = new int[256];
    int[] plane = new int[256]; // of the target
    int[] sourcePlane = new int[256];
    int[] sourcePort = new int[256];
    int[] targetPort = new int[256];
    boolean[] congested = new boolean[256];
    int[] hop = new int[256];
    int[] hops = new int[256];
    int[] route = new int[256 * MAX_HOPS];
    private int[] free = new int[256];
    private int freeCount;
    private int created;
    private long[] slabs = new long[16];
    private int slabCount;
    private int slabUsed = SLAB_BYTES;

    Frames(int bufferBytes) {
        if (bufferBytes > SLAB_BYTES) {
            throw new IllegalArgumentException("frames of " + bufferBytes + " bytes");
        }
        this.bufferBytes = bufferBytes;
    }

    int take() {
        if (freeCount > 0) {
            return free[--freeCount];
        }
        if (created == address.length) {
            grow(created * 2);
        }
        if (slabUsed + bufferBytes > SLAB_BYTES) {
            addSlab();
        }
        address[created] = slabs[slabCount - 1] + slabUsed;
        slabUsed += bufferBytes + 63 & -64;
        return created++;
    }

    private void addSlab() {
        if (slabCount == slabs.length) {
            slabs = Arrays.copyOf(slabs, slabCount * 2);
        }
        Long kept = SLABS.get().poll();
        slabs[slabCount++] = kept == null ? Mem.alloc(SLAB_BYTES) : kept;
        slabUsed = 0;
    }

    void give(int frame) {
        free[freeCount++] = frame;
    }

    int copy(int frame) {
        int twin = take();
        Mem.copy(address[frame], address[twin], length[frame]);
        length[twin] = length[frame];
        source[twin] = source[frame];
        target[twin] = target[frame];
        plane[twin] = plane[frame];
        sourcePlane[twin] = sourcePlane[frame];
        sourcePort[twin] = sourcePort[frame];
        targetPort[twin] = targetPort[frame];
        congested[twin] = congested[frame];
        hop[twin] = hop[frame];
        hops[twin] = hops[frame];
        System.arraycopy(route, frame * MAX_HOPS, route, twin * MAX_HOPS, MAX_HOPS);
        return twin;
    }

    int outstanding() {
        return created - freeCount;
    }

    void close() {
        ArrayDeque<Long> kept = SLABS.get();
        for (int i = 0; i < slabCount; i++) {
            if (kept.size() < SLABS_KEPT) {
                kept.push(slabs[i]);
            } else {
                Mem.free(slabs[i]);
            }
        }
        slabCount = 0;
        slabUsed = SLAB_BYTES;
        created = 0;
        freeCount = 0;
    }

    private void grow(int n) {
        address = Arrays.copyOf(address, n);
        length = Arrays.copyOf(length, n);
        source = Arrays.copyOf(source, n);
        target = Arrays.copyOf(target, n);
        plane = Arrays.copyOf(plane, n);
        sourcePlane = Arrays.copyOf(sourcePlane, n);
        sourcePort = Arrays.copyOf(sourcePort, n);
        targetPort = Arrays.copyOf(targetPort, n);
        congested = Arrays.copyOf(congested, n);
        hop = Arrays.copyOf(hop, n);
        hops = Arrays.copyOf(hops, n);
        route = Arrays.copyOf(route, n * MAX_HOPS);
        free = Arrays.copyOf(free, n);
    }
}
