package io.metaroce.provider.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.config.Config;
import io.metaroce.provider.host.IpAddress;
import io.metaroce.provider.host.TwoHosts;
import io.metaroce.provider.slots.Commands;
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
import io.metaroce.provider.slots.Sge;
import io.metaroce.wire.Mem;
import java.util.Map;

/** One process's worth of verbs over a runtime, by the records of mroce_abi.h: a PD, a CQ, one QP, one region of memory. */
final class RawVerbs implements AutoCloseable {
    static final int SEND = 2;
    static final int WRITE = 0;
    static final int READ = 4;

    private static final int ENTRIES = 64;
    private static final int ALL_ACCESS = 15;
    private static final int RC = 2;
    private static final int IN_INIT = 1 | 1 << 3 | 1 << 4 | 1 << 5;
    private static final int IN_RTR = 1 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 15 | 1 << 17 | 1 << 20;
    private static final int IN_RTS = 1 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 13 | 1 << 16;
    private static final long PATIENCE_NS = 10_000_000_000L;

    final DeviceRuntime runtime;
    final long memory;
    final int lkey;
    final int rkey;
    final int qp;
    final int qpn;
    private final long record = Mem.alloc(256);
    private final long sq;
    private final long rq;
    private final long cq = Ring.allocate(4 * ENTRIES, Cqe.SIZE);

    static DeviceRuntime open(String namespace, String netdevs) {
        return TwoHosts.in(namespace, () -> DeviceRuntime.open(Config.of(Map.of("METAROCE_IFACE", netdevs))));
    }

    RawVerbs(DeviceRuntime runtime, int bytes) {
        this.runtime = runtime;
        command(Commands.ALLOC_PD);
        int pd = PdCommand.pd(record);
        memory = Mem.alloc(bytes);
        Mem.fill(record, 256, 0);
        MrCommand.pd(record, pd);
        MrCommand.access(record, ALL_ACCESS);
        MrCommand.addr(record, memory);
        MrCommand.length(record, bytes);
        MrCommand.iova(record, memory);
        command(Commands.REG_MR);
        lkey = MrCommand.lkey(record);
        rkey = MrCommand.rkey(record);
        Mem.fill(record, 256, 0);
        CqCommand.channelFd(record, -1);
        CqCommand.ring(record, cq);
        command(Commands.CREATE_CQ);
        int number = CqCommand.cq(record);
        sq = Ring.allocate(ENTRIES, SendSlot.stride(2, 64));
        rq = Ring.allocate(ENTRIES, RecvSlot.stride(2));
        Mem.fill(record, 256, 0);
        CreateQpCommand.pd(record, pd);
        CreateQpCommand.qpType(record, RC);
        CreateQpCommand.sendCq(record, number);
        CreateQpCommand.recvCq(record, number);
        CreateQpCommand.maxSendSge(record, 2);
        CreateQpCommand.maxRecvSge(record, 2);
        CreateQpCommand.maxInline(record, 64);
        CreateQpCommand.sqRing(record, sq);
        CreateQpCommand.rqRing(record, rq);
        command(Commands.CREATE_QP);
        qp = CreateQpCommand.qp(record);
        qpn = CreateQpCommand.qpn(record);
    }

    private void command(int op) {
        assertEquals(0, runtime.command(op, record), "errno of command " + op);
    }

    /** RESET to RTS. */
    void connect(IpAddress remote, int remoteQpn) {
        modify(1, IN_INIT, remote, remoteQpn);
        modify(2, IN_RTR, remote, remoteQpn);
        modify(3, IN_RTS, remote, remoteQpn);
    }

