package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_cmd_pd}: ALLOC_PD, DEALLOC_PD.
 */
public final class PdCommand {
    public static final int PD = 0;
    public static final int SIZE = 8;

    private PdCommand() {}

    public static int pd(long record) {
        return Mem.getInt(record + PD);
    }

    public static void pd(long record, int value) {
        Mem.putInt(record + PD, value);
    }
}
