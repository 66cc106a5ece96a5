package io.metaroce.provider.device;

import static io.metaroce.provider.device.QpMask.ACCESS_FLAGS;
import static io.metaroce.provider.device.QpMask.AV;
import static io.metaroce.provider.device.QpMask.CUR_STATE;
import static io.metaroce.provider.device.QpMask.DEST_QPN;
import static io.metaroce.provider.device.QpMask.EN_SQD_ASYNC_NOTIFY;
import static io.metaroce.provider.device.QpMask.MAX_DEST_RD_ATOMIC;
import static io.metaroce.provider.device.QpMask.MAX_QP_RD_ATOMIC;
import static io.metaroce.provider.device.QpMask.MIN_RNR_TIMER;
import static io.metaroce.provider.device.QpMask.PATH_MIG_STATE;
import static io.metaroce.provider.device.QpMask.PATH_MTU;
import static io.metaroce.provider.device.QpMask.PKEY_INDEX;
import static io.metaroce.provider.device.QpMask.PORT;
import static io.metaroce.provider.device.QpMask.RETRY_CNT;
import static io.metaroce.provider.device.QpMask.RNR_RETRY;
import static io.metaroce.provider.device.QpMask.RQ_PSN;
import static io.metaroce.provider.device.QpMask.SQ_PSN;
import static io.metaroce.provider.device.QpMask.STATE;
import static io.metaroce.provider.device.QpMask.TIMEOUT;

import java.util.Arrays;

/**
 * The state table of an RC queue pair: which transition is legal, which attributes it needs and which it may have besides (IBTA volume 1, 10.3.1 and 11.2.5.2; man
 * ibv_modify_qp). Where the texts are silent it answers as Linux does with rxe: RESET to ERR is refused, and so is every attribute of an alternate path, which
 * MetaRoCE, having many paths of its own, does not need.
 */
public final class QpTransitions {
    public static final int RESET = 0;
    public static final int INIT = 1;
    public static final int RTR = 2;
    public static final int RTS = 3;
    public static final int SQD = 4;
    public static final int SQE = 5;
    public static final int ERR = 6;

    private static final int STATES = 7;
    private static final int ILLEGAL = -1;

    private static final int[] REQUIRED = new int[STATES * STATES];
    private static final int[] OPTIONAL = new int[STATES * STATES];

    static {
        Arrays.fill(REQUIRED, ILLEGAL);
        int init = PKEY_INDEX | PORT | ACCESS_FLAGS;
        int resume = CUR_STATE | ACCESS_FLAGS | MIN_RNR_TIMER | PATH_MIG_STATE;

        rule(RESET, INIT, init, 0);
        rule(INIT, INIT, 0, init);
        rule(
                INIT,
                RTR,
                AV | PATH_MTU | DEST_QPN | RQ_PSN | MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER,
                ACCESS_FLAGS | PKEY_INDEX);
        rule(RTR, RTS, TIMEOUT | RETRY_CNT | RNR_RETRY | SQ_PSN | MAX_QP_RD_ATOMIC, resume);
        rule(RTS, RTS, 0, resume);
        rule(RTS, SQD, 0, EN_SQD_ASYNC_NOTIFY);
        rule(SQD, RTS, 0, resume);
        rule(
                SQD,
                SQD,
                0,
                PORT
                        | AV
                        | TIMEOUT
                        | RETRY_CNT
                        | RNR_RETRY
                        | MAX_QP_RD_ATOMIC
                        | MAX_DEST_RD_ATOMIC
                        | ACCESS_FLAGS
                        | PKEY_INDEX
                        | MIN_RNR_TIMER
                        | PATH_MIG_STATE);
        for (int from = RESET; from <= ERR; from++) {
            rule(from, RESET, 0, 0);
            if (from != RESET) {
                rule(from, ERR, 0, 0);
            }
        }
    }

    private QpTransitions() {}

    private static void rule(int from, int to, int required, int optional) {
        REQUIRED[from * STATES + to] = required;
        OPTIONAL[from * STATES + to] = optional;
    }

    /** Whether the transition exists at all. */
    public static boolean legal(int from, int to) {
        return REQUIRED[from * STATES + to] != ILLEGAL;
    }

    /** Attributes without which a legal transition is refused, the state itself aside. */
    public static int required(int from, int to) {
        return REQUIRED[from * STATES + to];
    }

    /** Attributes that a legal transition may have besides. */
    public static int optional(int from, int to) {
        return OPTIONAL[from * STATES + to];
    }

    /** Judges a transition by its mask: 0, or EINVAL; EOPNOTSUPP for a rate limit. States are 0 to 6. */
    public static int check(int from, int to, int mask) {
        if ((mask & QpMask.RATE_LIMIT) != 0) {
            return Errno.EOPNOTSUPP;
        }
        if (!legal(from, to)) {
            return Errno.EINVAL;
        }
        int required = required(from, to);
        if ((mask & required) != required) {
            return Errno.EINVAL;
        }
        return (mask & ~(required | optional(from, to) | STATE)) == 0 ? 0 : Errno.EINVAL;
    }
}
