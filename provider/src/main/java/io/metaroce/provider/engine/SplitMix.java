package io.metaroce.provider.engine;

/** The engine's generator (SplitMix64, Steele, Lea and Flood 2014): one seed, one run. Unpredictable to others only as far as its seed is. */
public final class SplitMix {
    private long state;

    public SplitMix(long seed) {
        state = seed;
    }

    public long nextLong() {
        state += 0x9e3779b97f4a7c15L;
        long z = state;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }

    /** 0 to {@code bound} - 1. */
    public int nextInt(int bound) {
        return (int) (((nextLong() >>> 33) * bound) >>> 31);
    }
}
