package io.metaroce.verbs;

import java.nio.ByteBuffer;

/** A protection domain: queue pairs reach only the memory regions of their own. Safe for use by many threads. */
public interface ProtectionDomain extends AutoCloseable {
    DeviceContext context();

    /**
     * New zeroed memory, registered (ibv_reg_mr); it lives as long as its region.
     *
     * @param bytes at least 1
     * @param access see {@link AccessFlags}
     * @throws VerbsException EINVAL for a size or flags that are not allowed, ENOMEM when there are as many regions as can be
     */
    MemoryRegion allocate(int bytes, int access);

    /**
     * Registers the bytes of a direct buffer between its position and its limit (ibv_reg_mr). A {@code MemorySegment} can be given as its {@code asByteBuffer()}. The region
     * keeps the buffer reachable; memory of an arena that is closed by hand must stay open until the region is closed.
     *
     * @throws VerbsException EINVAL for an empty, read-only (with {@link AccessFlags#LOCAL_WRITE}) or heap buffer, or flags that are not allowed; ENOMEM
     */
    MemoryRegion register(ByteBuffer buffer, int access);

    /**
     * Registers memory by address, for sizes that no buffer has and memory that came from elsewhere. The address is not checked: as in C, it must be mapped as long as
     * the region is open.
     *
     * @param iova the address by which work requests and the peer name the first byte; usually {@code address}
     * @param owner kept reachable while the region is open
     * @throws VerbsException EINVAL for a range or flags that are not allowed; ENOMEM
     */
    MemoryRegion register(long address, long bytes, long iova, int access, Object owner);

    /**
     * A reliably connected queue pair in state RESET (ibv_create_qp).
     *
     * @param sendQueue where completions of its send queue go
     * @param receiveQueue where completions of its receive queue go; may be the same
     * @throws VerbsException EINVAL for capacities that the device has not, ENOMEM when there are as many queue pairs as can be
     */
    QueuePair createQueuePair(CompletionQueue sendQueue, CompletionQueue receiveQueue, QpCapacity capacity);

    /**
     * Closes it (ibv_dealloc_pd).
     *
     * @throws VerbsException EBUSY while regions or queue pairs of it are open
     */
    @Override
    void close();
}