    private void modify(int state, int mask, IpAddress remote, int remoteQpn) {
        Mem.fill(record, 256, 0);
        QpCommand.qp(record, qp);
        QpCommand.attrMask(record, mask);
        long attr = QpCommand.attr(record);
        Mem.putInt(attr + QpAttr.QP_STATE, state);
        Mem.putInt(attr + QpAttr.PATH_MTU, 3);
        Mem.putInt(attr + QpAttr.DEST_QP_NUM, remoteQpn);
        Mem.putInt(attr + QpAttr.QP_ACCESS_FLAGS, ALL_ACCESS);
        Mem.putInt(attr + QpAttr.MAX_RD_ATOMIC, 8);
        Mem.putInt(attr + QpAttr.MAX_DEST_RD_ATOMIC, 8);
        Mem.putInt(attr + QpAttr.MIN_RNR_TIMER, 12);
        Mem.putInt(attr + QpAttr.PORT_NUM, 1);
        Mem.putInt(attr + QpAttr.TIMEOUT, 14);
        Mem.putInt(attr + QpAttr.RETRY_CNT, 7);
        Mem.putInt(attr + QpAttr.RNR_RETRY, 7);
        Mem.putInt(attr + QpAttr.AH_IS_GLOBAL, 1);
        Mem.putInt(attr + QpAttr.AH_PORT_NUM, 1);
        Mem.putInt(attr + QpAttr.AH_HOP_LIMIT, 64);
        Mem.putLongBe(attr + QpAttr.AH_DGID, remote.hi());
        Mem.putLongBe(attr + QpAttr.AH_DGID + 8, remote.lo());
        command(Commands.MODIFY_QP);
    }

    void postReceive(long wrId, long addr, int bytes) {
        int tail = Ring.tail(rq);
        long slot = Ring.slot(rq, tail);
        RecvSlot.wrId(slot, wrId);
        RecvSlot.numSge(slot, 1);
        RecvSlot.length(slot, bytes);
        sge(RecvSlot.sge(slot, 0), addr, bytes);
        Ring.publishTail(rq, tail + 1);
        Mem.fullFence();
        if (Ring.waiting(rq) != 0) {
            runtime.ring(qp);
        }
    }

    void postSend(long wrId, int opcode, long addr, int bytes, long remoteAddr, int remoteKey) {
        int tail = Ring.tail(sq);
        long slot = Ring.slot(sq, tail);
        SendSlot.wrId(slot, wrId);
        SendSlot.opcode(slot, opcode);
        SendSlot.flags(slot, SendSlot.SIGNALED);
        SendSlot.numSge(slot, 1);
        SendSlot.imm(slot, 0);
        SendSlot.length(slot, bytes);
        SendSlot.rkey(slot, remoteKey);
        SendSlot.remoteAddr(slot, remoteAddr);
        sge(SendSlot.sge(slot, 0), addr, bytes);
        Ring.publishTail(sq, tail + 1);
        runtime.ring(qp);
    }

    private void sge(long at, long addr, int bytes) {
        Sge.addr(at, addr);
        Sge.length(at, bytes);
        Sge.lkey(at, lkey);
    }

    /** Whether a CQE is there. */
    boolean hasCompletion() {
        return Ring.tailAcquire(cq) != Ring.head(cq);
    }

    /** Polls, also those who must answer, until a CQE is there; takes it, checks that it succeeded and gives its wr_id. */
    long completion(RawVerbs... others) {
        long end = System.nanoTime() + PATIENCE_NS;
        while (!hasCompletion()) {
            runtime.poll();
            for (RawVerbs other : others) {
                other.runtime.poll();
            }
            assertTrue(System.nanoTime() < end, () -> "no completion\n" + runtime.counters());
        }
        int head = Ring.head(cq);
        long cqe = Ring.slot(cq, head);
        assertEquals(0, Cqe.status(cqe), "status of wr_id " + Cqe.wrId(cqe));
        long wrId = Cqe.wrId(cqe);
        Ring.publishHead(cq, head + 1);
        return wrId;
    }

    /** The rings stay: the device must be closed first, and tests are short. */
    @Override
    public void close() {
        Mem.free(record);
    }
}
