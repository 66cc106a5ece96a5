package io.metaroce.provider.engine.stream;

/**
 * Ends of messages that landed before something older: what is left to do when everything before them has landed. Each stream has its own list in SPSN order;
 * entries come from one pool.
 */
final class PendingEnds {
    private static final int NONE = -1;
    private static final int PREV = 0;
    private static final int NEXT = 1;
    private static final int SPSN = 2;
    private static final int MSN = 3;
    private static final int WHAT = 4;
    private static final int IMM = 5;
    private static final int RQ_INDEX = 6;
    private static final int MESSAGE_LENGTH = 7;
    private static final int EXTRA = 8;
    private static final int INTS = 9;

    private final int[] data;
    private int freeHead;
    private int freeCount;

    /** The list of one stream. */
    static final class List {
        private int head = NONE;
        private int tail = NONE;

        boolean isEmpty() {
            return head == NONE;
        }
    }

    PendingEnds(int count) {
        data = new int[count * INTS];
        for (int i = 0; i < count; i++) {
            data[i * INTS + NEXT] = i + 1 < count ? i + 1 : NONE;
        }
        freeCount = count;
    }

    int available() {
        return freeCount;
    }

    /**
     * Notes an end. The caller made sure that an entry is left.
     *
     * @param spsn of the message's last segment
     * @param extra held tail of a WRITE or ticket of a READ or atomic, or -1
     */
    void add(List list, int spsn, int msn, int opcode, int flags, int imm, int rqIndex, int messageLength, int extra) {
        int e = freeHead;
        int at = e * INTS;
        freeHead = data[at + NEXT];
        freeCount--;
        data[at + SPSN] = spsn;
        data[at + MSN] = msn;
        data[at + WHAT] = opcode << 8 | flags;
        data[at + IMM] = imm;
        data[at + RQ_INDEX] = rqIndex;
        data[at + MESSAGE_LENGTH] = messageLength;
        data[at + EXTRA] = extra;
        int before = list.tail;
        while (before != NONE && data[before * INTS + SPSN] - spsn > 0) {
            before = data[before * INTS + PREV];
        }
        int after = before == NONE ? list.head : data[before * INTS + NEXT];
        data[at + PREV] = before;
        data[at + NEXT] = after;
        if (before == NONE) {
            list.head = e;
        } else {
            data[before * INTS + NEXT] = e;
        }
        if (after == NONE) {
            list.tail = e;
        } else {
            data[after * INTS + PREV] = e;
        }
    }

    /** The oldest end; the list is not empty. */
    int first(List list) {
        return list.head;
    }

    /** Takes out the oldest end. Its fields stay readable until the next {@link #add}. */
    void removeFirst(List list) {
        int e = list.head;
        list.head = data[e * INTS + NEXT];
        if (list.head == NONE) {
            list.tail = NONE;
        } else {
            data[list.head * INTS + PREV] = NONE;
        }
        data[e * INTS + NEXT] = freeHead;
        freeHead = e;
        freeCount++;
    }

    int spsn(int end) {
        return data[end * INTS + SPSN];
    }

    int msn(int end) {
        return data[end * INTS + MSN];
    }

    int opcode(int end) {
        return data[end * INTS + WHAT] >>> 8;
    }

    int flags(int end) {
        return data[end * INTS + WHAT] & 0xff;
    }

    int imm(int end) {
        return data[end * INTS + IMM];
    }

    int rqIndex(int end) {
        return data[end * INTS + RQ_INDEX];
    }

    int messageLength(int end) {
        return data[end * INTS + MESSAGE_LENGTH];
    }

    int extra(int end) {
        return data[end * INTS + EXTRA];
    }
}
