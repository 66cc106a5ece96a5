package io.metaroce.provider.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.metaroce.provider.port.ApplicationMemory;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.slots.AsyncSlot;
import io.metaroce.provider.slots.ChannelSlot;
import io.metaroce.provider.slots.Commands;
import io.metaroce.provider.slots.Control;
import io.metaroce.provider.slots.CqCommand;
import io.metaroce.provider.slots.Cqe;
import io.metaroce.provider.slots.CreateQpCommand;
import io.metaroce.provider.slots.MrCommand;
import io.metaroce.provider.slots.PdCommand;
import io.metaroce.provider.slots.QpAttr;
import io.metaroce.provider.slots.QpCommand;
import io.metaroce.provider.slots.RecvSlot;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.wire.Mem;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** A device with a fake engine, and the command records to talk to it as C does. */
final class DeviceBench implements AutoCloseable {
    static final int SLOT = 5;
    static final int ASYNC_FD = 1;
    static final int CHANNEL_FD = 2;
    static final long NOW = 1_000_000;

    final long control = Control.allocate();
    final long asyncRing;
    final long channelRing = Ring.allocate(8, ChannelSlot.SIZE);
    final AtomicIntegerArray permits = new AtomicIntegerArray(8);
    final FakeQpControl engine = new FakeQpControl();
    final FakeRoutes routes = new FakeRoutes();
    final Counters counters = new Counters();
    final List<String> log = new ArrayList<>();
    final Device device;
    final long record = Mem.alloc(256);
    private final List<Long> rings = new ArrayList<>();
    private final long sq = ring(16, SendSlot.stride(2, 64));
    private final long rq = ring(8, RecvSlot.stride(3));

    DeviceBench() {
        this(new PlainMemory(), 64);
    }

    DeviceBench(ApplicationMemory memory, int asyncEntries) {
        asyncRing = Ring.allocate(asyncEntries, AsyncSlot.SIZE);
        // Two GIDs for one address, MTU number 3 (1024): a netdev of 1500.
        device = new Device(
                new DeviceConfig(SLOT, control, asyncRing, ASYNC_FD, 2, 42),
                memory,
                fd -> permits.getAndIncrement(fd),
                counters,
                () -> NOW,
                log::add,
                line -> {});
        device.connect(engine, routes);
    }

    int command(int op) {
        return device.command(op, record, NOW);
    }

    void clear() {
        Mem.fill(record, 256, 0);
    }

    long ring(int entries, int stride) {
        long ring = Ring.allocate(entries, stride);
        rings.add(ring);
        return ring;
    }

    int pd() {
        clear();
        assertEquals(0, command(Commands.ALLOC_PD));
        return PdCommand.pd(record);
    }

    int deallocPd(int pd) {
        clear();
        PdCommand.pd(record, pd);
        return command(Commands.DEALLOC_PD);
    }

    int regMr(int pd, int access, long addr, long length, long iova) {
        clear();
        MrCommand.pd(record, pd);
        MrCommand.access(record, access);
        MrCommand.addr(record, addr);
        MrCommand.length(record, length);
        MrCommand.iova(record, iova);
        return command(Commands.REG_MR);
    }

    /** Registers and answers the key. */
    int mr(int pd, int access, long addr, long length) {
        assertEquals(0, regMr(pd, access, addr, length, addr));
        assertEquals(MrCommand.lkey(record), MrCommand.rkey(record));
        return MrCommand.lkey(record);
    }

    int deregMr(int lkey) {
        clear();
        MrCommand.lkey(record, lkey);
        return command(Commands.DEREG_MR);
    }

    int createCq(long ring, int channelFd, long cookie) {
        clear();
        CqCommand.ring(record, ring);
        CqCommand.channelFd(record, channelFd);
        CqCommand.channelRing(record, channelFd < 0 ? 0 : channelRing);
        CqCommand.cookie(record, cookie);
        return command(Commands.CREATE_CQ);
    }

