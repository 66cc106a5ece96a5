package io.metaroce.provider.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.metaroce.provider.slots.Commands;
import io.metaroce.provider.slots.CreateQpCommand;
import io.metaroce.provider.slots.QpAttr;
import io.metaroce.provider.slots.QpCommand;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Values of ibv_modify_qp and ibv_create_qp: each limit from both sides, with its errno. */
final class QpValuesTest {
    private static final int TO_INIT = 1 | QpMask.PKEY_INDEX | QpMask.PORT | QpMask.ACCESS_FLAGS;
    private static final int TO_RTR = 1
            | QpMask.AV
            | QpMask.PATH_MTU
            | QpMask.DEST_QPN
            | QpMask.RQ_PSN
            | QpMask.MAX_DEST_RD_ATOMIC
            | QpMask.MIN_RNR_TIMER;
    private static final int TO_RTS =
            1 | QpMask.TIMEOUT | QpMask.RETRY_CNT | QpMask.RNR_RETRY | QpMask.SQ_PSN | QpMask.MAX_QP_RD_ATOMIC;

    private DeviceBench bench;
    private int cq;
    private int pd;
    private int qp;

    @BeforeEach
    void open() {
        bench = new DeviceBench();
        cq = bench.cq(16);
        pd = bench.pd();
        qp = bench.qp(pd, cq, cq);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private void judge(int from, int mask, int to, int expected, LongConsumer change) {
        bench.engine.states.put(qp, from);
        change.accept(bench.legal(qp, mask, to));
        assertEquals(expected, bench.modify());
        assertEquals(expected == 0 ? to : from, bench.engine.state(qp));
    }

    @Test
    void to_init() {
        judge(0, TO_INIT, 1, 22, a -> QpAttr.portNum(a, 0));
        judge(0, TO_INIT, 1, 22, a -> QpAttr.portNum(a, 2));
        judge(0, TO_INIT, 1, 22, a -> QpAttr.pkeyIndex(a, 1));
        judge(0, TO_INIT, 1, 0, a -> QpAttr.qpAccessFlags(a, 0));
        judge(0, TO_INIT, 1, 0, a -> QpAttr.qpAccessFlags(a, 1 << 19));
        assertEquals(0, bench.engine.last.accessFlags);
    }

    @Test
    void to_rtr() {
        for (int mtu : new int[] {0, 6, -1}) {
            judge(1, TO_RTR, 2, 22, a -> QpAttr.pathMtu(a, mtu));
        }
        judge(1, TO_RTR, 2, 0, a -> QpAttr.pathMtu(a, 1));
        judge(1, TO_RTR, 2, 0, a -> QpAttr.pathMtu(a, 5)); // as rxe and others: also over the port's active MTU
        judge(1, TO_RTR, 2, 22, a -> QpAttr.destQpNum(a, 1 << 24));
        judge(1, TO_RTR, 2, 0, a -> QpAttr.destQpNum(a, (1 << 24) - 1));
        judge(1, TO_RTR, 2, 22, a -> QpAttr.maxDestRdAtomic(a, 129));
        judge(1, TO_RTR, 2, 0, a -> QpAttr.maxDestRdAtomic(a, 128));
        judge(1, TO_RTR, 2, 0, a -> QpAttr.maxDestRdAtomic(a, 0));
        judge(1, TO_RTR, 2, 22, a -> QpAttr.minRnrTimer(a, 32));
        judge(1, TO_RTR, 2, 0, a -> QpAttr.minRnrTimer(a, 31));
        judge(1, TO_RTR, 2, 0, a -> QpAttr.rqPsn(a, 0x1ff_ffff));
        assertEquals(0xff_ffff, bench.engine.last.rqPsn);
    }

    /** As ibv_modify_qp on Linux: the route is looked up when the address vector is given; ENETUNREACH (101) when there is none. */
    @Test
    void a_gid_to_which_no_route_leads_from_any_plane() {
        long lo = 0xffff_c0a8_6307L;
        bench.routes.deadLo = lo;
        bench.routes.deadPlanes = 2;
        judge(1, TO_RTR, 2, 101, a -> QpAttr.ahDgid(a, 0, lo));
        judge(1, TO_RTR, 2, 0, a -> QpAttr.ahDgid(a, 0, lo + 1));
        bench.routes.deadPlanes = 1;
        judge(1, TO_RTR, 2, 0, a -> QpAttr.ahDgid(a, 0, lo));
        assertEquals(0, bench.routes.inUse);
    }

    @Test
    void address_vector() {
        judge(1, TO_RTR, 2, 22, a -> QpAttr.ahPortNum(a, 0));
        judge(1, TO_RTR, 2, 22, a -> QpAttr.ahPortNum(a, 2));
        judge(1, TO_RTR, 2, 22, a -> QpAttr.ahIsGlobal(a, 0));
        judge(1, TO_RTR, 2, 22, a -> QpAttr.ahDgid(a, 0, 0));
        judge(1, TO_RTR, 2, 22, a -> QpAttr.ahDgid(a, 0xff02_0000_0000_0000L, 1));
        judge(1, TO_RTR, 2, 61, a -> QpAttr.ahSgidIndex(a, 2)); // ENODATA
        judge(1, TO_RTR, 2, 61, a -> QpAttr.ahSgidIndex(a, 255));
        judge(1, TO_RTR, 2, 22, a -> QpAttr.ahSgidIndex(a, -1));
        judge(1, TO_RTR, 2, 95, a -> QpAttr.ahSgidIndex(a, 1)); // the GID of RoCEv2
        judge(1, TO_RTR, 2, 0, a -> QpAttr.ahSgidIndex(a, 0));
        assertEquals(0, bench.engine.last.remoteHi);
        assertEquals(0x0000_ffff_0a4e_0002L, bench.engine.last.remoteLo);
    }

    @Test
    void to_rts() {
        judge(2, TO_RTS, 3, 22, a -> QpAttr.timeout(a, 32));
        judge(2, TO_RTS, 3, 0, a -> QpAttr.timeout(a, 31));
        judge(2, TO_RTS, 3, 0, a -> QpAttr.timeout(a, 0));
        judge(2, TO_RTS, 3, 22, a -> QpAttr.retryCnt(a, 8));
        judge(2, TO_RTS, 3, 22, a -> QpAttr.rnrRetry(a, 8));
        judge(2, TO_RTS, 3, 22, a -> QpAttr.maxRdAtomic(a, 129));
        judge(2, TO_RTS, 3, 0, a -> QpAttr.maxRdAtomic(a, 0));
        judge(2, TO_RTS, 3, 0, a -> QpAttr.sqPsn(a, -1));
        assertEquals(0xff_ffff, bench.engine.last.sqPsn);
        judge(2, TO_RTS | QpMask.PATH_MIG_STATE, 3, 22, a -> QpAttr.pathMigState(a, 3));
    }

    @Test
    void what_was_set_comes_back_and_reaches_the_engine() {
        assertEquals(0, bench.modify(qp, TO_INIT, 1));
        assertEquals(0, bench.modify(qp, TO_RTR, 2));
        assertEquals(0, bench.modify(qp, TO_RTS, 3));
        assertEquals(0x14005, bench.engine.last.destQpn);
        assertEquals(7, bench.engine.last.maxRdAtomic);
        assertEquals(9, bench.engine.last.maxDestRdAtomic);
        assertEquals(12, bench.engine.last.minRnrTimer);
        assertEquals(14, bench.engine.last.timeout);
        assertEquals(7, bench.engine.last.retryCnt);
        assertEquals(6, bench.engine.last.rnrRetry);
        long attr = bench.query(qp);
        assertEquals(3, QpAttr.qpState(attr));
        assertEquals(3, QpAttr.curQpState(attr));
        assertEquals(3, QpAttr.pathMtu(attr));
        assertEquals(0x1234, QpAttr.rqPsn(attr));
        assertEquals(0x4321, QpAttr.sqPsn(attr));
        assertEquals(64, QpAttr.ahHopLimit(attr));
        assertEquals(0x0000_ffff_0a4e_0002L, QpAttr.ahDgidLo(attr));
        assertEquals(16, QpAttr.capSendWr(attr));
        assertEquals(8, QpAttr.capRecvWr(attr));
        assertEquals(2, QpAttr.capSendSge(attr));
        assertEquals(3, QpAttr.capRecvSge(attr));
        assertEquals(64, QpAttr.capInline(attr));
        assertEquals(0, bench.modify(qp, 1, 0));
        attr = bench.query(qp);
        assertEquals(0, QpAttr.qpState(attr));
        assertEquals(0, QpAttr.destQpNum(attr));
        assertEquals(16, QpAttr.capSendWr(attr));
    }

    @Test
    void an_engine_that_moved_the_state_is_believed() {
        bench.engine.states.put(qp, 6);
        assertEquals(6, QpAttr.qpState(bench.query(qp)));
        bench.engine.states.put(qp, 4);
        bench.engine.draining = true;
        assertEquals(1, QpAttr.sqDraining(bench.query(qp)));
        bench.engine.draining = false;
        assertEquals(0, QpAttr.sqDraining(bench.query(qp)));
    }

    private void create(int expected, LongConsumer change) {
        bench.qpRecord(pd, cq, cq);
        change.accept(bench.record);
        assertEquals(expected, bench.command(Commands.CREATE_QP));
    }

    @Test
    void creation() {
        create(0, r -> {});
        int index = CreateQpCommand.qp(bench.record);
        assertEquals(DeviceBench.SLOT << 14 | index, CreateQpCommand.qpn(bench.record));
        create(22, r -> CreateQpCommand.pd(r, 77));
        create(22, r -> CreateQpCommand.pd(r, 0));
        create(22, r -> CreateQpCommand.sendCq(r, 77));
        create(22, r -> CreateQpCommand.recvCq(r, 0));
        create(22, r -> CreateQpCommand.recvCq(r, -1));
        create(22, r -> CreateQpCommand.srq(r, 1));
        create(22, r -> CreateQpCommand.maxSendSge(r, 33));
        create(22, r -> CreateQpCommand.maxRecvSge(r, 33));
        create(22, r -> CreateQpCommand.maxInline(r, 513));
        create(22, r -> CreateQpCommand.maxSendSge(r, -1));
        create(22, r -> CreateQpCommand.maxSendSge(r, 32)); // its ring's stride is too small for that
        create(22, r -> CreateQpCommand.sqRing(r, 0));
        create(22, r -> CreateQpCommand.rqRing(r, 0));
        create(22, r -> CreateQpCommand.sqRing(r, bench.ring(32768, 128)));
        create(22, r -> CreateQpCommand.qpType(r, 0));
        for (int type : new int[] {3, 4, 8, 9, 10, 0xff}) { // UC, UD, RAW_PACKET, XRC_SEND, XRC_RECV, DRIVER
            create(95, r -> CreateQpCommand.qpType(r, type));
        }
        create(22, r -> CreateQpCommand.qpType(r, 999));
    }

    @Test
    void every_queue_pair_of_the_device_can_be_had_and_no_more_and_a_number_lives_again_as_late_as_possible() {
        assertEquals(0, bench.destroyQp(qp));
        int first = -1;
        int last = -1;
        for (int i = 0; i < Commands.MAX_QP - 1; i++) {
            bench.qpRecord(pd, cq, cq);
            assertEquals(0, bench.command(Commands.CREATE_QP));
            last = CreateQpCommand.qp(bench.record);
            first = first < 0 ? last : first;
        }
        assertEquals(3, first);
        assertEquals(16383, last);
        assertEquals(0, bench.destroyQp(1000));
        bench.qpRecord(pd, cq, cq);
        assertEquals(0, bench.command(Commands.CREATE_QP));
        assertEquals(2, CreateQpCommand.qp(bench.record)); // destroyed before 1000
        bench.qpRecord(pd, cq, cq);
        assertEquals(0, bench.command(Commands.CREATE_QP));
        assertEquals(1000, CreateQpCommand.qp(bench.record));
        create(12, r -> {});
    }

    @Test
    void handles_that_name_nothing_and_records_and_ops_that_are_none() {
        for (int handle : new int[] {0, 1, qp + 1, 16384, -1, Integer.MIN_VALUE}) {
            bench.legal(handle, 1, 6);
            assertEquals(22, bench.modify());
            bench.clear();
            QpCommand.qp(bench.record, handle);
            assertEquals(22, bench.command(Commands.QUERY_QP));
            assertEquals(22, bench.destroyQp(handle));
            assertEquals(22, bench.destroyCq(handle == 1 ? 99 : handle));
            assertEquals(22, bench.deallocPd(handle == 1 ? 99 : handle));
            assertEquals(22, bench.resizeCq(handle == 1 ? 99 : handle, bench.ring(16, 64)));
            assertEquals(22, bench.deregMr(handle));
        }
        assertEquals(95, bench.command(0));
        assertEquals(95, bench.command(99));
        assertEquals(22, bench.device.command(Commands.ALLOC_PD, 0, 0));
    }
}
