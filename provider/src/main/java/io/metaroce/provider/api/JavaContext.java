package io.metaroce.provider.api;

import io.metaroce.provider.device.DeviceConfig;
import io.metaroce.provider.slots.Commands;
import io.metaroce.provider.slots.PdCommand;
import io.metaroce.verbs.AsyncEvent;
import io.metaroce.verbs.AsyncEventType;
import io.metaroce.verbs.CompletionChannel;
import io.metaroce.verbs.CompletionQueue;
import io.metaroce.verbs.DeviceAttributes;
import io.metaroce.verbs.DeviceContext;
import io.metaroce.verbs.Errno;
import io.metaroce.verbs.Gid;
import io.metaroce.verbs.Mtu;
import io.metaroce.verbs.PortAttributes;
import io.metaroce.verbs.ProtectionDomain;
import io.metaroce.verbs.RdmaDevice;
import io.metaroce.verbs.VerbsException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

final class JavaContext implements DeviceContext {
    /** Port 0 is no port: no real event equals this one. */
    private static final AsyncEvent CLOSED = new AsyncEvent(AsyncEventType.DEVICE_FATAL, null, null, 0);

    final Session session;
    private final JavaDevice device;
    private final AtomicInteger children = new AtomicInteger();
    private final LinkedBlockingQueue<AsyncEvent> events = new LinkedBlockingQueue<>();
    private volatile boolean closed;

    JavaContext(JavaDevice device, Session session) {
        this.device = device;
        this.session = session;
    }

    @Override
    public RdmaDevice device() {
        return device;
    }

    @Override
    public DeviceAttributes attributes() {
        return new DeviceAttributes(
                session.runtime.nodeGuid(),
                Commands.MAX_QP,
                Commands.MAX_QP_WR,
                Commands.MAX_SGE,
                Commands.MAX_INLINE,
                Commands.MAX_CQ,
                Commands.MAX_CQE,
                Commands.MAX_MR,
                Commands.MAX_PD,
                Commands.MAX_RD_ATOMIC,
                Integer.toUnsignedLong(Commands.MAX_MSG_SIZE));
    }

    @Override
    public PortAttributes port() {
        VerbsRuntime runtime = session.runtime;
        Mtu active = Mtu.of(DeviceConfig.mtuNumber(runtime.netdevMtu()));
        return new PortAttributes(
                runtime.linkUp(), active, Mtu.MTU_4096, runtime.gids().size(), runtime.speedMbps());
    }

    @Override
    public List<Gid> gids() {
        return session.runtime.gids();
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        enter("alloc_pd");
        try {
            int[] pd = new int[1];
            session.command("alloc_pd", Commands.ALLOC_PD, record -> {}, record -> pd[0] = PdCommand.pd(record));
            return new JavaPd(this, pd[0]);
        } catch (RuntimeException e) {
            leave();
            throw e;
        }
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        enter("create_comp_channel");
        return new JavaChannel(this);
    }

    @Override
    public CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel) {
        enter("create_cq");
        try {
            if (channel != null && !(channel instanceof JavaChannel ours && ours.isOpenIn(this))) {
                throw new VerbsException(
                        "create_cq", Errno.EINVAL, "the channel is closed or belongs to another context");
            }
            return new JavaCq(this, entries, (JavaChannel) channel);
        } catch (RuntimeException e) {
            leave();
            throw e;
        }
    }

    @Override
    public @Nullable AsyncEvent awaitAsyncEvent(Duration timeout) throws InterruptedException {
        AsyncEvent event = closed ? null : events.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
        if (CLOSED.equals(event)) {
            events.add(CLOSED); // for the next one who waits
            return null;
        }
        return event;
    }

    void onPortEvent(AsyncEventType type) {
        events.add(new AsyncEvent(type, null, null, 1));
    }

    void onEvent(AsyncEvent event) {
        events.add(event);
    }

    /** Forgets the events of an object that is closed. */
    void forget(Object object) {
        events.removeIf(event -> event.queuePair() == object || event.completionQueue() == object);
    }

    /** One more object. */
    void enter(String verb) {
        if (closed) {
            throw new VerbsException(verb, Errno.ENODEV, "the context is closed");
        }
        children.incrementAndGet();
    }

    void leave() {
        children.decrementAndGet();
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        int open = children.get();
        if (open > 0) {
            throw new VerbsException("close_device", Errno.EBUSY, open + " objects of this context are open");
        }
        closed = true;
        events.add(CLOSED);
        device.close(this);
    }
}
