package io.metaroce.verbs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Wakes threads that wait for completions. Any number of completion queues may share one, and any number of threads may wait; an event wakes one. */
public interface CompletionChannel extends AutoCloseable {
    /**
     * Waits for an event (ibv_get_cq_event). It counts as acknowledged. A queue sends one event for each {@link CompletionQueue#requestNotification}.
     *
     * @return the queue that has completions, or null when the time has passed or the channel was closed
     */
    @Nullable
    CompletionQueue await(Duration timeout) throws InterruptedException;

    /**
     * Closes it (ibv_destroy_comp_channel).
     *
     * @throws VerbsException EBUSY while queues use it
     */
    @Override
    void close();
}
