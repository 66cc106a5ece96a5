package io.metaroce.provider.engine.path;

import io.metaroce.provider.engine.Record;
import io.metaroce.wire.AckHeader;
import io.metaroce.wire.FrameType;
import java.util.Arrays;

/**
 * The sending half of one path and epoch: gives PSNs and transmit orders, keeps one record per packet that is not acknowledged, and decides what is lost. At
 * most {@link #WINDOW} PSNs are open at a time. Records live in arrays that grow up to the window; nothing else is allocated.
 *
 * <p>A record is in flight, or lost and waiting to be sent again (same PSN, new transmit order), or cleared. Records in flight are chained in transmit order, so that
 * looking for losses costs no more than finding them.
 */
public final class PathSender {
    /** PSNs between the first not acknowledged and the next to be sent. */
    public static final int WINDOW = SackWindow.SIZE;

    private static final int NONE = -1;
    private static final int LONGS = 4;
    private static final int FIRST_CAPACITY = 16;

    // Word 3 of a record: stream 14, space 1, control 1, void 1, silent 1, segments - 1 8, state 2, resent 1, bytes 16.
    private static final int SPACE_SHIFT = 14;
    private static final long CONTROL = 1L << 15;
    private static final long VOID = 1L << 16;
    private static final long SILENT = 1L << 17;
    private static final int SEGMENTS_SHIFT = 18;
    private static final long FLYING = 1L << 26;
    private static final long LOST = 1L << 27;
    private static final long RESENT = 1L << 28;
    private static final int BYTES_SHIFT = 32;

    private final LossDetector loss = new LossDetector();

    private int capacity = FIRST_CAPACITY;
    private long[] records = new long[FIRST_CAPACITY * LONGS]; // sent at; tx order, spsn; ref, life; word 3
    private short[] older = new short[FIRST_CAPACITY];
    private short[] newer = new short[FIRST_CAPACITY];
    private int oldest = NONE;
    private int newest = NONE;
    private int lostFirst = NONE;
    private int lostLast = NONE;

    private int cum;
    private int next;
    private int txOrder;
    private int highest;
    private int probeTxOrder;
    private long probeSentNs;
    private int flying;
    private int lost;
    private int flyingBytes;

    private int ackedBytes;
    private int newlyLost;
    private int lossEvents;
    private boolean heardNews;

    /** The first PSN that is not acknowledged. */
    public int cum() {
        return cum;
    }

    /** The PSN of the next new packet. */
    public int nextPsn() {
        return next;
    }

    /** PSNs open: never more than {@link #WINDOW}. */
    public int open() {
        return next - cum;
    }

    public boolean hasRoom() {
        return next - cum < WINDOW;
    }

    /** Packets in flight. */
    public int inFlight() {
        return flying;
    }

    /** Bytes of UDP payload in flight. */
    public int inFlightBytes() {
        return flyingBytes;
    }

    /** Packets declared lost and not sent again yet. */
    public int lost() {
        return lost;
    }

    /** Whether anything waits for an acknowledgement or a resend. */
    public boolean outstanding() {
        return cum != next;
    }

    /** Transmit order of the last frame sent; 0 before the first. */
    public int txOrder() {
        return txOrder;
    }

    /** Highest transmit order that the peer has acknowledged. */
    public int highest() {
        return highest;
    }

    public int tolerance() {
        return loss.tolerance();
    }

    /** When the oldest packet in flight was sent; Long.MIN_VALUE when none is in flight. */
    public long oldestSentNs() {
        return oldest == NONE ? Long.MIN_VALUE : records[oldest * LONGS];
    }

    /** The transmit order of a frame with no PSN of its own (PROBE). */
    public int sendProbe(long nowNs) {
        probeTxOrder = ++txOrder;
        probeSentNs = nowNs;
        return txOrder;
    }

    /** Opens a record for a new packet and puts it in flight; its PSN was {@link #nextPsn}, its transmit order is {@link #txOrder}. */
    public void send(Record record, int bytes, long nowNs) {
        int psn = next++;
        if (psn - cum >= capacity) {
            grow(psn);
        }
        int at = psn & capacity - 1;
        int i = at * LONGS;
        records[i + 1] = pack(++txOrder, record.spsn);
        records[i] = nowNs;
        records[i + 2] = pack(record.ref, record.life);
        records[i + 3] = (record.stream & 0x3fff)
                | (long) (record.space & 1) << SPACE_SHIFT
                | (record.type == FrameType.STREAM_CTL ? CONTROL : 0)
                | (long) (record.segments - 1 & 0xff) << SEGMENTS_SHIFT
                | FLYING
                | (long) (bytes & 0xffff) << BYTES_SHIFT;
        appendFlying(at);
        flying++;
        flyingBytes += bytes & 0xffff;
    }

    /** The first lost packet; only while {@link #lost} is not 0. */
    public int firstLost() {
        return psnAt(lostFirst);
    }

