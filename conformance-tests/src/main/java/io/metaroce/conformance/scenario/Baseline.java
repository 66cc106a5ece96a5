package io.metaroce.conformance.scenario;

import io.metaroce.provider.link.sim.SimFabric;
import io.metaroce.provider.link.sim.SimHost;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.port.TxBatch;
import io.metaroce.wire.Mem;
import java.util.BitSet;

/**
 * What others do about loss, in its simplest honest form, for the table of {@link LossScenario}: one flow, one sequence space, packets of the same size as ours, an
 * acknowledgement for every packet. Both ends are one class; host 0 sends for ever to host 1.
 */
final class Baseline implements SimHost.Station {
    /** How it recovers. */
    enum Kind {
        /** The receiver takes packets in order only and names the one it wants; the sender starts again from there. */
        GO_BACK_N,
        /** Selective acknowledgements; a packet is sent again when its retransmission timer ends. */
        SACK_RTO,
        /** Selective acknowledgements and resend at once; the window is halved at every loss, at most once per RTT, and grows by one packet per RTT. */
        HALVING
    }

    private static final int PAYLOAD = 4096;
    private static final int WINDOW = 256;

    private final Kind kind;
    private final boolean sender;
    private final int destination;
    private final long rttNs;
    private final long rtoNs;

    // sender
    private int next;
    private int cum;
    private final BitSet acked = new BitSet();
    private final long[] sentNs = new long[WINDOW];
    private final boolean[] lost = new boolean[WINDOW];
    private double window;
    private long halvedNs;
    private long progressNs;

    // receiver
    private int expected;
    private final BitSet landed = new BitSet();
    private long landedBytes;
    private int acksDue;
    private boolean nakDue;
    private boolean nakSent;
    private int lastSeen;

    Baseline(Kind kind, SimHost host, boolean sender, long peerLo, long rttNs, double gbps) {
        this.kind = kind;
        this.sender = sender;
        this.rttNs = rttNs;
        rtoNs = 4 * rttNs;
        destination = host.destination(0, 0, peerLo, SimFabric.UDP_PORT);
        double packetsPerRtt = gbps * rttNs / 8 / PAYLOAD;
        window = kind == Kind.GO_BACK_N ? Math.min(WINDOW / 2, 2 * packetsPerRtt) : Math.min(WINDOW, 2 * packetsPerRtt);
        host.start(this);
    }

    long landedBytes() {
        return landedBytes;
    }

    @Override
    public int onFrames(RxBatch batch, long nowNs) {
        for (int i = 0; i < batch.count(); i++) {
            long frame = batch.address(i);
            if (sender) {
                onAck(frame, nowNs);
            } else {
                onData(Mem.getInt(frame));
            }
        }
        return batch.count();
    }

    private void onData(int psn) {
        lastSeen = psn;
        acksDue++;
        if (kind == Kind.GO_BACK_N) {
            if (psn == expected) {
                expected++;
                landedBytes += PAYLOAD;
                nakSent = false;
            } else if (psn > expected && !nakSent) {
                nakDue = true;
                nakSent = true;
            }
            return;
        }
        if (psn < expected || landed.get(psn)) {
            return;
        }
        landed.set(psn);
        landedBytes += PAYLOAD;
        while (landed.get(expected)) {
            landed.clear(expected++);
        }
    }

    private void onAck(long frame, long nowNs) {
        int newCum = Mem.getInt(frame);
        int seen = Mem.getInt(frame + 4);
        boolean nak = Mem.getInt(frame + 8) != 0;
        if (newCum > cum) {
            cum = newCum;
            progressNs = nowNs;
        }
        if (kind == Kind.GO_BACK_N) {
            if (nak) {
                next = cum;
            }
            next = Math.max(next, cum);
            return;
        }
        acked.set(seen);
        if (kind == Kind.HALVING) {
            window = Math.min(WINDOW, window + 1 / window);
            for (int psn = cum; psn < seen; psn++) { // a FIFO path: everything sent before the packet seen is lost
                if (!acked.get(psn) && !lost[psn % WINDOW] && sentNs[psn % WINDOW] < sentNs[seen % WINDOW]) {
                    lost[psn % WINDOW] = true;
                    if (nowNs - halvedNs > rttNs) {
                        halvedNs = nowNs;
                        window = Math.max(2, window / 2);
                    }
                }
            }
        }
    }

    @Override
    public void onTime(long nowNs) {
        // timers are looked at in transmit
    }

    @Override
    public int transmit(TxBatch batch, long nowNs) {
        if (!sender) {
            return acknowledge(batch);
        }
        if (kind == Kind.GO_BACK_N) {
            if (next > cum && nowNs - Math.max(progressNs, sentNs[cum % WINDOW]) > rtoNs) {
                next = cum;
            }
        } else {
            for (int psn = cum; psn < next; psn++) {
                boolean due = lost[psn % WINDOW] || nowNs - sentNs[psn % WINDOW] >= rtoNs;
                if (!acked.get(psn) && due && !send(batch, psn, nowNs)) {
                    return 0;
                }
            }
        }
        while (next - cum < (int) window && send(batch, next, nowNs)) {
            acked.clear(next);
            next++;
        }
        return 0;
    }

    private boolean send(TxBatch batch, int psn, long nowNs) {
        long room = batch.begin(destination);
        if (room == 0) {
            return false;
        }
        Mem.putInt(room, psn);
        batch.commit(destination, 5000, PAYLOAD + 56);
        sentNs[psn % WINDOW] = nowNs;
        lost[psn % WINDOW] = false;
        return true;
    }

    private int acknowledge(TxBatch batch) {
        if (acksDue == 0) {
            return 0;
        }
        long room = batch.begin(destination);
        if (room == 0) {
            return 0;
        }
        Mem.putInt(room, expected);
        Mem.putInt(room + 4, lastSeen);
        Mem.putInt(room + 8, nakDue ? 1 : 0);
        batch.commit(destination, 5000, 64);
        acksDue = 0;
        nakDue = false;
        return 1;
    }

    @Override
    public long nextDeadlineNs() {
        if (!sender || next == cum) {
            return Long.MAX_VALUE;
        }
        if (kind == Kind.GO_BACK_N) {
            return Math.max(progressNs, sentNs[cum % WINDOW]) + rtoNs + 1;
        }
        long nextNs = Long.MAX_VALUE;
        for (int psn = cum; psn < next; psn++) {
            if (!acked.get(psn)) {
                nextNs = Math.min(nextNs, sentNs[psn % WINDOW] + rtoNs);
            }
        }
        return nextNs;
    }

    @Override
    public boolean application(long nowNs) {
        return false;
    }
}
