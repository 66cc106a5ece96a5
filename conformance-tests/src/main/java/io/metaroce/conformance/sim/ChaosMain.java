package io.metaroce.conformance.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** {@code mroce chaos}: many seeds on all cores, or one of them again, or forged frames. Exit status 1 when an invariant did not hold, 2 when it was called wrongly. */
public final class ChaosMain {
    private static final int MOST_FAILURES = 10;
    private static final long PROGRESS_NS = 5_000_000_000L;

    private long from = 1;
    private long seeds = 1000;
    private @Nullable Long only;
    private String profile = Profile.RANDOM;
    private boolean trace;
    private long forged;

    private ChaosMain() {}

    public static void main(String[] args) throws InterruptedException {
        ChaosMain chaos = new ChaosMain();
        String wrong = chaos.parse(args);
        if (wrong != null) {
            System.err.println("mroce chaos: " + wrong
                    + "\nusage: mroce chaos [--seeds N] [--from S] [--profile P]\n       mroce chaos --seed S [--profile P] [--trace]\n"
                    + "       mroce chaos --forged N [--seed S]\n"
                    + "profiles: " + String.join(" ", Profile.NAMES));
            System.exit(2);
        }
        System.exit(chaos.run() ? 0 : 1);
    }

    private @Nullable String parse(String[] args) {
        int i = 0;
        while (i < args.length) {
            if (args[i].equals("--trace")) {
                trace = true;
                i++;
                continue;
            }
            if (i + 1 == args.length
                    || !List.of("--seeds", "--from", "--seed", "--profile", "--forged")
                            .contains(args[i])) {
                return "unknown option, or one without its value: " + args[i];
            }
            String value = args[i + 1];
            if (args[i].equals("--profile")) {
                if (!Profile.NAMES.contains(value)) {
                    return "no profile " + value;
                }
                profile = value;
            } else {
                long number;
                try {
                    number = Long.parseLong(value);
                } catch (NumberFormatException e) {
                    return args[i] + " needs a number, not " + value;
                }
                switch (args[i]) {
                    case "--seeds" -> seeds = number;
                    case "--from" -> from = number;
                    case "--forged" -> forged = number;
                    default -> only = number;
                }
            }
            i += 2;
        }
        return trace && only == null ? "--trace needs --seed" : null;
    }

    private boolean run() throws InterruptedException {
        if (forged > 0) {
            return forge(only == null ? 1 : only);
        }
        if (only != null) {
            return again(only);
        }
        ConcurrentSkipListMap<Long, String> failures = new ConcurrentSkipListMap<>();
        AtomicLong next = new AtomicLong(from);
        AtomicLong virtualNs = new AtomicLong();
        long startNs = System.nanoTime();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            Thread worker = new Thread(() -> work(next, failures, virtualNs));
            worker.start();
            workers.add(worker);
        }
        for (Thread worker : workers) {
            while (worker.isAlive()) {
                worker.join(PROGRESS_NS / 1_000_000);
                if (worker.isAlive()) {
                    System.err.printf(
                            Locale.ROOT,
                            "chaos: %d of %d seeds, %d failed, %.0f s%n",
                            Math.min(next.get() - from, seeds),
                            seeds,
                            failures.size(),
                            (System.nanoTime() - startNs) / 1e9);
                }
            }
        }
        boolean first = true;
        for (long seed : failures.keySet()) {
            if (first) {
                again(seed);
            } else {
                System.out.println("FAIL " + failures.get(seed));
            }
            first = false;
        }
        System.out.printf(
                Locale.ROOT,
                "profile %s%nseeds %d%nfrom %d%nfailed %d%nvirtual_s %.1f%nreal_s %.1f%n",
                profile,
                failures.size() < MOST_FAILURES ? seeds : Math.min(next.get() - from, seeds),
                from,
                failures.size(),
                virtualNs.get() / 1e9,
                (System.nanoTime() - startNs) / 1e9);
        return failures.isEmpty();
    }

    /** Forged frames against a live connection. */
    private boolean forge(long seed) {
        long startNs = System.nanoTime();
        try {
            ForgedRun run = ForgedRun.play(seed, forged, false);
            System.out.printf(
                    Locale.ROOT, "seed %d%n%s%nreal_s %.1f%n", seed, run, (System.nanoTime() - startNs) / 1e9);
            if (run.forger().accepted() == 0 && run.forger().total() == forged) {
                return true;
            }
            System.out.println("FAIL seed " + seed + ": " + run.forger().firstAccepted());
        } catch (RuntimeException | Error v) {
            System.out.println("FAIL " + text(v));
        }
        return false;
    }

    private void work(AtomicLong next, ConcurrentSkipListMap<Long, String> failures, AtomicLong virtualNs) {
        long seed;
        while (failures.size() < MOST_FAILURES && (seed = next.getAndIncrement()) - from < seeds) {
            try {
                virtualNs.addAndGet(SimRun.seed(seed, profile, null));
            } catch (RuntimeException | Error v) {
                failures.put(
                        seed, text(v) + "\nagain: mroce chaos --profile " + profile + " --seed " + seed + " --trace");
            }
        }
    }

    /** A seed that could not be played, for whatever reason, has not passed. */
    private static String text(Throwable end) {
        return end instanceof Checker.Violation ? String.valueOf(end.getMessage()) : end.toString();
    }

    /** One seed; a failure is told with the last events of what it concerns. */
    private boolean again(long seed) {
        Trace events = new Trace();
        try {
            long virtualNs = SimRun.seed(seed, profile, events);
            System.out.printf(Locale.ROOT, "seed %d%nfailed 0%nvirtual_s %.6f%n", seed, virtualNs / 1e9);
        } catch (RuntimeException | Error v) {
            System.out.println("FAIL " + text(v));
            if (v.getCause() != null && !(v.getCause() instanceof Checker.Violation)) {
                v.getCause().printStackTrace(System.out);
            }
            System.out.println(events.about(String.valueOf(v.getMessage())));
            return false;
        }
        if (trace) {
            System.out.println(events.about(""));
        }
        return true;
    }
}
