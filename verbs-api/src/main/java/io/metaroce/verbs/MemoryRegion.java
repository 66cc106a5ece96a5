package io.metaroce.verbs;

import java.nio.ByteBuffer;

/** Registered memory. Its keys open it until it is closed; after that every access by them fails. */
public interface MemoryRegion extends AutoCloseable {
    ProtectionDomain protectionDomain();

    /** The address that names its first byte in work requests, here and at the peer. */
    long address();

    /** Bytes. */
    long length();

    /** The key for local use, in scatter/gather entries. */
    int lkey();

    /** The key for the peer. */
    int rkey();

    /**
     * A new view of its bytes in the machine's byte order, position 0.
     *
     * @throws UnsupportedOperationException if it was registered by address
     */
    ByteBuffer buffer();

    /** Deregisters it (ibv_dereg_mr). Work under way that still needs it fails with LOC_PROT_ERR here or REM_ACCESS_ERR at the peer. */
    @Override
    void close();
}
