package io.metaroce.conformance.sim;

import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Forged frames against a live connection in the simulator, with every checker watching the honest traffic. */
public final class ForgedRun {
    private static final int MESSAGES_PER_MILLION = 2000;

    private final Forger forger;
    private final long messages;
    private final long virtualNs;
    private final long calmNs;

    private ForgedRun(Forger forger, long messages, long virtualNs, long calmNs) {
        this.forger = forger;
        this.messages = messages;
        this.virtualNs = virtualNs;
        this.calmNs = calmNs;
    }

    /**
     * Two processes, one of which dies and starts again half-way; {@code count} forged frames come in between their honest ones.
     *
     * @param cheats see {@link Forger}
     * @throws Checker.Violation when the honest traffic is hurt, or a forged frame shows an effect
     */
    public static ForgedRun play(long seed, long count, boolean cheats) {
        int each = (int) Math.max(100, count * MESSAGES_PER_MILLION / 1_000_000);
        Profile profile = new Profile(
                2,
                1500,
                10,
                5_000,
                1 << 20,
                1 << 20,
                0.01,
                0.01,
                0,
                0.02,
                0,
                20_000,
                false,
                4,
                each,
                2048,
                false,
                false,
                Profile.Fault.NONE,
                Profile.NextLife.RESTART);
        long calmNs = live(seed, profile, null);
        try (Forger forger = new Forger(new SplittableRandom(seed).nextLong(), count, cheats)) {
            long virtualNs = live(seed, profile, forger);
            return new ForgedRun(forger, 2L * 2 * profile.qps() * each, virtualNs, calmNs);
        }
    }

    private static long live(long seed, Profile profile, @Nullable Forger forger) {
        try (SimWorld world = new SimWorld(seed, profile, SimRun.checkers(profile), Mutation.NONE)) {
            if (forger != null) {
                world.forge(forger);
            }
            long startNs = world.nowNs();
            world.run();
            return world.nowNs() - startNs;
        }
    }

    public Forger forger() {
        return forger;
    }

    /** Honest messages; all were delivered. */
    public long messages() {
        return messages;
    }

    /** Virtual time that the traffic took. */
    public long virtualNs() {
        return virtualNs;
    }

    /** The same without forged frames. */
    public long calmNs() {
        return calmNs;
    }

    /** {@code key value} lines. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(200);
        text.append("forged ").append(forger.total());
        for (Forger.Kind kind : Forger.Kind.values()) {
            text.append("\nforged_")
                    .append(kind.name().toLowerCase(Locale.ROOT))
                    .append(' ')
                    .append(forger.sent(kind));
        }
        text.append("\naccepted ").append(forger.accepted());
        text.append("\nmessages_delivered ").append(messages);
        text.append(String.format(Locale.ROOT, "%nvirtual_ms %.3f", virtualNs / 1e6));
        text.append(String.format(Locale.ROOT, "%nvirtual_ms_without %.3f", calmNs / 1e6));
        return text.toString();
    }
}
