package io.metaroce.conformance.scenario;

/** One measured situation. */
public interface Scenario {
    String name();

    /** What is built and what is measured, a few lines. */
    String explain();

    /** One run; adds its figures. */
    void run(long seed, Figures figures);
}
