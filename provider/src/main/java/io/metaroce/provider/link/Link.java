package io.metaroce.provider.link;

import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.port.TxBatch;

/** A way for frames in and out. Used by the holder of the turn only. */
public interface Link extends TxBatch, AutoCloseable {
    /**
     * Adds what has arrived to {@code batch}, at most until it is full. Frames of the poll before are given back: their bytes are no longer valid.
     *
     * @return frames added
     */
    int poll(RxBatch batch, long nowNs);

    /** Sends what was committed. */
    void flush(long nowNs);

    /** True while committed frames wait because the kernel took no more: {@link #flush} must be called again soon. */
    boolean isCongested();

    /** Number of descriptors that become readable (POLLIN) when a frame has arrived. */
    int fds();

    int fd(int i);

    @Override
    void close();
}
