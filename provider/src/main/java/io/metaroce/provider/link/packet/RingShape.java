package io.metaroce.provider.link.packet;

/**
 * How a ring of packet(7) is cut: blocks of pages that hold whole slots.
 *
 * @param slotBytes a multiple of 128
 * @param blockBytes a power of two, at least a page
 */
record RingShape(int slotBytes, int blockBytes, int blocks) {
    private static final int LEAST_BLOCK_BYTES = 1 << 16;

    static RingShape of(int slotBytes, int ringBytes) {
        int slot = slotBytes + 127 & ~127;
        int block = Math.max(LEAST_BLOCK_BYTES, Integer.highestOneBit(slot - 1) << 1);
        return new RingShape(slot, block, Math.max(1, ringBytes / block));
    }

    /** Half as many blocks. */
    RingShape half() {
        return new RingShape(slotBytes, blockBytes, Math.max(1, blocks / 2));
    }

    int slots() {
        return blockBytes / slotBytes * blocks;
    }

    long bytes() {
        return (long) blockBytes * blocks;
    }

    /** Offset of each slot in the mapping. */
    long[] offsets() {
        int perBlock = blockBytes / slotBytes;
        long[] offsets = new long[slots()];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = (long) (i / perBlock) * blockBytes + (long) (i % perBlock) * slotBytes;
        }
        return offsets;
    }
}
