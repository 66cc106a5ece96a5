package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;

/**
 * {@code struct mroce_cmd_qp}: MODIFY_QP, QUERY_QP, DESTROY_QP.
 */
public final class QpCommand {
    public static final int QP = 0;
    public static final int ATTR_MASK = 4;
    public static final int ATTR = 8;
    public static final int SIZE = 176;

    private QpCommand() {}

    public static int qp(long record) {
        return Mem.getInt(record + QP);
    }

    public static void qp(long record, int value) {
        Mem.putInt(record + QP, value);
    }

    /** {@code enum ibv_qp_attr_mask}. */
    public static int attrMask(long record) {
        return Mem.getInt(record + ATTR_MASK);
    }

    public static void attrMask(long record, int value) {
        Mem.putInt(record + ATTR_MASK, value);
    }

    /** Address of the {@link QpAttr} in the record. */
    public static long attr(long record) {
        return record + ATTR;
    }
}
