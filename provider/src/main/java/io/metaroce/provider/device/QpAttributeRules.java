package io.metaroce.provider.device;

import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.slots.Commands;
import io.metaroce.provider.slots.QpAttr;
import io.metaroce.wire.Mem;
import java.util.Arrays;

/** The values of {@code struct ibv_qp_attr}: what each may be, and how those in force are kept (one word a field, in the order of {@link QpAttr}). */
final class QpAttributeRules {
    private static final int AH_FIRST = QpAttr.AH_FLOW_LABEL;
    private static final int AH_END = QpAttr.SIZE;

    /** Offset of the field of each one-field mask bit, by number of the bit; -1: none or several. */
    private static final int[] FIELD = new int[32];

    static {
        Arrays.fill(FIELD, -1);
        field(QpMask.ACCESS_FLAGS, QpAttr.QP_ACCESS_FLAGS);
        field(QpMask.PKEY_INDEX, QpAttr.PKEY_INDEX);
        field(QpMask.PORT, QpAttr.PORT_NUM);
        field(QpMask.PATH_MTU, QpAttr.PATH_MTU);
        field(QpMask.TIMEOUT, QpAttr.TIMEOUT);
        field(QpMask.RETRY_CNT, QpAttr.RETRY_CNT);
        field(QpMask.RNR_RETRY, QpAttr.RNR_RETRY);
        field(QpMask.RQ_PSN, QpAttr.RQ_PSN);
        field(QpMask.MAX_QP_RD_ATOMIC, QpAttr.MAX_RD_ATOMIC);
        field(QpMask.MIN_RNR_TIMER, QpAttr.MIN_RNR_TIMER);
        field(QpMask.SQ_PSN, QpAttr.SQ_PSN);
        field(QpMask.MAX_DEST_RD_ATOMIC, QpAttr.MAX_DEST_RD_ATOMIC);
        field(QpMask.PATH_MIG_STATE, QpAttr.PATH_MIG_STATE);
        field(QpMask.DEST_QPN, QpAttr.DEST_QP_NUM);
        field(QpMask.EN_SQD_ASYNC_NOTIFY, QpAttr.EN_SQD_ASYNC_NOTIFY);
    }

    private QpAttributeRules() {}

    private static void field(int mask, int offset) {
        FIELD[Integer.numberOfTrailingZeros(mask)] = offset;
    }

    /**
     * Checks the values named by a mask that {@link QpTransitions} has let pass. Access flags are taken as they are, as Linux does: a bit that no access has, or that
     * this device cannot grant, opens nothing. Any {@code enum ibv_mtu} will do: the transport cuts messages by itself.
     *
     * @param gids entries of the GID table: even ones speak MetaRoCE, odd ones RoCEv2
     * @return 0; ENODATA for a GID index past the table's end; EOPNOTSUPP for a GID that speaks RoCEv2; EINVAL for the rest
     */
    static int check(int mask, long attr, int gids) {
        if ((named(mask, QpMask.PORT) && QpAttr.portNum(attr) != 1)
                || (named(mask, QpMask.PKEY_INDEX) && QpAttr.pkeyIndex(attr) != 0)
                || (named(mask, QpMask.PATH_MTU) && !within(QpAttr.pathMtu(attr), 1, 5))
                || (named(mask, QpMask.DEST_QPN) && !within(QpAttr.destQpNum(attr), 0, 0xff_ffff))
                || (named(mask, QpMask.MAX_QP_RD_ATOMIC)
                        && !within(QpAttr.maxRdAtomic(attr), 0, Commands.MAX_RD_ATOMIC))
                || (named(mask, QpMask.MAX_DEST_RD_ATOMIC)
                        && !within(QpAttr.maxDestRdAtomic(attr), 0, Commands.MAX_RD_ATOMIC))
                || (named(mask, QpMask.MIN_RNR_TIMER) && !within(QpAttr.minRnrTimer(attr), 0, 31))
                || (named(mask, QpMask.TIMEOUT) && !within(QpAttr.timeout(attr), 0, 31))
                || (named(mask, QpMask.RETRY_CNT) && !within(QpAttr.retryCnt(attr), 0, 7))
                || (named(mask, QpMask.RNR_RETRY) && !within(QpAttr.rnrRetry(attr), 0, 7))
                || (named(mask, QpMask.PATH_MIG_STATE) && !within(QpAttr.pathMigState(attr), 0, 2))) {
            return Errno.EINVAL;
        }
        return named(mask, QpMask.AV) ? addressVector(attr, gids) : 0;
    }

