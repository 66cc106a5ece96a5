package io.metaroce.provider.port;

/**
 * The only ways in which the bytes of an application are touched. Addresses were checked before (key, range, access); what is left to go wrong is that the program
 * has unmapped them: every method then answers false, and no method ever ends the process. Called under the turn.
 */
public interface ApplicationMemory {
    /** Copies; the ranges do not overlap. False: unmapped, and the copy may be partial. */
    boolean copy(long destination, long source, long bytes);

    /** Stores at most 64 bytes so that the last ones become visible last (release order). */
    boolean storeRelease(long destination, long source, int bytes);

    /** Compare-and-swap on 8 aligned bytes; the old value is left in {@link #old}. */
    boolean compareSwap(long address, long compare, long swap);

    /** Fetch-and-add on 8 aligned bytes; the old value is left in {@link #old}. */
    boolean fetchAdd(long address, long add);

    /** The value before the last atomic. */
    long old();

    /**
     * Whether the pages of a range can be read, and written if {@code write}: what the pinning of pages by a kernel finds out. A look at every page of a large range
     * would take long, so that a sample of them answers for it.
     */
    boolean accessible(long address, long bytes, boolean write);
}
