package io.metaroce.provider.engine.stream;

/**
 * Which segments of one space have landed: all before {@link #cum}, and those of a bitmap beyond it. The bitmap comes from a pool and is held only while
 * something is out of order.
 */
final class SpsnWindow {
    private static final int NONE = -1;

    private final Bitmaps pool;
    private int cum;
    private int end;
    private int map = NONE;

    SpsnWindow(Bitmaps pool) {
        this.pool = pool;
    }

    /** Starts anew: {@code first} is the next segment expected. */
    void start(int first) {
        stop();
        cum = first;
    }

    /** Gives the bitmap back. */
    void stop() {
        if (map != NONE) {
            pool.give(map);
            map = NONE;
        }
    }

    /** The first segment that has not landed. */
    int cum() {
        return cum;
    }

    /** Nothing has landed beyond the first missing segment. */
    boolean inOrder() {
        return map == NONE;
    }

    /** Makes sure that out-of-order segments can be marked. False: the pool is empty. */
    boolean reserve() {
        if (map == NONE) {
            map = pool.take();
            end = cum;
        }
        return map != NONE;
    }

    /** How many of the {@code n} segments from {@code spsn} (not before cum) on have not landed, before the first that has. */
    int missingRun(int spsn, int n) {
        if (map == NONE) {
            return n;
        }
        int i = 0;
        while (i < n && !pool.get(map, spsn + i)) {
            i++;
        }
        return i;
    }

    /** Marks segments beyond cum; {@link #reserve} came before. */
    void markAhead(int spsn, int n) {
        pool.set(map, spsn, n);
        if (spsn + n - end > 0) {
            end = spsn + n;
        }
    }

    /** The {@code n} segments at cum have landed. What landed earlier beyond them is not passed over yet: see {@link #absorb}. */
    void advance(int n) {
        cum += n;
    }

    /** Moves cum over what has landed beyond it, and gives the bitmap back when nothing remains. */
    void absorb() {
        if (map == NONE) {
            return;
        }
        cum += pool.takeRun(map, cum);
        if (end - cum <= 0) {
            pool.give(map);
            map = NONE;
        }
    }
}
