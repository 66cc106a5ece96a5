package io.metaroce.provider.port;

import java.util.Locale;

/** The values of all {@link Counter}s. Written by the holder of the turn only. */
@SuppressWarnings("EnumOrdinal") // the index of an array that nothing else sees
public final class Counters {
    private static final Counter[] ALL = Counter.values();

    private final long[] values = new long[ALL.length];

    public void inc(Counter counter) {
        values[counter.ordinal()]++;
    }

    public void add(Counter counter, long n) {
        values[counter.ordinal()] += n;
    }

    public long get(Counter counter) {
        return values[counter.ordinal()];
    }

    /** {@code key value} lines. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(1024);
        for (Counter counter : ALL) {
            text.append(counter.name().toLowerCase(Locale.ROOT))
                    .append(' ')
                    .append(get(counter))
                    .append('\n');
        }
        return text.toString();
    }
}
