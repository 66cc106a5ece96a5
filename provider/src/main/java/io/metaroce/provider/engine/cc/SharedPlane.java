package io.metaroce.provider.engine.cc;

import io.metaroce.wire.RateHint;
import java.util.Arrays;

/** One local plane as {@link RateShares} divides it. Arrays are indexed by sender, but for the list of active ones. */
final class SharedPlane {
    /**
     * Below this part of its share a sender is limited by something else; its demand is then its rate and a margin. Their product is above 1, or a steady sender would be
     * judged differently each time.
     */
    private static final double SATISFIED = 0.8;

    private static final double MARGIN = 1.5;

    /** No demand counts as less than this part of an equal share: a sender that wakes up has something to begin with. */
    private static final double LEAST_DEMAND = 0.25;

    /** A rate is measured over so many packets at the share and so many RTTs, at least. Twice in a row below the share, and it is the demand. */
    private static final int MEASURED_PACKETS = 32;

    private static final int MEASURED_RTTS = 4;

    /**
     * More new senders than this, each within so many packet times of the one before, are the beginning of an incast: half as many again are expected, since what is told now
     * is heard an RTT later.
     */
    private static final int STORM = 4;

    private static final int QUIET_PACKETS = 16;

    /** In a storm those who were told something else are told anew when there are so many times as many senders. */
    private static final double TELL_GROWTH = 1.5;

    /** Part by which what was told differs from the share before that is worth an ACK of its own. */
    private static final double TELL_PART = 0.1;

    /** The link is full when two senders or more bring this part of its speed, measured over so many packet times. */
    private static final double FULL = 0.93;

    private static final int FULL_PACKETS = 16;

    /** While more than this part of the packets of a full link are marked, less is given away. */
    private static final double MOSTLY = 0.5;

    private static final double MARKS_GAIN = 1.0 / 64;

    private static final int LIFE_RTTS = 4;
    private static final int LIFE_PACKETS = 4;

    /** Dividing among many costs time: so much more between two divisions for each. */
    private static final long PERIOD_PER_SENDER_NS = 200;

    /** Most passes of one division; the level is too low, never too high, when they do not do. */
    private static final int MOST_PASSES = 8;

    /** So many full batches in a row mean that the host falls behind. */
    private static final int BEHIND_BATCHES = 16;

    private static final double BEHIND_CUT = 0.875;
    private static final double BEHIND_LEAST = 0.25;
    private static final double BEHIND_BACK = 1.0 / 32;

    /** A capacity that was only measured grows by this until it is so much above the measurement that it is forgotten. */
    private static final double MEASURED_GROWTH = 1.001;

    private static final double MEASURED_FORGOTTEN = 2;
    private static final long MEASURE_NS = 1_000_000;

    private long linkBps;
    private double part = 1;
    private double measuredBps;
    private double measuredAtFirstBps;
    private long behindSinceNs = Long.MIN_VALUE;
    private long behindBytes;

    private double capacityBps;
    private double level;
    private double bonus;
    long divideNs = Long.MIN_VALUE;

    private int[] active = new int[4];
    private int count;
    private int joined; // of a storm of new senders
    private long joinedNs;
    private int toldCount; // active when all were told last
    private int tellAt = Integer.MAX_VALUE; // in active: who is looked at next

    private boolean full;
    private long slotBytes;
    private long slotNs;
    private double marks; // smoothed share of packets marked while the link is full
    private int[] position = new int[4]; // in active, plus 1; 0 not active
    private double[] demand = new double[4];
    private long[] bytes = new long[4];
    private long[] sinceNs = new long[4];
    private long[] lastNs = new long[4];
    private long[] rttNs = new long[4];
    private int[] mss = new int[4];
    private double[] told = new double[4];
    private boolean[] wasLess = new boolean[4];

    void link(long bitsPerSecond) {
        linkBps = bitsPerSecond;
        capacityBps = capacity();
    }