    /** The first lost packet goes out again, with the transmit order {@link #txOrder} after this call. */
    public void resend(int bytes, boolean asVoid, long nowNs) {
        int at = lostFirst;
        unlinkLost(at);
        lost--;
        int i = at * LONGS;
        long word = records[i + 3] & ~(LOST | 0xffffL << BYTES_SHIFT);
        records[i + 3] = word | FLYING | (asVoid ? VOID : RESENT) | (long) (bytes & 0xffff) << BYTES_SHIFT;
        records[i + 1] = pack(++txOrder, (int) records[i + 1]);
        records[i] = nowNs;
        appendFlying(at);
        flying++;
        flyingBytes += bytes & 0xffff;
    }

    /** Whether a PSN in [cum, next) still waits for its acknowledgement. */
    public boolean isOpen(int psn) {
        return (records[(psn & capacity - 1) * LONGS + 3] & (FLYING | LOST)) != 0;
    }

    /** Whether the packet's data is gone or went elsewhere: a resend of it is a VOID. */
    public boolean isVoid(int psn) {
        return (records[(psn & capacity - 1) * LONGS + 3] & (VOID | SILENT)) != 0;
    }

    /** Whether the stream layer hears of this packet's clearing (false: the copy on another path tells). */
    public boolean tells(int psn) {
        return (records[(psn & capacity - 1) * LONGS + 3] & SILENT) == 0;
    }

    /** The packet's data went to another path, which answers for it from now on: here it is a hole to be filled. */
    public void copied(int psn) {
        records[(psn & capacity - 1) * LONGS + 3] |= SILENT;
    }

    /** Size that the packet had when it was sent last. */
    public int bytes(int psn) {
        return (int) (records[(psn & capacity - 1) * LONGS + 3] >>> BYTES_SHIFT) & 0xffff;
    }

    /** Fills in what the packet carries. Also good right after {@link #onAck} for the PSNs it has cleared. */
    public void load(int psn, Record out) {
        int i = (psn & capacity - 1) * LONGS;
        long word = records[i + 3];
        out.type = (word & CONTROL) != 0 ? FrameType.STREAM_CTL : FrameType.DATA;
        out.stream = (int) word & 0x3fff;
        out.space = (int) (word >>> SPACE_SHIFT) & 1;
        out.segments = ((int) (word >>> SEGMENTS_SHIFT) & 0xff) + 1;
        out.spsn = (int) records[i + 1];
        out.life = (int) records[i + 2];
        out.ref = (int) (records[i + 2] >>> 32);
    }

    /**
     * An ACK of this path and epoch.
     *
     * @param ack address of the ACK header
     * @param cleared receives the PSNs acknowledged for the first time, at least {@link #WINDOW} long
     * @return their number, or -1 when the ACK names something that was never sent (it has no effect)
     */
    public int onAck(long ack, int[] cleared, RttEstimator rtt, long nowNs) {
        int ackCum = AckHeader.cumPsn(ack);
        int echo = AckHeader.echoTxOrder(ack);
        ackedBytes = 0;
        newlyLost = 0;
        lossEvents = 0;
        heardNews = false;
        if (ackCum - next > 0 || echo - txOrder > 0) {
            return -1;
        }
        heardNews = echo - highest > 0;
        int n = 0;
        long sampleNs = heardNews && echo == probeTxOrder ? probeSentNs : Long.MIN_VALUE;
        for (int psn = cum; psn - ackCum < 0; psn++) {
            if (isOpen(psn)) {
                sampleNs = clear(psn, echo, sampleNs);
                cleared[n++] = psn;
            }
        }
        int words = AckHeader.sackWords(ack);
        for (int w = 0; w < words; w++) {
            long word = AckHeader.sackWord(ack, w);
            int base = ackCum + 1 + (w << 6);
            while (word != 0) {
                int psn = base + Long.numberOfTrailingZeros(word);
                word &= word - 1;
                if (psn - next < 0 && psn - cum >= 0 && isOpen(psn)) {
                    sampleNs = clear(psn, echo, sampleNs);
                    cleared[n++] = psn;
                }
            }
        }
        if (n > 0) {
            while (cum != next && !isOpen(cum)) {
                cum++;
            }
        }
        if (sampleNs != Long.MIN_VALUE) {
            rtt.sample(nowNs - sampleNs, AckHeader.delayNs(AckHeader.ackDelay(ack)));
        }
        loss.onDupCount(AckHeader.dupCount(ack), rtt.srttNs(), nowNs);
        if (heardNews) {
            highest = echo;
        }
        findLost(rtt.srttNs(), nowNs);
        return n;
    }

