package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_channel_slot}: a CQ whose {@code pending} rose from 0.
 */
public final class ChannelSlot {
    public static final int CQ_COOKIE = 0;
    public static final int SIZE = 16;

    private ChannelSlot() {}

    public static long cqCookie(long slot) {
        return Mem.getLong(slot + CQ_COOKIE);
    }

    public static void cqCookie(long slot, long value) {
        Mem.putLong(slot + CQ_COOKIE, value);
    }
}
