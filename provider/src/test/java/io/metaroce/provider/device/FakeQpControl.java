package io.metaroce.provider.device;

import io.metaroce.provider.engine.QpControl;
import io.metaroce.provider.port.QpAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The engine as the device sees it: it keeps the states and writes down what it was told. */
final class FakeQpControl implements QpControl {
    final Map<Integer, Integer> states = new HashMap<>();
    final List<String> calls = new ArrayList<>();
    final QpAttributes last = new QpAttributes();
    boolean draining;

    @Override
    public void create(int qp, int qpType, int pd, int sendCq, int recvCq, long sqRing, long rqRing) {
        states.put(qp, 0);
        calls.add("create " + qp + " type " + qpType + " pd " + pd + " cqs " + sendCq + " " + recvCq);
    }

    @Override
    public void modify(int qp, int newState, int mask, QpAttributes attributes, long nowNs) {
        states.put(qp, newState);
        calls.add("modify " + qp + " to " + newState);
        last.remoteHi = attributes.remoteHi;
        last.remoteLo = attributes.remoteLo;
        last.sgidIndex = attributes.sgidIndex;
        last.destQpn = attributes.destQpn;
        last.pathMtu = attributes.pathMtu;
        last.rqPsn = attributes.rqPsn;
        last.sqPsn = attributes.sqPsn;
        last.accessFlags = attributes.accessFlags;
        last.maxRdAtomic = attributes.maxRdAtomic;
        last.maxDestRdAtomic = attributes.maxDestRdAtomic;
        last.minRnrTimer = attributes.minRnrTimer;
        last.timeout = attributes.timeout;
        last.retryCnt = attributes.retryCnt;
        last.rnrRetry = attributes.rnrRetry;
        last.enSqdAsyncNotify = attributes.enSqdAsyncNotify;
    }

    @Override
    public int state(int qp) {
        return states.getOrDefault(qp, -1);
    }

    @Override
    public boolean draining(int qp) {
        return draining;
    }

    @Override
    public void query(int qp, QpAttributes out) {
        out.destQpn = last.destQpn;
    }

    @Override
    public void destroy(int qp, long nowNs) {
        states.remove(qp);
        calls.add("destroy " + qp);
    }

    @Override
    public void doorbell(int qp, long nowNs) {
        calls.add("doorbell " + qp);
    }

    @Override
    public void cqFailed(int cq, long nowNs) {
        calls.add("cqFailed " + cq);
    }
}
