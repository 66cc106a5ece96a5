package io.metaroce.provider.run;

/** One bounded duty cycle of the engine; called by the holder of the turn. */
interface Cycle {
    /**
     * Takes the doorbells, receives, handles timers, sends, and publishes completions and the next deadline.
     *
     * @return what was moved: doorbells and frames; 0 when there was nothing to do
     */
    int run(long nowNs);
}
