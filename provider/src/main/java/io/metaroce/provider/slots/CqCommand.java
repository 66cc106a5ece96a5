package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_cmd_cq}: CREATE_CQ, RESIZE_CQ, DESTROY_CQ.
 */
public final class CqCommand {
    public static final int CQ = 0;
    public static final int CHANNEL_FD = 4;
    public static final int RING = 8;
    public static final int CHANNEL_RING = 16;
    public static final int COOKIE = 24;
    public static final int SIZE = 32;

    private CqCommand() {}

    /** Out of CREATE_CQ. */
    public static int cq(long record) {
        return Mem.getInt(record + CQ);
    }

    public static void cq(long record, int value) {
        Mem.putInt(record + CQ, value);
    }

    /** -1: no channel. */
    public static int channelFd(long record) {
        return Mem.getInt(record + CHANNEL_FD);
    }

    public static void channelFd(long record, int value) {
        Mem.putInt(record + CHANNEL_FD, value);
    }

    /** RESIZE_CQ: the new ring; unread CQEs are moved into it. */
    public static long ring(long record) {
        return Mem.getLong(record + RING);
    }

    public static void ring(long record, long value) {
        Mem.putLong(record + RING, value);
    }

    public static long channelRing(long record) {
        return Mem.getLong(record + CHANNEL_RING);
    }

    public static void channelRing(long record, long value) {
        Mem.putLong(record + CHANNEL_RING, value);
    }

    public static long cookie(long record) {
        return Mem.getLong(record + COOKIE);
    }

    public static void cookie(long record, long value) {
        Mem.putLong(record + COOKIE, value);
    }
}
