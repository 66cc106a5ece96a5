package io.metaroce.conformance.scenario;

import java.util.List;
import java.util.Locale;

/** {@code mroce sim list} and {@code mroce sim NAME [--seed N] [--seeds K] [--json]}. */
public final class SimMain {
    private static final List<Scenario> ALL = List.of(
            new LossScenario(),
            new FctScenario(),
            new IncastScenario(),
            new StallScenario(),
            new MatrixScenario(false),
            new MatrixScenario(true),
            new FailoverScenario(),
            new LossyPathScenario(),
            new SprayingScenario(),
            new IsolationScenario(),
            new ScaleScenario(),
            new MeshScenario(),
            new WanScenario(),
            new FabricsScenario());

    private SimMain() {}

    public static void main(String[] args) {
        System.exit(run(args));
    }

    private static int run(String[] args) {
        if (args.length == 0 || args[0].equals("list")) {
            for (Scenario s : ALL) {
                System.out.println(s.name() + "\n    " + s.explain().replace("\n", "\n    "));
            }
            return 0;
        }
        Scenario chosen = null;
        for (Scenario s : ALL) {
            if (s.name().equals(args[0])) {
                chosen = s;
            }
        }
        if (chosen == null) {
            System.err.println("mroce sim: no scenario " + args[0] + "; `mroce sim list` explains each");
            return 2;
        }
        long seed = 1;
        int seeds = 1;
        boolean json = false;
        for (int i = 1; i < args.length; i++) {
            if (args[i].equals("--json")) {
                json = true;
                continue;
            }
            long value;
            try {
                value = Long.parseLong(i + 1 < args.length ? args[i + 1] : "");
            } catch (NumberFormatException e) {
                System.err.println("mroce sim: " + args[i] + " needs a number");
                return 2;
            }
            switch (args[i++]) {
                case "--seed" -> seed = value;
                case "--seeds" -> seeds = (int) Math.max(1, value);
                default -> {
                    System.err.println("mroce sim: unknown option " + args[i - 1]);
                    return 2;
                }
            }
        }
        Figures figures = new Figures();
        long startNs = System.nanoTime();
        for (int i = 0; i < seeds; i++) {
            chosen.run(seed + i, figures);
            double seconds = (System.nanoTime() - startNs) / 1e9;
            if (seconds > 2 && i + 1 < seeds) {
                System.err.printf(Locale.ROOT, "%s: seed %d of %d, %.0f s%n", chosen.name(), i + 1, seeds, seconds);
            }
        }
        System.out.print(json ? figures.json() : figures.lines());
        System.err.printf(
                Locale.ROOT,
                "%s: %d seeds from %d, %.1f s%n",
                chosen.name(),
                seeds,
                seed,
                (System.nanoTime() - startNs) / 1e9);
        return 0;
    }
}