    private static int addressVector(long attr, int gids) {
        if (QpAttr.ahPortNum(attr) != 1 || QpAttr.ahIsGlobal(attr) == 0) {
            return Errno.EINVAL;
        }
        int index = QpAttr.ahSgidIndex(attr);
        if (index < 0) {
            return Errno.EINVAL;
        }
        if (index >= gids) {
            return Errno.ENODATA;
        }
        long hi = QpAttr.ahDgidHi(attr);
        long lo = QpAttr.ahDgidLo(attr);
        if ((hi == 0 && lo == 0) || hi >>> 56 == 0xff) { // none, or a group, which a connection cannot have
            return Errno.EINVAL;
        }
        return (index & 1) != 0 ? Errno.EOPNOTSUPP : 0;
    }

    /** Takes the values named by the mask over into the words in force. */
    static void take(int mask, long attr, int[] words) {
        for (int left = mask; left != 0; left &= left - 1) {
            int field = FIELD[Integer.numberOfTrailingZeros(left)];
            if (field >= 0) {
                words[field / 4] = Mem.getInt(attr + field);
            }
        }
        if (named(mask, QpMask.AV)) {
            for (int field = AH_FIRST; field < AH_END; field += 4) {
                words[field / 4] = Mem.getInt(attr + field);
            }
        }
        words[QpAttr.RQ_PSN / 4] &= 0xff_ffff;
        words[QpAttr.SQ_PSN / 4] &= 0xff_ffff;
    }

    /** Writes the words in force to a record. */
    static void give(int[] words, long attr) {
        for (int i = 0; i < words.length; i++) {
            Mem.putInt(attr + 4L * i, words[i]);
        }
    }

    /** A queue pair that returns to RESET forgets everything but its capacities. */
    static void reset(int[] words) {
        for (int i = 0; i < words.length; i++) {
            if (i < QpAttr.CAP_SEND_WR / 4 || i > QpAttr.CAP_INLINE / 4) {
                words[i] = 0;
            }
        }
    }

    /** What the engine needs of the words in force. */
    static void toEngine(int[] words, long attr, QpAttributes out) {
        give(words, attr);
        out.remoteHi = QpAttr.ahDgidHi(attr);
        out.remoteLo = QpAttr.ahDgidLo(attr);
        out.sgidIndex = QpAttr.ahSgidIndex(attr);
        out.destQpn = QpAttr.destQpNum(attr);
        out.pathMtu = QpAttr.pathMtu(attr);
        out.rqPsn = QpAttr.rqPsn(attr);
        out.sqPsn = QpAttr.sqPsn(attr);
        out.accessFlags = QpAttr.qpAccessFlags(attr) & Access.SUPPORTED;
        out.maxRdAtomic = QpAttr.maxRdAtomic(attr);
        out.maxDestRdAtomic = QpAttr.maxDestRdAtomic(attr);
        out.minRnrTimer = QpAttr.minRnrTimer(attr);
        out.timeout = QpAttr.timeout(attr);
        out.retryCnt = QpAttr.retryCnt(attr);
        out.rnrRetry = QpAttr.rnrRetry(attr);
        out.enSqdAsyncNotify = QpAttr.enSqdAsyncNotify(attr) != 0;
    }

    private static boolean named(int mask, int bit) {
        return (mask & bit) != 0;
    }

    private static boolean within(int value, int least, int most) {
        return value >= least && value <= most;
    }
}
