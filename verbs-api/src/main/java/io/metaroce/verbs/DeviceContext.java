package io.metaroce.verbs;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An open device: where protection domains, completion queues and channels come from. Safe for use by many threads. */
public interface DeviceContext extends AutoCloseable {
    /** The device that was opened. */
    RdmaDevice device();

    /** What the device can do (ibv_query_device). */
    DeviceAttributes attributes();

    /** The state of its only port, number 1 (ibv_query_port). */
    PortAttributes port();

    /** The GID table (ibv_query_gid). An address stands in it twice: at an even index it speaks MetaRoCE, at the odd index after it RoCEv2. */
    List<Gid> gids();

    /**
     * One GID.
     *
     * @throws VerbsException ENODATA past the end of the table
     */
    default Gid gid(int index) {
        List<Gid> gids = gids();
        if (index < 0 || index >= gids.size()) {
            throw new VerbsException("query_gid", Errno.ENODATA, "there is no GID " + index);
        }
        return gids.get(index);
    }

    /**
     * A protection domain (ibv_alloc_pd).
     *
     * @throws VerbsException ENOMEM when there are as many as can be
     */
    ProtectionDomain allocateProtectionDomain();

    /** A channel by which completion queues wake a thread (ibv_create_comp_channel). */
    CompletionChannel createCompletionChannel();

    /**
     * A completion queue without a channel (ibv_create_cq).
     *
     * @param entries completions it must hold, 1 to {@link DeviceAttributes#maxCqe}; it may hold more
     * @throws VerbsException EINVAL for a size out of range, ENOMEM when there are as many queues as can be
     */
    default CompletionQueue createCompletionQueue(int entries) {
        return createCompletionQueue(entries, null);
    }

    /** A completion queue whose events go to a channel; see {@link #createCompletionQueue(int)}. */
    CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel);

    /**
     * Waits for an asynchronous event (ibv_get_async_event): an error of a queue pair or a completion queue, a change of the port. It counts as acknowledged.
     *
     * @return the event, or null when the time has passed or the context was closed
     */
    @Nullable
    AsyncEvent awaitAsyncEvent(Duration timeout) throws InterruptedException;

    /**
     * Closes the context (ibv_close_device).
     *
     * @throws VerbsException EBUSY while objects of it are open
     */
    @Override
    void close();
}
