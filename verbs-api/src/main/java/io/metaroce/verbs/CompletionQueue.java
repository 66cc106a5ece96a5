package io.metaroce.verbs;

/** Completions of work requests, oldest first. One thread at a time polls a queue. */
public interface CompletionQueue extends AutoCloseable {
    DeviceContext context();

    /** Completions it holds. */
    int entries();

    /**
     * Takes the oldest completion (ibv_poll_cq). An empty queue makes this thread drive the device for a moment, so that a loop around this call is the fastest way
     * to wait.
     *
     * @param completion receives it
     * @return false when there is none now
     */
    boolean poll(WorkCompletion completion);

    /**
     * Asks for one event on the channel at the next completion (ibv_req_notify_cq). Completions that came before this call send none: poll once more after it.
     *
     * @param solicitedOnly only for a receive that its sender marked {@link SendFlags#SOLICITED}, or a completion with an error
     */
    void requestNotification(boolean solicitedOnly);

    /**
     * Changes its size (ibv_resize_cq); what it holds stays, in order. No thread may poll meanwhile.
     *
     * @param entries completions it must hold, at least those that are in it
     * @throws VerbsException EINVAL for a size out of range
     */
    void resize(int entries);

    /**
     * Closes it (ibv_destroy_cq); events not yet taken are forgotten.
     *
     * @throws VerbsException EBUSY while queue pairs use it
     */
    @Override
    void close();
}
