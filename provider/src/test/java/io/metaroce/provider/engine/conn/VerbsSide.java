package io.metaroce.provider.engine.conn;

import io.metaroce.provider.engine.conn.TestNet.Node;
import io.metaroce.provider.port.Completions;
import io.metaroce.provider.port.PlainRegions;
import io.metaroce.provider.port.QpAttributes;
import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.provider.slots.Sge;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Qpn;
import java.util.ArrayList;
import java.util.List;

/** One process with a whole engine: one registered buffer, one QP, one CQ. */
final class VerbsSide extends PlainRegions implements Completions {
    static final int QP = 2;
    static final int KEY = 0x77;
    static final int BUFFER = 8 << 20;
    static final int MASK_RTR = 1 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 15 | 1 << 17 | 1 << 20;
    static final int MASK_RTS = 1 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 13 | 1 << 16;

    record Wc(long wrId, int status, int opcode) {}

    final long buffer = Mem.alloc(BUFFER);
    final List<Wc> wcs = new ArrayList<>();
    final long sq;
    final long rq;
    final Node node;

    VerbsSide(TestNet net, int host, int planes) {
        this(net, host, planes, 0x1000 + host);
    }

    VerbsSide(TestNet net, int host, int planes, long bootNonce) {
        node = net.verbs(host, bootNonce, planes, this, this);
        sq = Ring.allocate(64, SendSlot.stride(4, 64));
        rq = Ring.allocate(64, SendSlot.stride(4, 64));
        node.control().create(QP, 2, 1, 0, 0, sq, rq);
    }

    void connect(int peerHost, long nowNs) {
        QpAttributes a = new QpAttributes();
        a.remoteLo = TestNet.address(0, peerHost);
        a.destQpn = Qpn.of(peerHost, QP);
        a.accessFlags = 15;
        a.maxRdAtomic = 4;
        a.maxDestRdAtomic = 4;
        a.timeout = 14;
        a.retryCnt = 7;
        a.rnrRetry = 7;
        node.control().modify(QP, 1, 1 | 8, a, nowNs);
        node.control().modify(QP, 2, MASK_RTR, a, nowNs);
        node.control().modify(QP, 3, MASK_RTS, a, nowNs);
    }

    void write(long wrId, long from, int length, long to, long nowNs) {
        long slot = Ring.slot(sq, Ring.tail(sq));
        Mem.fill(slot, Ring.stride(sq), 0);
        SendSlot.wrId(slot, wrId);
        SendSlot.opcode(slot, 0);
        SendSlot.flags(slot, SendSlot.SIGNALED);
        SendSlot.numSge(slot, 1);
        Sge.set(SendSlot.sge(slot, 0), from, length, KEY);
        SendSlot.length(slot, length);
        SendSlot.remoteAddr(slot, to);
        SendSlot.rkey(slot, KEY);
        Ring.publishTail(sq, Ring.tail(sq) + 1);
        node.control().doorbell(QP, nowNs);
    }

    @Override
    public long local(int lkey, int pd, long addr, long length, int access) {
        return remote(lkey, pd, addr, length, access);
    }

    @Override
    public long remote(int rkey, int pd, long va, long length, int access) {
        return rkey == KEY && va >= buffer && va + length <= buffer + BUFFER ? va : BAD_KEY;
    }

    @Override
    public boolean add(
            int cq,
            int qp,
            long wrId,
            int status,
            int opcode,
            int byteLen,
            int imm,
            int wcFlags,
            int srcQpn,
            boolean solicited) {
        wcs.add(new Wc(wrId, status, opcode));
        return true;
    }

    @Override
    public int room(int cq) {
        return 1000;
    }

    @Override
    public void publish() {}
}
