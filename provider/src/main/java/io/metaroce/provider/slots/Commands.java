package io.metaroce.provider.slots;

/** {@code enum mroce_op} and the limits of {@code mroce_abi.h}. The records are {@link PdCommand}, {@link MrCommand} and so on. */
public final class Commands {
    public static final int ALLOC_PD = 1;
    public static final int DEALLOC_PD = 2;
    public static final int REG_MR = 3;
    public static final int DEREG_MR = 4;
    public static final int CREATE_CQ = 5;
    public static final int RESIZE_CQ = 6;
    public static final int DESTROY_CQ = 7;
    public static final int CREATE_QP = 8;
    public static final int MODIFY_QP = 9;
    public static final int QUERY_QP = 10;
    public static final int DESTROY_QP = 11;
    public static final int COUNTERS = 12;

    public static final int MAX_QP = 16382;
    public static final int MAX_QP_WR = 16384;
    public static final int MAX_SGE = 32;
    public static final int MAX_INLINE = 512;
    public static final int MAX_CQ = 16384;
    public static final int MAX_CQE = 1048576;

    /** Entries that a CQ has at least, whatever was asked for. */
    public static final int MIN_CQE = 64;

    public static final int MAX_MR = 1048576;
    public static final int MAX_PD = 32768;
    public static final int MAX_RD_ATOMIC = 128;
    /** Unsigned. */
    public static final int MAX_MSG_SIZE = 0x8000_0000;

    public static final int MAX_PLANES = 8;
    public static final int QPN_INDEX_BITS = 14;

    private Commands() {}
}
