package io.metaroce.provider.engine.stream;

/**
 * What the requester knows of the responder's receives: how many are posted, which work request went beyond them, and when to try again by itself.
 *
 * <p>The first packet beyond the known limit always goes out, or the responder would not know that somebody waits; the rest is parked.
 */
final class RnrState {
    private static final int[] TIMER_10_US = {
        65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
        6144, 8192, 12288, 16384, 24576, 32768, 49152
    };

    private int limit; // receives posted by the responder, as far as known
    private boolean probing; // a packet beyond the limit has gone out
    private int probe; // the WR it belongs to
    private long retryNs; // 0: not waiting
    private int expiries;

    /** The time that IBTA table 46 gives to an RNR timer code, nanoseconds. */
    static long timerNs(int code) {
        return TIMER_10_US[code & 31] * 10_000L;
    }

    void start(int knownLimit) {
        limit = knownLimit;
        probing = false;
        retryNs = 0;
        expiries = 0;
    }

    /** How far a receive index is beyond the limit: below 0 is free to go, 0 may go as far as its first packet. */
    int beyond(int rqIndex) {
        return rqIndex - limit;
    }

    void probe(int index) {
        probing = true;
        probe = index;
    }

    /** A newer limit. True when it rose. */
    boolean raise(int newLimit) {
        if (newLimit - limit <= 0) {
            return false;
        }
        limit = newLimit;
        retryNs = 0;
        expiries = 0;
        return true;
    }

    boolean probing() {
        return probing;
    }

    /** The WR whose first packet went beyond the limit. */
    int probe() {
        return probe;
    }

    void settled() {
        probing = false;
        retryNs = 0;
    }

    /** The responder says that it has no receive. True when that starts the timer. */
    boolean refused(int code, long nowNs) {
        if (!probing || retryNs != 0) {
            return false;
        }
        retryNs = nowNs + timerNs(code);
        return true;
    }

    boolean waiting() {
        return retryNs != 0;
    }

    /** When to try again, or Long.MAX_VALUE. */
    long retryNs() {
        return retryNs == 0 ? Long.MAX_VALUE : retryNs;
    }

    /** The timer has run out. True when {@code rnrRetry} (7: for ever) allows no more. */
    boolean expired(int rnrRetry) {
        retryNs = 0;
        expiries++;
        return rnrRetry != 7 && expiries > rnrRetry;
    }
}
