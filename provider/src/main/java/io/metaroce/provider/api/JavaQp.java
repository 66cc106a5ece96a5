package io.metaroce.provider.api;

import io.metaroce.provider.slots.Commands;
import io.metaroce.provider.slots.CreateQpCommand;
import io.metaroce.provider.slots.QpAttr;
import io.metaroce.provider.slots.QpCommand;
import io.metaroce.provider.slots.RecvSlot;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.verbs.AsyncEvent;
import io.metaroce.verbs.AsyncEventType;
import io.metaroce.verbs.Errno;
import io.metaroce.verbs.Gid;
import io.metaroce.verbs.Mtu;
import io.metaroce.verbs.ProtectionDomain;
import io.metaroce.verbs.QpAttributes;
import io.metaroce.verbs.QpCapacity;
import io.metaroce.verbs.QpState;
import io.metaroce.verbs.QueuePair;
import io.metaroce.verbs.ReceiveQueue;
import io.metaroce.verbs.SendQueue;
import io.metaroce.verbs.VerbsException;

final class JavaQp implements QueuePair, Session.Named {
    private static final int RC = 2;

    final VerbsRuntime runtime;
    final int number;
    private final JavaPd pd;
    private final int qpn;
    private final long cookie;
    private final QpCapacity capacity;
    private final JavaSendQueue sends;
    private final JavaReceiveQueue receives;
    private volatile int state;
    private volatile boolean closed;

    JavaQp(JavaPd pd, JavaCq sendCq, JavaCq receiveCq, QpCapacity wanted) {
        this.pd = pd;
        runtime = pd.context.session.runtime;
        check(wanted);
        int stride = SendSlot.stride(wanted.sendSge(), wanted.inlineBytes());
        long sq = Ring.allocate(Ring.entriesFor(wanted.sendWr()), stride);
        long rq = Ring.allocate(Ring.entriesFor(wanted.receiveWr()), RecvSlot.stride(wanted.receiveSge()));
        int inline = Math.min(stride - SendSlot.PAYLOAD, Commands.MAX_INLINE); // what the slot holds anyway
        capacity = new QpCapacity(
                wanted.sendWr() == 0 ? 0 : Ring.entries(sq),
                wanted.receiveWr() == 0 ? 0 : Ring.entries(rq),
                wanted.sendSge(),
                wanted.receiveSge(),
                inline);
        cookie = pd.context.session.enter(this);
        int[] created = new int[2];
        try {
            pd.context.session.command(
                    "create_qp",
                    Commands.CREATE_QP,
                    record -> {
                        CreateQpCommand.pd(record, pd.number);
                        CreateQpCommand.qpType(record, RC);
                        CreateQpCommand.sendCq(record, sendCq.number);
                        CreateQpCommand.recvCq(record, receiveCq.number);
                        CreateQpCommand.maxSendSge(record, wanted.sendSge());
                        CreateQpCommand.maxRecvSge(record, wanted.receiveSge());
                        CreateQpCommand.maxInline(record, inline);
                        CreateQpCommand.sqRing(record, sq);
                        CreateQpCommand.rqRing(record, rq);
                        CreateQpCommand.cookie(record, cookie);
                        CreateQpCommand.sqCookie(record, cookie);
                    },
                    record -> {
                        created[0] = CreateQpCommand.qp(record);
                        created[1] = CreateQpCommand.qpn(record);
                    });
        } catch (RuntimeException e) {
            pd.context.session.leave(cookie);
            Ring.free(sq);
            Ring.free(rq);
            throw e;
        }
        number = created[0];
        qpn = created[1];
        sends = new JavaSendQueue(this, sq, capacity);
        receives = new JavaReceiveQueue(this, rq, capacity);
    }

    private static void check(QpCapacity c) {
        if (!within(c.sendWr(), Commands.MAX_QP_WR)
                || !within(c.receiveWr(), Commands.MAX_QP_WR)
                || !within(c.sendSge(), Commands.MAX_SGE)
                || !within(c.receiveSge(), Commands.MAX_SGE)
                || !within(c.inlineBytes(), Commands.MAX_INLINE)) {
            throw new VerbsException("create_qp", Errno.EINVAL, "the device has no such capacity: " + c);
        }
    }

    private static boolean within(int value, int most) {
        return value >= 0 && value <= most;
    }

