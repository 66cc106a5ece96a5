package io.metaroce.conformance.scenario;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/** Named figures over several seeds: mean, least, greatest. */
public final class Figures {
    private static final class Figure {
        double sum;
        double least = Double.POSITIVE_INFINITY;
        double greatest = Double.NEGATIVE_INFINITY;
        int count;
    }

    private final Map<String, Figure> figures = new LinkedHashMap<>();

    /** Adds one seed's value. */
    public void add(String key, long value) {
        add(key, (double) value);
    }

    /** Adds one seed's value. */
    public void add(String key, double value) {
        Figure f = figures.computeIfAbsent(key, k -> new Figure());
        f.sum += value;
        f.least = Math.min(f.least, value);
        f.greatest = Math.max(f.greatest, value);
        f.count++;
    }

    /** The mean over all seeds so far. */
    public double mean(String key) {
        Figure f = figures.get(key);
        if (f == null) {
            throw new IllegalArgumentException("no figure " + key);
        }
        return f.sum / f.count;
    }

    public boolean has(String key) {
        return figures.containsKey(key);
    }

    /** {@code key mean (min .. max)} lines. */
    public String lines() {
        StringBuilder text = new StringBuilder();
        figures.forEach((key, f) -> text.append(key)
                .append(' ')
                .append(number(f.sum / f.count))
                .append(f.count > 1 ? " (" + number(f.least) + " .. " + number(f.greatest) + ")" : "")
                .append('\n'));
        return text.toString();
    }

    public String json() {
        StringJoiner all = new StringJoiner(",\n", "{\n", "\n}\n");
        figures.forEach((key, f) -> all.add(String.format(
                Locale.ROOT,
                "  \"%s\": {\"mean\": %s, \"min\": %s, \"max\": %s, \"n\": %d}",
                key,
                number(f.sum / f.count),
                number(f.least),
                number(f.greatest),
                f.count)));
        return all.toString();
    }

    private static String number(double v) {
        if (v == Math.rint(v) && Math.abs(v) < 1e15) {
            return Long.toString((long) v);
        }
        return String.format(Locale.ROOT, Math.abs(v) < 10 ? "%.4f" : "%.1f", v);
    }
}
