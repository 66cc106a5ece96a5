package io.metaroce.provider.port;

/**
 * Application memory, checked by key. Nothing outside this interface turns a key into an address, and no address it gives is kept beyond the current turn.
 *
 * <p>Access bits are {@code enum ibv_access_flags} of verbs.h: LOCAL_WRITE 1, REMOTE_WRITE 2, REMOTE_READ 4, REMOTE_ATOMIC 8.
 */
public interface Regions {
    /** Answers of {@link #local} and {@link #remote} that are not addresses. */
    long BAD_KEY = -1;

    long BAD_RANGE = -2;
    long BAD_ACCESS = -3;
    long BAD_PD = -4;

    /** The address of {@code [addr, addr + length)} in the MR with this lkey, or one of the negative answers. A length of 0 needs no valid key. */
    long local(int lkey, int pd, long addr, long length, int access);

    /** The local address that {@code [va, va + length)} of the MR (or MW) with this rkey maps to, or one of the negative answers. */
    long remote(int rkey, int pd, long va, long length, int access);

    /** Copies between application memory and engine memory. False: the application has unmapped it; the rest of the copy may be partial. */
    boolean copy(long destination, long source, long bytes);

    /** Stores at most 64 bytes so that the last one becomes visible last (release order). False as in {@link #copy}. */
    boolean storeRelease(long destination, long source, int bytes);

    /** Compare-and-swap on 8 aligned bytes, host order; the old value is left in {@link #old}. False: unmapped. */
    boolean compareSwap(long address, long compare, long swap);

    /** Fetch-and-add on 8 aligned bytes, host order; the old value is left in {@link #old}. False: unmapped. */
    boolean fetchAdd(long address, long add);

    /** The value before the last atomic. */
    long old();
}
