package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_async_slot}: one asynchronous event.
 */
public final class AsyncSlot {
    public static final int COOKIE = 0;
    public static final int EVENT_TYPE = 8;
    public static final int PORT = 12;
    public static final int SIZE = 16;

    private AsyncSlot() {}

    public static long cookie(long slot) {
        return Mem.getLong(slot + COOKIE);
    }

    public static void cookie(long slot, long value) {
        Mem.putLong(slot + COOKIE, value);
    }

    /** {@code enum ibv_event_type}. */
    public static int eventType(long slot) {
        return Mem.getInt(slot + EVENT_TYPE);
    }

    public static void eventType(long slot, int value) {
        Mem.putInt(slot + EVENT_TYPE, value);
    }

    public static int port(long slot) {
        return Mem.getInt(slot + PORT);
    }

    public static void port(long slot, int value) {
        Mem.putInt(slot + PORT, value);
    }
}
