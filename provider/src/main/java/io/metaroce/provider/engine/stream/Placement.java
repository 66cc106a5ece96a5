package io.metaroce.provider.engine.stream;

import io.metaroce.provider.port.Regions;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.provider.slots.Sge;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Syndrome;
import org.jspecify.annotations.Nullable;

/**
 * Moves payload between packets and application memory. Every address is checked by key in the method that uses it. Request data that comes late goes around what a
 * later segment of the same stream has written (invariant I1), and the last bytes of a WRITE are stored last.
 */
final class Placement {
    /** More entries than one packet can need: a scatter list, and one for each piece of a packet that lands in pieces. */
    private static final int RANGES_OF_ONE_PACKET = 300;

    private final Regions regions;
    private final LandedRanges ranges;
    private final HeldTails tails;

    Placement(Regions regions, LandedRanges ranges, HeldTails tails) {
        this.regions = regions;
        this.ranges = ranges;
        this.tails = tails;
    }

    /** Whether a packet that arrives out of order can be recorded whatever it holds. */
    boolean hasRoom() {
        return ranges.available() >= RANGES_OF_ONE_PACKET && tails.available() > 0;
    }

    int freeRanges() {
        return ranges.available();
    }

    int freeTails() {
        return tails.available();
    }

    /** Copies bytes of a message to send into a packet. Answers SUCCESS, LOC_PROT_ERR or LOC_LEN_ERR. */
    int gather(long slot, int pd, long offset, int bytes, long to) {
        if (bytes == 0) {
            return Verbs.SUCCESS;
        }
        if ((SendSlot.flags(slot) & SendSlot.INLINE) != 0) {
            Mem.copy(SendSlot.inline(slot) + offset, to, bytes);
            return Verbs.SUCCESS;
        }
        int count = SendSlot.numSge(slot);
        long skip = offset;
        long left = bytes;
        long target = to;
        for (int i = 0; i < count; i++) {
            long sge = SendSlot.sge(slot, i);
            long length = Sge.length(sge) & 0xffff_ffffL;
            if (skip >= length) {
                skip -= length;
                continue;
            }
            long piece = Math.min(length - skip, left);
            long from = regions.local(Sge.lkey(sge), pd, Sge.addr(sge) + skip, piece, 0);
            if (from < 0 || !regions.copy(target, from, piece)) {
                return Verbs.LOC_PROT_ERR;
            }
            target += piece;
            left -= piece;
            if (left == 0) {
                return Verbs.SUCCESS;
            }
            skip = 0;
        }
        return Verbs.LOC_LEN_ERR;
    }

    /** Checks every SGE of a WR before its first packet goes. Answers SUCCESS, LOC_PROT_ERR or LOC_LEN_ERR. */
    int check(long slot, int pd, int access) {
        if ((SendSlot.flags(slot) & SendSlot.INLINE) != 0) {
            return Verbs.SUCCESS;
        }
        int count = SendSlot.numSge(slot);
        long sum = 0;
        for (int i = 0; i < count; i++) {
            long sge = SendSlot.sge(slot, i);
            long length = Sge.length(sge) & 0xffff_ffffL;
            if (length != 0 && regions.local(Sge.lkey(sge), pd, Sge.addr(sge), length, access) < 0) {
                return Verbs.LOC_PROT_ERR;
            }
            sum += length;
        }
        return sum < (SendSlot.length(slot) & 0xffff_ffffL) ? Verbs.LOC_LEN_ERR : Verbs.SUCCESS;
    }

    /** Spreads bytes of a response over the SGEs of the WR that asked. Answers SUCCESS, LOC_PROT_ERR or LOC_LEN_ERR. */
    int scatter(long slot, int pd, long offset, long bytes, long from) {
        return scatter(null, 0, 0, SendSlot.sge(slot, 0), SendSlot.numSge(slot), pd, offset, bytes, from);
    }

    /**
     * Spreads bytes of a SEND over the SGEs of a receive, around what later segments have written.
     *
     * @param list the stream's landed ranges; null for a response, which nothing older can follow
     * @param ahead segments whose ranges to note because something older is missing; 0: nothing to note
     */
    int scatter(
            LandedRanges.@Nullable List list,
            int spsn,
            int ahead,
            long sges,
            int count,
            int pd,
            long offset,
            long bytes,
            long from) {
        long skip = offset;
        long left = bytes;
        long source = from;
        for (int i = 0; i < count && left > 0; i++) {
            long sge = sges + (long) i * Sge.SIZE;
            long length = Sge.length(sge) & 0xffff_ffffL;
            if (skip >= length) {
                skip -= length;
                continue;
            }
            long piece = Math.min(length - skip, left);
            long to = regions.local(Sge.lkey(sge), pd, Sge.addr(sge) + skip, piece, Verbs.LOCAL_WRITE);
            if (to < 0) {
                return Verbs.LOC_PROT_ERR;
            }
            boolean done = list == null
                    ? regions.copy(to, source, piece)
                    : ranges.write(list, regions, spsn, to, source, piece, false);
            if (!done) {
                return Verbs.LOC_PROT_ERR;
            }
            if (list != null && ahead > 0) {
                ranges.add(list, spsn, ahead, to, piece);
            }
            source += piece;
            left -= piece;
            skip = 0;
        }
        return left == 0 ? Verbs.SUCCESS : Verbs.LOC_LEN_ERR;
    }

    /**
     * Bytes of a WRITE that nothing older can follow, except what goes around later ones.
     *
     * @param tail how many of the bytes, at the end, become visible after all others
     */
    boolean write(LandedRanges.List list, int spsn, long to, long from, long bytes, int tail) {
        long body = bytes - tail;
        return (body == 0 || ranges.write(list, regions, spsn, to, from, body, false))
                && (tail == 0 || ranges.write(list, regions, spsn, to + body, from + body, tail, true));
    }

    /** Bytes of a WRITE while something older is missing. */
    boolean writeAhead(LandedRanges.List list, int spsn, int segments, long to, long from, long bytes) {
        if (bytes > 0) {
            if (!ranges.write(list, regions, spsn, to, from, bytes, false)) {
                return false;
            }
            ranges.add(list, spsn, segments, to, bytes);
        }
        return true;
    }

    /** Keeps the last bytes of a WRITE aside; room was made sure of. */
    int keepTail(int rkey, long va, long from, int bytes) {
        return tails.keep(rkey, va, from, bytes);
    }

    /** Stores a kept tail: everything older has landed. The MR is checked again. Answers 0 or a {@link Syndrome}. */
    int storeTail(LandedRanges.List list, int spsn, int tail, int pd) {
        int length = tails.length(tail);
        long to = regions.remote(tails.rkey(tail), pd, tails.va(tail), length, Verbs.REMOTE_WRITE);
        int answer = 0;
        if (to < 0) {
            answer = Syndrome.REM_ACCESS;
        } else if (!ranges.write(list, regions, spsn, to, tails.address(tail), length, true)) {
            answer = Syndrome.REM_OP;
        }
        tails.give(tail);
        return answer;
    }

    void dropTail(int tail) {
        tails.give(tail);
    }

    /** Everything before {@code cum} has landed. */
    void passed(LandedRanges.List list, int cum) {
        if (!list.isEmpty()) {
            ranges.purge(list, cum);
        }
    }

    void forget(LandedRanges.List list) {
        ranges.clear(list);
    }

    void close() {
        tails.close();
    }
}
