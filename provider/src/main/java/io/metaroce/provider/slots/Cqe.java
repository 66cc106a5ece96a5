package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_cqe}: one completion; the first 48 bytes are {@code struct ibv_wc}.
 */
public final class Cqe {
    public static final int WR_ID = 0;
    public static final int STATUS = 8;
    public static final int OPCODE = 12;
    public static final int VENDOR_ERR = 16;
    public static final int BYTE_LEN = 20;
    public static final int IMM = 24;
    public static final int QP_NUM = 28;
    public static final int SRC_QP = 32;
    public static final int WC_FLAGS = 36;
    public static final int PKEY_INDEX = 40;
    public static final int SLID = 42;
    public static final int SL = 44;
    public static final int DLID_PATH_BITS = 45;
    public static final int TIMESTAMP_NS = 48;
    public static final int QP_COOKIE = 56;
    public static final int SIZE = 64;

    private Cqe() {}

    public static long wrId(long cqe) {
        return Mem.getLong(cqe + WR_ID);
    }

    public static void wrId(long cqe, long value) {
        Mem.putLong(cqe + WR_ID, value);
    }

    /** {@code enum ibv_wc_status}. */
    public static int status(long cqe) {
        return Mem.getInt(cqe + STATUS);
    }

    public static void status(long cqe, int value) {
        Mem.putInt(cqe + STATUS, value);
    }

    /** {@code enum ibv_wc_opcode}. */
    public static int opcode(long cqe) {
        return Mem.getInt(cqe + OPCODE);
    }

    public static void opcode(long cqe, int value) {
        Mem.putInt(cqe + OPCODE, value);
    }

    public static int vendorErr(long cqe) {
        return Mem.getInt(cqe + VENDOR_ERR);
    }

    public static void vendorErr(long cqe, int value) {
        Mem.putInt(cqe + VENDOR_ERR, value);
    }

    public static int byteLen(long cqe) {
        return Mem.getInt(cqe + BYTE_LEN);
    }

    public static void byteLen(long cqe, int value) {
        Mem.putInt(cqe + BYTE_LEN, value);
    }

    /** Network order, or the invalidated rkey. */
    public static int imm(long cqe) {
        return Mem.getInt(cqe + IMM);
    }

    public static void imm(long cqe, int value) {
        Mem.putInt(cqe + IMM, value);
    }

    public static int qpNum(long cqe) {
        return Mem.getInt(cqe + QP_NUM);
    }

    public static void qpNum(long cqe, int value) {
        Mem.putInt(cqe + QP_NUM, value);
    }

    public static int srcQp(long cqe) {
        return Mem.getInt(cqe + SRC_QP);
    }

    public static void srcQp(long cqe, int value) {
        Mem.putInt(cqe + SRC_QP, value);
    }

    /** {@code enum ibv_wc_flags}: GRH 1, WITH_IMM 2, WITH_INV 8. */
    public static int wcFlags(long cqe) {
        return Mem.getInt(cqe + WC_FLAGS);
    }

    public static void wcFlags(long cqe, int value) {
        Mem.putInt(cqe + WC_FLAGS, value);
    }

    public static int pkeyIndex(long cqe) {
        return Mem.getUnsignedShort(cqe + PKEY_INDEX);
    }

    public static void pkeyIndex(long cqe, int value) {
        Mem.putShort(cqe + PKEY_INDEX, value);
    }

    public static int slid(long cqe) {
        return Mem.getUnsignedShort(cqe + SLID);
    }

    public static void slid(long cqe, int value) {
        Mem.putShort(cqe + SLID, value);
    }

    public static int sl(long cqe) {
        return Mem.getUnsignedByte(cqe + SL);
    }

    public static void sl(long cqe, int value) {
        Mem.putByte(cqe + SL, value);
    }

    public static int dlidPathBits(long cqe) {
        return Mem.getUnsignedByte(cqe + DLID_PATH_BITS);
    }

    public static void dlidPathBits(long cqe, int value) {
        Mem.putByte(cqe + DLID_PATH_BITS, value);
    }

    public static long timestampNs(long cqe) {
        return Mem.getLong(cqe + TIMESTAMP_NS);
    }

    public static void timestampNs(long cqe, long value) {
        Mem.putLong(cqe + TIMESTAMP_NS, value);
    }

    public static long qpCookie(long cqe) {
        return Mem.getLong(cqe + QP_COOKIE);
    }

    public static void qpCookie(long cqe, long value) {
        Mem.putLong(cqe + QP_COOKIE, value);
    }
}
