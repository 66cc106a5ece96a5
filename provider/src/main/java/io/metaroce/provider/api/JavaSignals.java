package io.metaroce.provider.api;

import io.metaroce.provider.port.EventSignal;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Event descriptors of a Java program: semaphores, or an action that the holder of the turn runs at once. Numbers start at 1. */
public final class JavaSignals implements EventSignal {
    private volatile @Nullable Object[] signals = new @Nullable Object[8];

    /** A new descriptor without a permit. */
    public int open() {
        return put(new Semaphore(0));
    }

    /** A new descriptor whose permits run an action instead; it must be short and must not wait. */
    public int open(Runnable action) {
        return put(action);
    }

    private synchronized int put(Object signal) {
        @Nullable Object[] all = signals;
        int fd = 1;
        while (fd < all.length && all[fd] != null) {
            fd++;
        }
        if (fd == all.length) {
            all = Arrays.copyOf(all, fd * 2);
        } else {
            all = all.clone();
        }
        all[fd] = signal;
        signals = all;
        return fd;
    }

    /** Gives a descriptor back; whoever waits on it wakes and is told false by {@link #await}. */
    public synchronized void close(int fd) {
        @Nullable Object[] all = signals.clone();
        Object signal = all[fd];
        all[fd] = null;
        signals = all;
        if (signal instanceof Semaphore semaphore) {
            semaphore.release(Integer.MAX_VALUE / 2);
        }
    }

    @Override
    public void signal(int fd) {
        @Nullable Object[] all = signals;
        Object signal = fd > 0 && fd < all.length ? all[fd] : null;
        if (signal instanceof Semaphore semaphore) {
            semaphore.release();
        } else if (signal instanceof Runnable action) {
            action.run();
        }
    }

    /** Takes a permit; false when the time has passed or the descriptor is closed. */
    boolean await(int fd, long timeoutNs) throws InterruptedException {
        Object signal = signals[fd];
        return signal instanceof Semaphore semaphore
                && semaphore.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS)
                && signals[fd] == signal;
    }

    /** Takes up to {@code permits} without waiting. */
    void drain(int fd, int permits) {
        Object signal = signals[fd];
        for (int i = 0; i < permits && signal instanceof Semaphore semaphore && semaphore.tryAcquire(); i++) {}
    }
}