    private double capacity() {
        double host = measuredBps > 0 ? RateShares.GIVEN_AWAY * measuredBps : 0;
        double given = marks > MOSTLY ? RateShares.DRAINING : RateShares.GIVEN_AWAY;
        double link = linkBps > 0 ? given * linkBps * part : 0;
        return link > 0 ? link : host;
    }

    void onPacket(int sender, int wireBytes, boolean newest, boolean marked, long rtt, int mssBytes, long nowNs) {
        if (sender >= position.length) {
            grow(sender);
        }
        if (position[sender] == 0) {
            if (newest) {
                return;
            }
            join(sender, rtt, mssBytes, nowNs);
        }
        if (joined > 0 && (nowNs - joinedNs) * capacityBps > QUIET_PACKETS * 8e9 * mssBytes) {
            joined = 0;
            fill();
            tell();
        }
        watchLink(wireBytes, marked, mssBytes, nowNs);
        bytes[sender] += wireBytes;
        behindBytes += wireBytes;
        lastNs[sender] = nowNs;
        if (newest) {
            remove(sender);
        }
    }

    private void grow(int sender) {
        int n = Integer.highestOneBit(sender) * 2;
        position = Arrays.copyOf(position, n);
        demand = Arrays.copyOf(demand, n);
        bytes = Arrays.copyOf(bytes, n);
        sinceNs = Arrays.copyOf(sinceNs, n);
        lastNs = Arrays.copyOf(lastNs, n);
        rttNs = Arrays.copyOf(rttNs, n);
        mss = Arrays.copyOf(mss, n);
        told = Arrays.copyOf(told, n);
        wasLess = Arrays.copyOf(wasLess, n);
    }

    private void join(int sender, long rtt, int mssBytes, long nowNs) {
        if (count == active.length) {
            active = Arrays.copyOf(active, count * 2);
        }
        active[count++] = sender;
        position[sender] = count;
        demand[sender] = Double.POSITIVE_INFINITY;
        bytes[sender] = 0;
        wasLess[sender] = false;
        told[sender] = 0;
        sinceNs[sender] = nowNs;
        rttNs[sender] = rtt;
        mss[sender] = mssBytes;
        joined = Math.min(joined + 1, count); // one that comes and goes is no storm
        joinedNs = nowNs;
        double equal = capacityBps / (joined > STORM ? count + joined / 2 : count);
        level = count == 1 ? equal : Math.min(level, equal);
        bonus = 0;
        if (joined <= STORM) {
            toldCount = count;
        } else if (count >= TELL_GROWTH * toldCount) {
            tell();
        }
    }

    private void tell() {
        toldCount = count;
        tellAt = 0;
    }

    /** Whether the link is full, and how many packets are marked meanwhile: the queue that marks them is then the one before this link, which the hints empty. */
    private void watchLink(int wireBytes, boolean marked, int mssBytes, long nowNs) {
        slotBytes += wireBytes;
        double slotBits = (nowNs - slotNs) * linkBps / 1e9;
        if (slotBits > FULL_PACKETS * 8.0 * mssBytes) {
            full = count > 1 && slotBytes * 8 > FULL * slotBits;
            slotBytes = 0;
            slotNs = nowNs;
        }
        marks += ((marked && full ? 1 : 0) - marks) * MARKS_GAIN;
    }

    boolean full() {
        return full;
    }

    /** The next sender that was told something else than its share is now; -1 when there is none. */
    int nextToTell() {
        while (tellAt < count) {
            int sender = active[tellAt++];
            double share = share(sender);
            if (told[sender] > 0 && Math.abs(told[sender] - share) > TELL_PART * share) {
                return sender;
            }
        }
        tellAt = Integer.MAX_VALUE;
        return -1;
    }

    void remove(int sender) {
        if (sender >= position.length || position[sender] == 0) {
            return;
        }
        int at = position[sender] - 1;
        int last = active[--count];
        active[at] = last;
        position[last] = at + 1;
        position[sender] = 0;
    }

    private double share(int sender) {
        return Math.min(demand[sender], level) + bonus;
    }