    int cq(long ring, int channelFd, long cookie) {
        assertEquals(0, createCq(ring, channelFd, cookie));
        return CqCommand.cq(record);
    }

    int cq(int entries) {
        return cq(ring(entries, Cqe.SIZE), -1, 0xc0);
    }

    int resizeCq(int cq, long ring) {
        clear();
        CqCommand.cq(record, cq);
        CqCommand.ring(record, ring);
        return command(Commands.RESIZE_CQ);
    }

    int destroyCq(int cq) {
        clear();
        CqCommand.cq(record, cq);
        return command(Commands.DESTROY_CQ);
    }

    /** Fills the record of a legal CREATE_QP; one pair of rings serves all queue pairs, for the fake engine does not look. */
    void qpRecord(int pd, int sendCq, int recvCq) {
        clear();
        CreateQpCommand.pd(record, pd);
        CreateQpCommand.qpType(record, 2);
        CreateQpCommand.sendCq(record, sendCq);
        CreateQpCommand.recvCq(record, recvCq);
        CreateQpCommand.maxSendSge(record, 2);
        CreateQpCommand.maxRecvSge(record, 3);
        CreateQpCommand.maxInline(record, 64);
        CreateQpCommand.sqRing(record, sq);
        CreateQpCommand.rqRing(record, rq);
        CreateQpCommand.cookie(record, 0x99);
        CreateQpCommand.sqCookie(record, 0x77);
    }

    int qp(int pd, int sendCq, int recvCq) {
        qpRecord(pd, sendCq, recvCq);
        assertEquals(0, command(Commands.CREATE_QP));
        return CreateQpCommand.qp(record);
    }

    int destroyQp(int qp) {
        clear();
        QpCommand.qp(record, qp);
        return command(Commands.DESTROY_QP);
    }

    /** Fills a MODIFY_QP record with legal values in every field. */
    long legal(int qp, int mask, int state) {
        clear();
        QpCommand.qp(record, qp);
        QpCommand.attrMask(record, mask);
        long attr = QpCommand.attr(record);
        QpAttr.qpState(attr, state);
        QpAttr.curQpState(attr, engine.state(qp));
        QpAttr.pathMtu(attr, 3);
        QpAttr.rqPsn(attr, 0x1234);
        QpAttr.sqPsn(attr, 0x4321);
        QpAttr.destQpNum(attr, 0x14005);
        QpAttr.qpAccessFlags(attr, 0xe);
        QpAttr.maxRdAtomic(attr, 7);
        QpAttr.maxDestRdAtomic(attr, 9);
        QpAttr.minRnrTimer(attr, 12);
        QpAttr.portNum(attr, 1);
        QpAttr.timeout(attr, 14);
        QpAttr.retryCnt(attr, 7);
        QpAttr.rnrRetry(attr, 6);
        QpAttr.ahPortNum(attr, 1);
        QpAttr.ahIsGlobal(attr, 1);
        QpAttr.ahHopLimit(attr, 64);
        QpAttr.ahDgid(attr, 0, 0x0000_ffff_0a4e_0002L);
        return attr;
    }

    int modify() {
        return command(Commands.MODIFY_QP);
    }

    int modify(int qp, int mask, int state) {
        legal(qp, mask, state);
        return modify();
    }

    long query(int qp) {
        clear();
        QpCommand.qp(record, qp);
        assertEquals(0, command(Commands.QUERY_QP));
        return QpCommand.attr(record);
    }

    boolean add(int cq, int qp, long wrId) {
        return device.completions().add(cq, qp, wrId, 0, 0, 0, 0, 0, 0, false);
    }

    @Override
    public void close() {
        device.close();
        rings.forEach(Ring::free);
        Ring.free(asyncRing);
        Ring.free(channelRing);
        Mem.free(control);
        Mem.free(record);
    }
}
