package io.metaroce.provider.device;

import io.metaroce.provider.engine.QpControl;
import io.metaroce.provider.port.ApplicationMemory;
import io.metaroce.provider.port.Completions;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.EventSignal;
import io.metaroce.provider.port.Events;
import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.port.Regions;
import io.metaroce.provider.port.Routes;
import io.metaroce.provider.slots.Commands;
import io.metaroce.provider.slots.CountersCommand;
import io.metaroce.provider.slots.CqCommand;
import io.metaroce.provider.slots.CreateQpCommand;
import io.metaroce.provider.slots.MrCommand;
import io.metaroce.provider.slots.PdCommand;
import io.metaroce.provider.slots.QpAttr;
import io.metaroce.provider.slots.QpCommand;
import io.metaroce.provider.slots.RecvSlot;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.wire.Mem;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The verbs objects of one process. Made first, for the engine needs its {@link #regions}, {@link #completions} and {@link #events}; then {@link #connect}ed with the
 * engine's {@link QpControl}. Every method is called by the holder of the turn.
 */
public final class Device implements AutoCloseable {
    /** {@code enum ibv_qp_type}. */
    private static final int RC = 2;

    private static final int MAX_QP_TYPE = 0xff;

    private final DeviceConfig config;
    private final Counters counters;
    private final RegionTable regions;
    private final QpTable qps;
    private final CompletionQueues cqs;
    private final AsyncEvents events;
    private final ProtectionDomains pds = new ProtectionDomains();
    private final QpAttributes attributes = new QpAttributes();
    private final long scratch = Mem.alloc(QpAttr.SIZE);

    private @Nullable QpControl engine;
    private @Nullable Routes routes;

    /**
     * @param memory how the bytes of the application are touched
     * @param signal how an event descriptor gets its permit
     * @param clock CLOCK_MONOTONIC in nanoseconds, for the time stamps of CQEs
     * @param log what goes wrong, one line at a time
     * @param notes what goes as it should
     */
    public Device(
            DeviceConfig config,
            ApplicationMemory memory,
            EventSignal signal,
            Counters counters,
            LongSupplier clock,
            Consumer<String> log,
            Consumer<String> notes) {
        this.config = config;
        this.counters = counters;
        regions = new RegionTable(memory, config.seed());
        qps = new QpTable(config.localSlot());
        events = new AsyncEvents(config.asyncRing(), config.asyncFd(), signal, qps, log, notes);
        cqs = new CompletionQueues(config.control(), signal, events, qps, counters, clock);
    }

    /** Memory by key, for the engine. */
    public Regions regions() {
        return regions;
    }

    /** Where the engine puts completions. */
    public Completions completions() {
        return cqs;
    }

    /** Where the engine tells of events. */
    public Events events() {
        return events;
    }

    /**
     * What is behind the device; once, before the first command.
     *
     * @param control the engine's side of the queue pairs
     * @param ways where packets can go: a QP is not connected to a GID to which no route leads
     */
    public void connect(QpControl control, Routes ways) {
        engine = control;
        routes = ways;
        cqs.connect(control);
    }

    /** The device can go on no longer: every program is told once. */
    public void fatal() {
        events.deviceEvent(AsyncEvents.DEVICE_FATAL);
    }

    /** An event of the port, PORT_ACTIVE or PORT_ERR. */
    public void portEvent(int eventType) {
        events.deviceEvent(eventType);
    }

    /**
     * Carries out one command of {@code mroce_abi.h}.
     *
     * @param op {@code enum mroce_op}
     * @param record address of the record that belongs to it
     * @return 0, or an errno that the man page of the verb names; EOPNOTSUPP for an unknown op
     */
    public int command(int op, long record, long nowNs) {
        if (record == 0) {
            return Errno.EINVAL;
        }
        return switch (op) {
            case Commands.ALLOC_PD -> allocPd(record);
            case Commands.DEALLOC_PD -> pds.remove(PdCommand.pd(record));
            case Commands.REG_MR -> regMr(record);
            case Commands.DEREG_MR -> deregMr(record);
            case Commands.CREATE_CQ -> createCq(record);
            case Commands.RESIZE_CQ -> cqs.resize(CqCommand.cq(record), CqCommand.ring(record));
            case Commands.DESTROY_CQ -> destroyCq(record);
            case Commands.CREATE_QP -> createQp(record);
            case Commands.MODIFY_QP -> modifyQp(record, nowNs);
            case Commands.QUERY_QP -> queryQp(record);
            case Commands.DESTROY_QP -> destroyQp(record, nowNs);
            case Commands.COUNTERS -> counters(record);
            default -> Errno.EOPNOTSUPP;
        };
    }

    private int allocPd(long record) {
        int pd = pds.add();
        if (pd < 0) {
            return Errno.ENOMEM;
        }
        PdCommand.pd(record, pd);
        return 0;
    }

    private int regMr(long record) {
        int pd = MrCommand.pd(record);
        if (!pds.exists(pd)) {
            return Errno.EINVAL;
        }
        int error = regions.register(
                pd, MrCommand.access(record), MrCommand.addr(record), MrCommand.length(record), MrCommand.iova(record));
        if (error != 0) {
            return error;
        }
        pds.use(pd, 1);
        MrCommand.lkey(record, regions.lastKey());
        MrCommand.rkey(record, regions.lastKey());
        return 0;
    }

    private int deregMr(long record) {
        int lkey = MrCommand.lkey(record);
        int pd = regions.pdOf(lkey);
        int error = regions.deregister(lkey);
        if (error == 0) {
            pds.use(pd, -1);
        }
        return error;
    }

    private int createCq(long record) {
        int cq = cqs.create(
                CqCommand.ring(record),
                CqCommand.channelFd(record),
                CqCommand.channelRing(record),
                CqCommand.cookie(record));
        if (cq < 0) {
            return -cq;
        }
        CqCommand.cq(record, cq);
        return 0;
    }

    private int destroyCq(long record) {
        CompletionQueues.Cq cq = cqs.get(CqCommand.cq(record));
        int error = cqs.destroy(CqCommand.cq(record));
        if (error == 0 && cq != null) {
            events.forget(cq.cookie);
        }
        return error;
    }

    private int createQp(long record) {
        int type = CreateQpCommand.qpType(record);
        if (type != RC) {
            return type > RC && type <= MAX_QP_TYPE ? Errno.EOPNOTSUPP : Errno.EINVAL;
        }
        int pd = CreateQpCommand.pd(record);
        CompletionQueues.Cq sendCq = cqs.get(CreateQpCommand.sendCq(record));
        CompletionQueues.Cq recvCq = cqs.get(CreateQpCommand.recvCq(record));
        if (!pds.exists(pd) || sendCq == null || recvCq == null || CreateQpCommand.srq(record) != 0) {
            return Errno.EINVAL;
        }
        int sendSge = CreateQpCommand.maxSendSge(record);
        int recvSge = CreateQpCommand.maxRecvSge(record);
        int inline = CreateQpCommand.maxInline(record);
        long sq = CreateQpCommand.sqRing(record);
        long rq = CreateQpCommand.rqRing(record);
        if (!within(sendSge, Commands.MAX_SGE)
                || !within(recvSge, Commands.MAX_SGE)
                || !within(inline, Commands.MAX_INLINE)
                || !isRing(sq, SendSlot.stride(sendSge, inline))
                || !isRing(rq, RecvSlot.stride(recvSge))) {
            return Errno.EINVAL;
        }
        QpTable.Qp qp = new QpTable.Qp();
        qp.type = type;
        qp.pd = pd;
        qp.sendCq = CreateQpCommand.sendCq(record);
        qp.recvCq = CreateQpCommand.recvCq(record);
        qp.cookie = CreateQpCommand.cookie(record);
        qp.attr[QpAttr.CAP_SEND_WR / 4] = Ring.entries(sq);
        qp.attr[QpAttr.CAP_RECV_WR / 4] = Ring.entries(rq);
        qp.attr[QpAttr.CAP_SEND_SGE / 4] = sendSge;
        qp.attr[QpAttr.CAP_RECV_SGE / 4] = recvSge;
        qp.attr[QpAttr.CAP_INLINE / 4] = inline;
        int index = qps.add(qp, CreateQpCommand.sqCookie(record));
        if (index < 0) {
            return Errno.ENOMEM;
        }
        engine().create(index, type, pd, qp.sendCq, qp.recvCq, sq, rq);
        pds.use(pd, 1);
        sendCq.users++;
        recvCq.users++;
        CreateQpCommand.qp(record, index);
        CreateQpCommand.qpn(record, qps.qpn(index));
        return 0;
    }

    private int modifyQp(long record, long nowNs) {
        QpTable.Qp qp = qps.get(QpCommand.qp(record));
        if (qp == null) {
            return Errno.EINVAL;
        }
        int mask = QpCommand.attrMask(record);
        long attr = QpCommand.attr(record);
        int from = engine().state(qp.index);
        int to = (mask & QpMask.STATE) != 0 ? QpAttr.qpState(attr) : from;
        if (!within(to, QpTransitions.ERR)) {
            return Errno.EINVAL;
        }
        int error = QpTransitions.check(from, to, mask);
        if (error != 0) {
            return error;
        }
        if ((mask & QpMask.CUR_STATE) != 0 && QpAttr.curQpState(attr) != from) {
            return Errno.EINVAL;
        }
        error = QpAttributeRules.check(mask, attr, config.gids());
        if (error != 0) {
            return error;
        }
        if ((mask & QpMask.AV) != 0 && !hasRoute(QpAttr.ahDgidHi(attr), QpAttr.ahDgidLo(attr))) {
            return Errno.ENETUNREACH;
        }
        QpAttributeRules.take(mask, attr, qp.attr);
        if (to == QpTransitions.RESET) {
            QpAttributeRules.reset(qp.attr);
        }
        qp.wantDrainedNotice(from == QpTransitions.RTS
                && to == QpTransitions.SQD
                && (mask & QpMask.EN_SQD_ASYNC_NOTIFY) != 0
                && QpAttr.enSqdAsyncNotify(attr) != 0);
        QpAttributeRules.toEngine(qp.attr, scratch, attributes);
        engine().modify(qp.index, to, mask, attributes, nowNs);
        cqs.publish();
        return 0;
    }

    /** Whether a route leads to an address from any plane: Linux looks it up, too, when the address vector is given, and answers ENETUNREACH. */
    private boolean hasRoute(long hi, long lo) {
        Routes ways = routes;
        if (ways == null) {
            throw new IllegalStateException("a command came before the routes were connected");
        }
        for (int plane = 0; plane < ways.planes(); plane++) {
            int destination = ways.destination(plane, hi, lo, ways.localPort());
            if (destination >= 0) {
                ways.release(destination);
                return true;
            }
        }
        return false;
    }

    private int queryQp(long record) {
        QpTable.Qp qp = qps.get(QpCommand.qp(record));
        if (qp == null) {
            return Errno.EINVAL;
        }
        long attr = QpCommand.attr(record);
        int state = engine().state(qp.index);
        QpAttributeRules.give(qp.attr, attr);
        QpAttr.qpState(attr, state);
        QpAttr.curQpState(attr, state);
        QpAttr.sqDraining(attr, state == QpTransitions.SQD && engine().draining(qp.index) ? 1 : 0);
        return 0;
    }

    private int destroyQp(long record, long nowNs) {
        QpTable.Qp qp = qps.get(QpCommand.qp(record));
        if (qp == null) {
            return Errno.EINVAL;
        }
        engine().destroy(qp.index, nowNs);
        cqs.publish();
        events.forget(qp.cookie);
        qps.remove(qp.index);
        pds.use(qp.pd, -1);
        release(qp.sendCq);
        release(qp.recvCq);
        return 0;
    }

    private int counters(long record) {
        byte[] text = counters.toString().getBytes(StandardCharsets.UTF_8);
        long room = CountersCommand.length(record);
        CountersCommand.length(record, text.length);
        if (room < text.length) {
            return Errno.ENOSPC;
        }
        Mem.copy(text, 0, CountersCommand.buffer(record), text.length);
        return 0;
    }

    private void release(int number) {
        CompletionQueues.Cq cq = cqs.get(number);
        if (cq != null) {
            cq.users--;
        }
    }

    private QpControl engine() {
        QpControl control = engine;
        if (control == null) {
            throw new IllegalStateException("a command came before the engine was connected");
        }
        return control;
    }

    private static boolean within(int value, int most) {
        return value >= 0 && value <= most;
    }

    private static boolean isRing(long ring, int leastStride) {
        return ring != 0
                && Ring.validGeometry(Ring.entries(ring), Ring.stride(ring))
                && Ring.entries(ring) <= Commands.MAX_QP_WR
                && Ring.stride(ring) >= leastStride;
    }

    /** The process ends: every QP leaves as if it were destroyed, so that peers hear its last words. No command may follow. */
    public void leave(long nowNs) {
        for (int index = QpTable.FIRST; index < qps.end(); index++) {
            if (qps.get(index) != null) {
                engine().destroy(index, nowNs);
                qps.remove(index);
            }
        }
    }

    /** Gives the device's own native memory back; the engine must have stopped. */
    @Override
    public void close() {
        regions.close();
        Mem.free(scratch);
    }
}
