package io.metaroce.provider.api;

import io.metaroce.provider.slots.AsyncSlot;
import io.metaroce.provider.slots.Ring;
import io.metaroce.verbs.AsyncEventType;
import io.metaroce.verbs.VerbsException;
import io.metaroce.wire.Mem;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** One running device and what its contexts share: the objects by cookie, the asynchronous events. */
final class Session {
    private static final int ASYNC_ENTRIES = 1024;
    /** The largest command record is 176 bytes. */
    private static final int RECORD_BYTES = 256;

    /** How a device is started: with its event descriptors and the ring of asynchronous events. */
    interface Opener {
        VerbsRuntime open(JavaSignals signals, long asyncRing, int asyncFd);
    }

    /** An object that asynchronous events and channel events name. */
    interface Named {
        void onAsyncEvent(AsyncEventType type);
    }

    final JavaSignals signals = new JavaSignals();
    final VerbsRuntime runtime;
    private final long asyncRing = Ring.allocate(ASYNC_ENTRIES, AsyncSlot.SIZE);
    private final Map<Long, Named> objects = new ConcurrentHashMap<>();
    private final Map<Integer, Object> memory = new ConcurrentHashMap<>();
    private final AtomicLong nextCookie = new AtomicLong(1);
    private final CopyOnWriteArrayList<JavaContext> contexts = new CopyOnWriteArrayList<>();

    Session(Opener opener) {
        int asyncFd = signals.open(this::takeAsyncEvents);
        VerbsRuntime started;
        try {
            started = opener.open(signals, asyncRing, asyncFd);
        } catch (RuntimeException | Error e) {
            Ring.free(asyncRing);
            throw e;
        }
        runtime = started;
    }

    void add(JavaContext context) {
        contexts.add(context);
    }

    /** Takes a context away; true when it was the last one. */
    boolean remove(JavaContext context) {
        contexts.remove(context);
        return contexts.isEmpty();
    }

    void close() {
        runtime.close();
        Ring.free(asyncRing);
    }

    /** Gives an object the cookie by which events name it. */
    long enter(Named object) {
        long cookie = nextCookie.getAndIncrement();
        objects.put(cookie, object);
        return cookie;
    }

    void leave(long cookie) {
        objects.remove(cookie);
    }

    @Nullable
    Named object(long cookie) {
        return objects.get(cookie);
    }

    /** Keeps the memory behind a region reachable while it is open, whether or not the program keeps it. */
    void hold(int key, Object owner) {
        memory.put(key, owner);
    }

    void letGo(int key) {
        memory.remove(key);
    }

    /** By the holder of the turn, for each event. */
    private void takeAsyncEvents() {
        int head = Ring.head(asyncRing);
        int tail = Ring.tailAcquire(asyncRing);
        for (; head != tail; head++) {
            long slot = Ring.slot(asyncRing, head);
            AsyncEventType type = AsyncEventType.of(AsyncSlot.eventType(slot));
            long cookie = AsyncSlot.cookie(slot);
            Named object = objects.get(cookie);
            if (object != null) {
                object.onAsyncEvent(type);
            } else if (cookie == 0) {
                contexts.forEach(context -> context.onPortEvent(type));
            }
        }
        Ring.publishHead(asyncRing, head);
    }

    /** Fills a record before a command, and reads it after one. */
    interface RecordUse {
        void at(long record);
    }

    /**
     * Carries out a command.
     *
     * @throws VerbsException if it is refused
     */
    void command(String verb, int op, RecordUse fill, RecordUse read) {
        long record = Mem.alloc(RECORD_BYTES);
        try {
            fill.at(record);
            int errno = runtime.command(op, record);
            if (errno != 0) {
                throw new VerbsException(verb, errno, Reasons.of(verb, errno));
            }
            read.at(record);
        } finally {
            Mem.free(record);
        }
    }

    void command(String verb, int op, RecordUse fill) {
        command(verb, op, fill, record -> {});
    }
}
