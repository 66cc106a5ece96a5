package io.metaroce.provider.api;

import io.metaroce.provider.slots.Commands;
import io.metaroce.provider.slots.Control;
import io.metaroce.provider.slots.CqCommand;
import io.metaroce.provider.slots.Cqe;
import io.metaroce.provider.slots.Ring;
import io.metaroce.verbs.AsyncEvent;
import io.metaroce.verbs.AsyncEventType;
import io.metaroce.verbs.CompletionQueue;
import io.metaroce.verbs.DeviceContext;
import io.metaroce.verbs.Errno;
import io.metaroce.verbs.VerbsException;
import io.metaroce.verbs.WorkCompletion;
import io.metaroce.wire.Mem;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The reading side of a completion queue's ring. */
final class JavaCq implements CompletionQueue, Session.Named {
    /** Empty looks before the core is offered to others: two that spin on one core would wait for each other's time slice. */
    private static final int EMPTY_POLLS_BEFORE_YIELD = 48;

    final JavaContext context;
    final long cookie;
    final int number;
    private final VerbsRuntime runtime;
    private final @Nullable JavaChannel channel;
    private volatile long ring;
    private int mask;
    private int head;
    private int emptyPolls;
    private volatile boolean closed;

    JavaCq(JavaContext context, int wanted, @Nullable JavaChannel channel) {
        this.context = context;
        this.channel = channel;
        runtime = context.session.runtime;
        int entries = entriesFor("create_cq", wanted);
        ring = Ring.allocate(entries, Cqe.SIZE);
        mask = entries - 1;
        cookie = context.session.enter(this);
        int[] created = new int[1];
        try {
            context.session.command(
                    "create_cq",
                    Commands.CREATE_CQ,
                    record -> {
                        CqCommand.ring(record, ring);
                        CqCommand.channelFd(record, channel == null ? -1 : channel.fd);
                        CqCommand.channelRing(record, channel == null ? 0 : channel.ring);
                        CqCommand.cookie(record, cookie);
                    },
                    record -> created[0] = CqCommand.cq(record));
        } catch (RuntimeException e) {
            context.session.leave(cookie);
            Ring.free(ring);
            throw e;
        }
        number = created[0];
        if (channel != null) {
            channel.join();
        }
    }

    private static int entriesFor(String verb, int wanted) {
        if (wanted < 1 || wanted > Commands.MAX_CQE) {
            throw new VerbsException(verb, Errno.EINVAL, wanted + " entries");
        }
        return Ring.entriesFor(Math.max(wanted, Commands.MIN_CQE));
    }

    long ring() {
        return ring;
    }

    @Override
    public DeviceContext context() {
        return context;
    }

    @Override
    public int entries() {
        return mask + 1;
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // the yield is what lets the peer run on a machine with one core
    public boolean poll(WorkCompletion completion) {
        if (closed) {
            throw new VerbsException("poll_cq", Errno.EINVAL, "the queue is closed");
        }
        long r = ring;
        int h = head;
        if (Ring.tailAcquire(r) == h) {
            runtime.drive();
            if (Ring.tailAcquire(r) == h) {
                if (++emptyPolls >= EMPTY_POLLS_BEFORE_YIELD) {
                    emptyPolls = 0;
                    Thread.yield();
                }
                return false;
            }
        }
        emptyPolls = 0;
        long cqe = Ring.slot(r, h, mask + 1, Cqe.SIZE);
        completion.set(
                Cqe.wrId(cqe),
                Cqe.status(cqe),
                Cqe.opcode(cqe),
                Cqe.byteLen(cqe),
                Mem.getIntBe(cqe + Cqe.IMM),
                Cqe.qpNum(cqe),
                Cqe.wcFlags(cqe),
                Cqe.timestampNs(cqe));
        head = h + 1;
        Ring.publishHead(r, h + 1);
        return true;
    }

    @Override
    public synchronized void requestNotification(boolean solicitedOnly) {
        if (closed) {
            throw new VerbsException("req_notify_cq", Errno.EINVAL, "the queue is closed");
        }
        int wanted = solicitedOnly ? 1 : 2;
        long r = ring;
        while (true) {
            int armed = Ring.waiting(r);
            if (armed >= wanted) {
                break;
            }
            if (Ring.casWaiting(r, armed, wanted)) {
                if (armed == 0) {
                    Control.addArmedCqs(runtime.control(), 1);
                }
                break;
            }
        }
        // The engine writes CQEs and reads the word; this wrote the word, and the program polls again next.
        VarHandle.fullFence();
        if (Control.daemonState(runtime.control()) == Control.DAEMON_PATROL) {
            runtime.kick();
        }
    }

    @Override
    public synchronized void resize(int wanted) {
        int entries = entriesFor("resize_cq", wanted);
        if (closed) {
            throw new VerbsException("resize_cq", Errno.EINVAL, "the queue is closed");
        }
        // Readers of the channel stand still; the holder of the turn, whom the command waits for, takes neither
        // monitor.
        synchronized (channel == null ? this : channel) {
            exchange(entries);
        }
    }

    private void exchange(int entries) {
        long bigger = Ring.allocate(entries, Cqe.SIZE);
        try {
            context.session.command("resize_cq", Commands.RESIZE_CQ, record -> {
                CqCommand.cq(record, number);
                CqCommand.ring(record, bigger);
            });
        } catch (RuntimeException e) {
            Ring.free(bigger);
            throw e;
        }
        long old = ring;
        mask = entries - 1;
        ring = bigger;
        Ring.free(old);
    }

    @Override
    public void onAsyncEvent(AsyncEventType type) {
        context.onEvent(new AsyncEvent(type, null, this, 1));
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        context.session.command("destroy_cq", Commands.DESTROY_CQ, record -> CqCommand.cq(record, number));
        closed = true;
        context.session.leave(cookie);
        if (channel != null) {
            channel.leave(this);
        }
        context.forget(this);
        Ring.free(ring);
        context.leave();
    }
}
