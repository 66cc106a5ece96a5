package io.metaroce.provider.engine.path;

import io.metaroce.provider.engine.Record;
import io.metaroce.wire.AckHeader;
import io.metaroce.wire.FrameType;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of one path: gives PSNs and transmit orders, keeps one record per packet that is not acknowledged, and decides what is lost. At
 * most {@link #WINDOW} PSNs are open at a time. Records live in arrays that grow up to the window; nothing else is allocated.
 *
 * <p>A record is in flight, or lost and waiting to be sent again (same PSN, new transmit order), or cleared. Records in flight are chained in transmit order, so that
 * looking for losses costs no more than finding them.
 *
 * <p>PSN and transmit order run on through all epochs in here; on the wire they start again in each ({@link #wirePsn}, {@link #wireTxOrder}). A re-path makes orphans of
 * what is not acknowledged: their PSNs are over, their data is due under new ones, on any path; until then an ACK of their epoch still clears them.
 */
public final class PathSender {
    /** PSNs between the first not acknowledged and the next to be sent. */
    public static final int WINDOW = SackWindow.SIZE;

    private static final int NONE = -1;
    private static final int LONGS = 4;
    private static final int FIRST_CAPACITY = 4;
    private static final long[] NO_RECORDS = {};
    private static final short[] NO_LINKS = {};

    // Word 3 of a record: stream 14, space 1, control 1, void 1, silent 1, segments - 1 8, state 2, resent 1, orphan 1,
    // path control 1, bytes 16.
    private static final int SPACE_SHIFT = 14;
    private static final long CONTROL = 1L << 15;
    private static final long VOID = 1L << 16;
    private static final long SILENT = 1L << 17;
    private static final int SEGMENTS_SHIFT = 18;
    private static final long FLYING = 1L << 26;
    private static final long LOST = 1L << 27;
    private static final long RESENT = 1L << 28;
    private static final long ORPHAN = 1L << 29;
    private static final long PATH_CONTROL = 1L << 30;
    private static final int BYTES_SHIFT = 32;
    private static final long OPEN = FLYING | LOST | ORPHAN;

    private final LossDetector loss = new LossDetector();

    private int capacity;
    private long[] records = NO_RECORDS; // sent at; tx order, spsn; ref, life; word 3
    private short[] older = NO_LINKS;
    private short[] newer = NO_LINKS;
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

    private int epoch;
    private int heardEpoch;
    private int psnBase;
    private int orderBase;
    private int orphans;
    private @Nullable EpochLog earlier;

    private int ackedBytes;
    private int newlyLost;
    private int lossEvents;
    private boolean heardNews;

    /** The first PSN that is not acknowledged. */
    public int cum() {
        return cum;
    }

    /** Bumped by every re-path, modulo 256. */
    public int epoch() {
        return epoch;
    }

    /** Latest epoch of which an ACK came. */
    public int heardEpoch() {
        return heardEpoch;
    }

    /** The number by which a packet of the present epoch goes on the wire. */
    public int wirePsn(int psn) {
        return psn - psnBase;
    }

    /** {@link #txOrder} as it goes on the wire. */
    public int wireTxOrder() {
        return txOrder - orderBase;
    }

    /** Packets of earlier epochs whose data is due on any path. */
    public int orphans() {
        return orphans;
    }

    /** The first PSN of the present epoch: orphans are below. */
    public int psnBase() {
        return psnBase;
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
                | (record.type == FrameType.PATH_CTL ? PATH_CONTROL : 0)
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
        return (records[(psn & capacity - 1) * LONGS + 3] & OPEN) != 0;
    }

    /** Whether the packet's data is gone or went elsewhere: a resend of it is a VOID. */
    public boolean isVoid(int psn) {
        return (records[(psn & capacity - 1) * LONGS + 3] & (VOID | SILENT)) != 0;
    }

    /** Whether the stream layer hears of this packet's clearing (false: the copy on another path tells, or it is no stream's). */
    public boolean tells(int psn) {
        return (records[(psn & capacity - 1) * LONGS + 3] & (SILENT | PATH_CONTROL)) == 0;
    }

    /** Whether the packet is of an earlier epoch, and open. */
    public boolean isOrphan(int psn) {
        return (records[(psn & capacity - 1) * LONGS + 3] & ORPHAN) != 0;
    }

    /** An orphan's data is taken care of. */
    public void closeOrphan(int psn) {
        records[(psn & capacity - 1) * LONGS + 3] &= ~ORPHAN;
        orphans--;
        passCleared();
    }

    /**
     * A new epoch: what is not acknowledged becomes an orphan, but for packets whose copy on another path answers for them.
     */
    public void rePath() {
        EpochLog log = earlier;
        if (log == null) {
            log = new EpochLog();
            earlier = log;
        }
        log.end(epoch, psnBase, orderBase, highest, probeTxOrder, probeSentNs);
        for (int psn = cum; psn != next; psn++) {
            int i = (psn & capacity - 1) * LONGS + 3;
            if ((records[i] & (FLYING | LOST)) != 0) {
                boolean answered = (records[i] & SILENT) != 0;
                records[i] = (records[i] & ~(FLYING | LOST)) | (answered ? 0 : ORPHAN);
                orphans += answered ? 0 : 1;
            }
        }
        passCleared();
        oldest = NONE;
        newest = NONE;
        lostFirst = NONE;
        lostLast = NONE;
        flying = 0;
        lost = 0;
        flyingBytes = 0;
        epoch = epoch + 1 & 0xff;
        psnBase = next;
        orderBase = txOrder;
        highest = txOrder;
        probeTxOrder = txOrder;
        loss.reset();
    }

    private void passCleared() {
        while (cum != next && !isOpen(cum)) {
            cum++;
        }
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
        out.type = (word & PATH_CONTROL) != 0
                ? FrameType.PATH_CTL
                : (word & CONTROL) != 0 ? FrameType.STREAM_CTL : FrameType.DATA;
        out.stream = (int) word & 0x3fff;
        out.space = (int) (word >>> SPACE_SHIFT) & 1;
        out.segments = ((int) (word >>> SEGMENTS_SHIFT) & 0xff) + 1;
        out.spsn = (int) records[i + 1];
        out.life = (int) records[i + 2];
        out.ref = (int) (records[i + 2] >>> 32);
    }

    /**
     * An ACK of this path.
     *
     * @param ack address of the ACK header
     * @param ackEpoch the epoch it acknowledges: the present one or one of the last
     * @param cleared receives the PSNs acknowledged for the first time, at least {@link #WINDOW} long
     * @return their number, or -1 when the ACK names something that was never sent (it has no effect)
     */
    public int onAck(long ack, int ackEpoch, int[] cleared, RttEstimator rtt, long nowNs) {
        ackedBytes = 0;
        newlyLost = 0;
        lossEvents = 0;
        heardNews = false;
        EpochLog log = ackEpoch == epoch ? null : earlier; // null: the present epoch
        if (ackEpoch != epoch && (log == null || !log.knows(ackEpoch, epoch))) {
            return -1;
        }
        boolean followed = log != null && (ackEpoch + 1 & 0xff) != epoch;
        int firstPsn = log == null ? psnBase : log.psnBase(ackEpoch);
        int endPsn = log == null ? next : followed ? log.psnBase(ackEpoch + 1) : psnBase;
        int lastOrder = log == null ? txOrder : followed ? log.orderBase(ackEpoch + 1) : orderBase;
        int ackCum = AckHeader.cumPsn(ack) + firstPsn;
        int echo = AckHeader.echoTxOrder(ack) + (log == null ? orderBase : log.orderBase(ackEpoch));
        if (ackCum - endPsn > 0 || echo - lastOrder > 0) {
            return -1;
        }
        heardNews = log == null ? echo - highest > 0 : log.news(ackEpoch, echo);
        if ((byte) (ackEpoch - heardEpoch) > 0) {
            heardEpoch = ackEpoch;
        }
        long sampleNs = heardNews ? probeSentNs(log, ackEpoch, echo) : Long.MIN_VALUE;
        int n = 0;
        int from = cum - firstPsn < 0 ? firstPsn : cum;
        for (int psn = from; psn - ackCum < 0; psn++) {
            if (isOpen(psn)) {
                sampleNs = clear(psn, echo, sampleNs, rtt.srttNs(), nowNs);
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
                if (psn - endPsn < 0 && psn - from >= 0 && isOpen(psn)) {
                    sampleNs = clear(psn, echo, sampleNs, rtt.srttNs(), nowNs);
                    cleared[n++] = psn;
                }
            }
        }
        if (n > 0) {
            passCleared();
        }
        if (sampleNs != Long.MIN_VALUE) {
            rtt.sample(nowNs - sampleNs, AckHeader.delayNs(AckHeader.ackDelay(ack)));
        }
        if (log != null) {
            return n;
        }
        loss.onDupCount(AckHeader.dupCount(ack), rtt.srttNs(), nowNs);
        if (heardNews) {
            highest = echo;
        }
        findLost(rtt.srttNs(), nowNs);
        return n;
    }

    /** When the last PROBE of an epoch was sent if it has this transmit order, else Long.MIN_VALUE. */
    private long probeSentNs(@Nullable EpochLog log, int ackEpoch, int order) {
        if (log == null) {
            return order == probeTxOrder ? probeSentNs : Long.MIN_VALUE;
        }
        return order == log.probeOrder(ackEpoch) ? log.probeSentNs(ackEpoch) : Long.MIN_VALUE;
    }

    private long clear(int psn, int echo, long sampleNs, long srttNs, long nowNs) {
        int at = psn & capacity - 1;
        int i = at * LONGS;
        long word = records[i + 3];
        int bytes = (int) (word >>> BYTES_SHIFT) & 0xffff;
        if ((word & FLYING) != 0) {
            unlinkFlying(at);
            flying--;
            flyingBytes -= bytes;
        } else if ((word & LOST) != 0) {
            unlinkLost(at);
            lost--;
        } else {
            orphans--;
        }
        ackedBytes += bytes;
        records[i + 3] = word & ~OPEN;
        int order = (int) (records[i + 1] >>> 32);
        if ((word & FLYING) != 0) {
            if ((word & (RESENT | VOID)) == RESENT && order - echo > 0) {
                loss.onNeedlessResend();
            } else if (highest - order > 0) {
                loss.onLate(highest - order, nowNs - records[i], srttNs);
            }
        }
        return order == echo ? records[i] : sampleNs;
    }

    /** When the oldest packet in flight is lost unless it is acknowledged, because it was overtaken; Long.MAX_VALUE when it was not. */
    public long lateNs(long srttNs) {
        if (oldest == NONE || highest - (int) (records[oldest * LONGS + 1] >>> 32) <= 0) {
            return Long.MAX_VALUE;
        }
        return records[oldest * LONGS] + loss.patienceNs(srttNs) + 1;
    }

    /** Looks for packets that are late by now; {@link #newlyLost} tells how many. */
    public void onLate(long srttNs, long nowNs) {
        newlyLost = 0;
        findLost(srttNs, nowNs);
    }

    /** Whether the last PROBE of the present epoch has been answered: all that was sent before it is proven. */
    public boolean probeAnswered() {
        return highest - probeTxOrder >= 0;
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

    /** Doubles the tables, or makes the first. {@code upTo} is the PSN about to be opened; the records of [cum, upTo) move. */
    private void grow(int upTo) {
        int bigger = Math.max(FIRST_CAPACITY, capacity * 2);
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
}