    int hint(int sender) {
        if (capacityBps == 0) {
            return 0;
        }
        boolean isActive = sender < position.length && position[sender] != 0;
        if (!isActive) {
            return RateHint.encode((long) (capacityBps / (count + 1)));
        }
        told[sender] = share(sender);
        return RateHint.encode((long) told[sender]);
    }

    /** Once a period: who has gone, who needs how much, and the level that follows. */
    void divide(int fullBatches, long nowNs) {
        watchHost(fullBatches, nowNs);
        capacityBps = capacity();
        for (int i = count - 1; i >= 0; i--) {
            int sender = active[i];
            double share = share(sender);
            if (nowNs - lastNs[sender] > lifeNs(sender, share)) {
                remove(sender);
            } else {
                measure(sender, share, nowNs);
            }
        }
        fill();
        divideNs = nowNs + Math.max(RateShares.PERIOD_NS, count * PERIOD_PER_SENDER_NS);
    }

    private long lifeNs(int sender, double share) {
        long packetsNs = share > 0 ? (long) (LIFE_PACKETS * mss[sender] * 8e9 / share) : 0;
        return Math.max(Math.max(LIFE_RTTS * rttNs[sender], packetsNs), RateShares.PERIOD_NS);
    }

    private void measure(int sender, double share, long nowNs) {
        long elapsedNs = nowNs - sinceNs[sender];
        double packetsNs = MEASURED_PACKETS * mss[sender] * 8e9 / Math.max(share, 1);
        if (elapsedNs < MEASURED_RTTS * rttNs[sender] || elapsedNs < packetsNs) {
            return;
        }
        double rate = bytes[sender] * 8e9 / elapsedNs;
        boolean less = rate < SATISFIED * share;
        demand[sender] = less && wasLess[sender] ? MARGIN * rate : Double.POSITIVE_INFINITY;
        wasLess[sender] = less;
        bytes[sender] = 0;
        sinceNs[sender] = nowNs;
    }

    /** Max-min water-filling: those who demand less than the level leave the rest to the others. */
    private void fill() {
        if (count == 0) {
            return;
        }
        double equal = capacityBps / count;
        double least = LEAST_DEMAND * equal;
        level = equal;
        bonus = 0;
        int satisfied = -1;
        for (int pass = 0; pass < MOST_PASSES; pass++) {
            int n = 0;
            double theirs = 0;
            for (int i = 0; i < count; i++) {
                int sender = active[i];
                if (demand[sender] < least) {
                    demand[sender] = least;
                }
                if (demand[sender] <= level) {
                    n++;
                    theirs += demand[sender];
                }
            }
            if (n == satisfied) {
                return;
            }
            satisfied = n;
            if (n == count) {
                bonus = (capacityBps - theirs) / count;
                return;
            }
            level = (capacityBps - theirs) / (count - n);
        }
    }

    /** A host that cannot follow takes less than its link could bring; of a link of unknown speed that is all there is to know. */
    private void watchHost(int fullBatches, long nowNs) {
        boolean behind = fullBatches >= BEHIND_BATCHES;
        if (linkBps > 0) {
            part = behind ? Math.max(BEHIND_LEAST, part * BEHIND_CUT) : Math.min(1, part + BEHIND_BACK);
            return;
        }
        if (!behind || count < 2) {
            behindSinceNs = Long.MIN_VALUE;
            measuredBps *= MEASURED_GROWTH;
            if (measuredBps > MEASURED_FORGOTTEN * measuredAtFirstBps) {
                measuredBps = 0;
            }
        } else if (behindSinceNs == Long.MIN_VALUE) {
            behindSinceNs = nowNs;
            behindBytes = 0;
        } else if (nowNs - behindSinceNs >= MEASURE_NS) {
            measuredAtFirstBps = behindBytes * 8e9 / (nowNs - behindSinceNs);
            measuredBps = measuredAtFirstBps;
            behindSinceNs = nowNs;
            behindBytes = 0;
        }
    }

    long capacityBps() {
        return (long) capacityBps;
    }

    long sumOfHintsBps() {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += RateHint.decode(RateHint.encode((long) share(active[i])));
        }
        return sum;
    }

    int count() {
        return count;
    }
}
