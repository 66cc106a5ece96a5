package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_boot}: C fills the first part, Java the second.
 */
public final class Boot {
    public static final int ABI_VERSION = 0;
    public static final int NUM_PLANES = 4;
    public static final int ABI_TABLE = 8;
    public static final int CONTROL = 16;
    public static final int ASYNC_RING = 24;
    public static final int ASYNC_FD = 32;
    public static final int NUM_GIDS = 36;
    public static final int FN_COPY = 40;
    public static final int FN_CAS = 48;
    public static final int FN_FETCH_ADD = 56;
    public static final int FN_STORE = 64;
    public static final int PLANES = 72;
    public static final int FN_DRIVE = 520;
    public static final int FN_COMMAND = 528;
    public static final int SLOT = 536;
    public static final int ERROR = 544;
    public static final int SIZE = 800;

    private Boot() {}

    public static int abiVersion(long boot) {
        return Mem.getInt(boot + ABI_VERSION);
    }

    public static void abiVersion(long boot, int value) {
        Mem.putInt(boot + ABI_VERSION, value);
    }

    public static int numPlanes(long boot) {
        return Mem.getInt(boot + NUM_PLANES);
    }

    public static void numPlanes(long boot, int value) {
        Mem.putInt(boot + NUM_PLANES, value);
    }

    public static long abiTable(long boot) {
        return Mem.getLong(boot + ABI_TABLE);
    }

    public static void abiTable(long boot, long value) {
        Mem.putLong(boot + ABI_TABLE, value);
    }

    public static long control(long boot) {
        return Mem.getLong(boot + CONTROL);
    }

    public static void control(long boot, long value) {
        Mem.putLong(boot + CONTROL, value);
    }

    public static long asyncRing(long boot) {
        return Mem.getLong(boot + ASYNC_RING);
    }

    public static void asyncRing(long boot, long value) {
        Mem.putLong(boot + ASYNC_RING, value);
    }

    public static int asyncFd(long boot) {
        return Mem.getInt(boot + ASYNC_FD);
    }

    public static void asyncFd(long boot, int value) {
        Mem.putInt(boot + ASYNC_FD, value);
    }

    /** Entries of the GID table that the library answers with: pairs of one address, even index MetaRoCE, odd index RoCEv2. */
    public static int numGids(long boot) {
        return Mem.getInt(boot + NUM_GIDS);
    }

    public static void numGids(long boot, int value) {
        Mem.putInt(boot + NUM_GIDS, value);
    }

    public static long fnCopy(long boot) {
        return Mem.getLong(boot + FN_COPY);
    }

    public static void fnCopy(long boot, long value) {
        Mem.putLong(boot + FN_COPY, value);
    }

    public static long fnCas(long boot) {
        return Mem.getLong(boot + FN_CAS);
    }

    public static void fnCas(long boot, long value) {
        Mem.putLong(boot + FN_CAS, value);
    }

    public static long fnFetchAdd(long boot) {
        return Mem.getLong(boot + FN_FETCH_ADD);
    }

    public static void fnFetchAdd(long boot, long value) {
        Mem.putLong(boot + FN_FETCH_ADD, value);
    }

    public static long fnStore(long boot) {
        return Mem.getLong(boot + FN_STORE);
    }

    public static void fnStore(long boot, long value) {
        Mem.putLong(boot + FN_STORE, value);
    }

    public static long fnDrive(long boot) {
        return Mem.getLong(boot + FN_DRIVE);
    }

    public static void fnDrive(long boot, long value) {
        Mem.putLong(boot + FN_DRIVE, value);
    }

    public static long fnCommand(long boot) {
        return Mem.getLong(boot + FN_COMMAND);
    }

    public static void fnCommand(long boot, long value) {
        Mem.putLong(boot + FN_COMMAND, value);
    }

    /** The claimed UDP slot. */
    public static int slot(long boot) {
        return Mem.getInt(boot + SLOT);
    }

    public static void slot(long boot, int value) {
        Mem.putInt(boot + SLOT, value);
    }

    /** Address of plane {@code i}. */
    public static long plane(long boot, int i) {
        return boot + PLANES + (long) i * Plane.SIZE;
    }

    /** Writes why start() failed, cut to the room there is. */
    public static void error(long boot, String sentence) {
        CString.put(boot + ERROR, sentence, 256);
    }

    public static String error(long boot) {
        return CString.get(boot + ERROR, 256);
    }
}