    private long clear(int psn, int echo, long sampleNs) {
        int at = psn & capacity - 1;
        int i = at * LONGS;
        long word = records[i + 3];
        int bytes = (int) (word >>> BYTES_SHIFT) & 0xffff;
        if ((word & FLYING) != 0) {
            unlinkFlying(at);
            flying--;
            flyingBytes -= bytes;
        } else {
            unlinkLost(at);
            lost--;
        }
        ackedBytes += bytes;
        records[i + 3] = word & ~(FLYING | LOST);
        int order = (int) (records[i + 1] >>> 32);
        if ((word & (RESENT | VOID | FLYING)) == (RESENT | FLYING) && order - echo > 0) {
            loss.onNeedlessResend();
        }
        return order == echo ? records[i] : sampleNs;
    }

    private void findLost(long srttNs, long nowNs) {
        int lostBefore = 0;
        while (oldest != NONE) {
            int at = oldest;
            int i = at * LONGS;
            int order = (int) (records[i + 1] >>> 32);
            if (!loss.lost(order, highest, nowNs - records[i], srttNs)) {
                return; // the others were sent later
            }
            if (newlyLost == 0 || order != lostBefore + 1) {
                lossEvents++;
            }
            lostBefore = order;
            unlinkFlying(at);
            flying--;
            flyingBytes -= (int) (records[i + 3] >>> BYTES_SHIFT) & 0xffff;
            records[i + 3] ^= FLYING | LOST;
            appendLost(at);
            lost++;
            newlyLost++;
        }
    }

    /** Bytes acknowledged for the first time by the last {@link #onAck}. */
    public int ackedBytes() {
        return ackedBytes;
    }

    /** Packets declared lost by the last {@link #onAck}. */
    public int newlyLost() {
        return newlyLost;
    }

    /** Runs of packets sent one after the other, as a link sends them at once, that the last {@link #onAck} declared lost. */
    public int lossEvents() {
        return lossEvents;
    }

    /** Whether the last {@link #onAck} echoed a later transmission than any before it. */
    public boolean heardNews() {
        return heardNews;
    }

    /** Bytes of heap that the in-flight table takes. */
    public int tableBytes() {
        return records.length * Long.BYTES + (older.length + newer.length) * Short.BYTES;
    }

    private static long pack(int high, int low) {
        return (long) high << 32 | (low & 0xffff_ffffL);
    }

    private int psnAt(int at) {
        return cum + (at - cum & capacity - 1);
    }

    private void appendFlying(int at) {
        older[at] = (short) newest;
        newer[at] = NONE;
        if (newest == NONE) {
            oldest = at;
        } else {
            newer[newest] = (short) at;
        }
        newest = at;
    }

    private void unlinkFlying(int at) {
        int before = older[at];
        int after = newer[at];
        if (before == NONE) {
            oldest = after;
        } else {
            newer[before] = (short) after;
        }
        if (after == NONE) {
            newest = before;
        } else {
            older[after] = (short) before;
        }
    }

    private void appendLost(int at) {
        older[at] = (short) lostLast;
        newer[at] = NONE;
        if (lostLast == NONE) {
            lostFirst = at;
        } else {
            newer[lostLast] = (short) at;
        }
        lostLast = at;
    }

    private void unlinkLost(int at) {
        int before = older[at];
        int after = newer[at];
        if (before == NONE) {
            lostFirst = after;
        } else {
            newer[before] = (short) after;
        }
        if (after == NONE) {
            lostLast = before;
        } else {
            older[after] = (short) before;
        }
    }

    /** Doubles the tables. {@code upTo} is the PSN about to be opened; the records of [cum, upTo) move. */
    private void grow(int upTo) {
        int bigger = capacity * 2;
        long[] moved = new long[bigger * LONGS];
        short[] movedOlder = new short[bigger];
        short[] movedNewer = new short[bigger];
        for (int psn = cum; psn != upTo; psn++) {
            int from = psn & capacity - 1;
            int to = psn & bigger - 1;
            System.arraycopy(records, from * LONGS, moved, to * LONGS, LONGS);
            movedOlder[to] = (short) movedIndex(older[from], bigger);
            movedNewer[to] = (short) movedIndex(newer[from], bigger);
        }
        oldest = movedIndex(oldest, bigger);
        newest = movedIndex(newest, bigger);
        lostFirst = movedIndex(lostFirst, bigger);
        lostLast = movedIndex(lostLast, bigger);
        records = moved;
        older = movedOlder;
        newer = movedNewer;
        capacity = bigger;
    }

    private int movedIndex(int at, int bigger) {
        return at == NONE ? NONE : psnAt(at) & bigger - 1;
    }

    /** A new epoch with nothing outstanding: PSN and counters start again. */
    public void reset() {
        Arrays.fill(records, 0);
        oldest = NONE;
        newest = NONE;
        lostFirst = NONE;
        lostLast = NONE;
        cum = 0;
        next = 0;
        txOrder = 0;
        highest = 0;
        probeTxOrder = 0;
        flying = 0;
        lost = 0;
        flyingBytes = 0;
        loss.reset();
    }
}
