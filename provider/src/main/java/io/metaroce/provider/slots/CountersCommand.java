package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_cmd_counters}: COUNTERS.
 */
public final class CountersCommand {
    public static final int BUFFER = 0;
    public static final int LENGTH = 8;
    public static final int SIZE = 16;

    private CountersCommand() {}

    public static long buffer(long record) {
        return Mem.getLong(record + BUFFER);
    }

    public static void buffer(long record, long value) {
        Mem.putLong(record + BUFFER, value);
    }

    /** In: room; out: bytes used. */
    public static long length(long record) {
        return Mem.getLong(record + LENGTH);
    }

    public static void length(long record, long value) {
        Mem.putLong(record + LENGTH, value);
    }
}
