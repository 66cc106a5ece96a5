package io.metaroce.provider.run;

/**
 * Whether a cycle that has written completions leaves what there is to send, above all ACKs, to the next one, as plain arithmetic over the time.
 *
 * <p>The application that sees its completion answers it, and the answer takes the ACK along: one system call and one datagram, and neither was in the completion's way. One
 * that does not come back at once keeps its peer waiting for the ACK, so it is not trusted with that again for a while.
 */
final class Deferral {
    /** Cycles in a row that leave their transmission to the next. */
    static final int MOST = 3;

    /** An application that waits for completions is back within this time. */
    static final long PROMPT_NS = 5_000;

    /** Cycles with completions that transmit at once after an application was late. */
    static final int DISTRUST = 64;

    private int row;
    private long sinceNs;
    private int distrust;

    void cycleBegins(long nowNs) {
        if (row != 0 && nowNs - sinceNs > PROMPT_NS) {
            distrust = DISTRUST;
        }
    }

    /** Asked by a cycle of an application's thread that has written completions and was given no work. */
    boolean defers(long nowNs) {
        if (row == MOST) {
            return false;
        }
        if (distrust > 0) {
            distrust--;
            return false;
        }
        row++;
        sinceNs = nowNs;
        return true;
    }

    void transmits() {
        row = 0;
    }
}