    /** State as of the last change that this program made or asked for. */
    int lastState() {
        return state;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    @Override
    public int qpNumber() {
        return qpn;
    }

    @Override
    public QpCapacity capacity() {
        return capacity;
    }

    @Override
    public QpState state() {
        return query().state();
    }

    @Override
    public QpAttributes query() {
        QpAttributes out = new QpAttributes();
        pd.context.session.command("query_qp", Commands.QUERY_QP, record -> QpCommand.qp(record, number), record -> {
            long attr = QpCommand.attr(record);
            state = QpAttr.qpState(attr);
            out.state(QpState.of(QpAttr.qpState(attr)))
                    .currentState(QpState.of(QpAttr.curQpState(attr)))
                    .drainedNotice(QpAttr.enSqdAsyncNotify(attr) != 0)
                    .access(QpAttr.qpAccessFlags(attr))
                    .pkeyIndex(QpAttr.pkeyIndex(attr))
                    .port(QpAttr.portNum(attr))
                    .pathMtu(Mtu.of(Math.max(1, QpAttr.pathMtu(attr))))
                    .timeout(QpAttr.timeout(attr))
                    .retryCount(QpAttr.retryCnt(attr))
                    .rnrRetry(QpAttr.rnrRetry(attr))
                    .receivePsn(QpAttr.rqPsn(attr))
                    .maxReadAtomic(QpAttr.maxRdAtomic(attr))
                    .minRnrTimer(QpAttr.minRnrTimer(attr))
                    .sendPsn(QpAttr.sqPsn(attr))
                    .maxDestinationReadAtomic(QpAttr.maxDestRdAtomic(attr))
                    .remoteQpNumber(QpAttr.destQpNum(attr))
                    .address(new Gid(QpAttr.ahDgidHi(attr), QpAttr.ahDgidLo(attr)), QpAttr.ahSgidIndex(attr))
                    .hops(QpAttr.ahHopLimit(attr), QpAttr.ahTrafficClass(attr))
                    .sendQueueDraining(QpAttr.sqDraining(attr) != 0);
        });
        return out;
    }

    @Override
    public synchronized void modify(QpAttributes a) {
        pd.context.session.command("modify_qp", Commands.MODIFY_QP, record -> {
            QpCommand.qp(record, number);
            QpCommand.attrMask(record, a.mask());
            long attr = QpCommand.attr(record);
            QpAttr.qpState(attr, a.state().value());
            QpAttr.curQpState(attr, a.currentState().value());
            QpAttr.enSqdAsyncNotify(attr, a.drainedNotice() ? 1 : 0);
            QpAttr.qpAccessFlags(attr, a.access());
            QpAttr.pkeyIndex(attr, a.pkeyIndex());
            QpAttr.portNum(attr, a.port());
            QpAttr.pathMtu(attr, a.pathMtu().value());
            QpAttr.timeout(attr, a.timeout());
            QpAttr.retryCnt(attr, a.retryCount());
            QpAttr.rnrRetry(attr, a.rnrRetry());
            QpAttr.rqPsn(attr, a.receivePsn());
            QpAttr.maxRdAtomic(attr, a.maxReadAtomic());
            QpAttr.minRnrTimer(attr, a.minRnrTimer());
            QpAttr.sqPsn(attr, a.sendPsn());
            QpAttr.maxDestRdAtomic(attr, a.maxDestinationReadAtomic());
            QpAttr.destQpNum(attr, a.remoteQpNumber());
            QpAttr.ahPortNum(attr, 1);
            QpAttr.ahIsGlobal(attr, 1);
            QpAttr.ahSgidIndex(attr, a.gidIndex());
            QpAttr.ahHopLimit(attr, a.hopLimit());
            QpAttr.ahTrafficClass(attr, a.trafficClass());
            QpAttr.ahDgid(attr, a.remoteGid().hi(), a.remoteGid().lo());
        });
        if ((a.mask() & 1) != 0) {
            state = a.state().value();
        }
        if (state == QpState.RESET.value()) {
            sends.reset();
            receives.reset();
        }
    }

    @Override
    public SendQueue sends() {
        return sends;
    }

    @Override
    public ReceiveQueue receives() {
        return receives;
    }

    @Override
    public void onAsyncEvent(AsyncEventType type) {
        pd.context.onEvent(new AsyncEvent(type, this, null, 1));
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        pd.context.session.command("destroy_qp", Commands.DESTROY_QP, record -> QpCommand.qp(record, number));
        closed = true;
        pd.context.session.leave(cookie);
        pd.context.forget(this);
        sends.free();
        receives.free();
        pd.context.leave();
    }
}
