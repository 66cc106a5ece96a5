package io.metaroce.provider.device;

import io.metaroce.provider.slots.Commands;
import io.metaroce.provider.slots.QpAttr;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Queue pairs by index, 2 to 16383 (0 and 1 are reserved). The QPN is {@code slot << 14 | index}. */
public final class QpTable {
    /** The first index that is given out. */
    public static final int FIRST = 2;

    private static final int END = 1 << Commands.QPN_INDEX_BITS;

    private final int qpnBase;
    private @Nullable Qp[] qps = new @Nullable Qp[64];
    private long[] cqeCookies = new long[64];

    // Indexes given back, first in, first out: a QPN lives again as late as possible.
    private final char[] freed = new char[END];
    private int freedHead;
    private int freedTail;
    private int next = FIRST;
    private int count;

    /** @param localSlot the claimed UDP slot, 0 to 1023 */
    public QpTable(int localSlot) {
        qpnBase = localSlot << Commands.QPN_INDEX_BITS;
    }

    /** One queue pair, as the control plane knows it. Its state is the engine's. */
    static final class Qp {
        int index;
        int type;
        int pd;
        int sendCq;
        int recvCq;
        long cookie;
        boolean sigAll;
        /** The attributes in force, in the order of {@link QpAttr}, one word each. */
        final int[] attr = new int[QpAttr.SIZE / 4];

        private boolean wantsDrainedNotice;

        void wantDrainedNotice(boolean wanted) {
            wantsDrainedNotice = wanted;
        }

        boolean takeDrainedNotice() {
            boolean wanted = wantsDrainedNotice;
            wantsDrainedNotice = false;
            return wanted;
        }
    }

    @Nullable
    Qp get(int index) {
        return index >= FIRST && index < qps.length ? qps[index] : null;
    }

    /** Puts a queue pair in; its index, or -1 when there are as many as can be. */
    int add(Qp qp, long cqeCookie) {
        int index;
        if (next < END) {
            index = next++;
        } else if (freedHead != freedTail) {
            index = freed[freedHead];
            freedHead = (freedHead + 1) & (END - 1);
        } else {
            return -1;
        }
        if (index >= qps.length) {
            qps = Arrays.copyOf(qps, qps.length * 2);
            cqeCookies = Arrays.copyOf(cqeCookies, cqeCookies.length * 2);
        }
        qp.index = index;
        qps[index] = qp;
        cqeCookies[index] = cqeCookie;
        count++;
        return index;
    }

    void remove(int index) {
        qps[index] = null;
        freed[freedTail] = (char) index;
        freedTail = (freedTail + 1) & (END - 1);
        count--;
    }

    /** No index is as high as this. */
    int end() {
        return qps.length;
    }

    int count() {
        return count;
    }

    /** The number by which the remote side names a queue pair. */
    public int qpn(int index) {
        return qpnBase | index;
    }

    long cqeCookie(int index) {
        return cqeCookies[index];
    }
}
