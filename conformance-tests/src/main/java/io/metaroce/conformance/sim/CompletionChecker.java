package io.metaroce.conformance.sim;

/**
 * I2: CQEs of a QP in post order, exactly one per signalled WR (and per failed one), with the right fields, and none for work that did not happen: the bytes are where
 * they belong when the CQE is taken.
 */
public final class CompletionChecker extends Checker {
    private static final int SUCCESS = 0;
    private static final int LOCAL_PROTECTION = 4;
    private static final int FLUSHED = 5;
    private static final int REM_ACCESS = 10;
    private static final int RETRY_EXCEEDED = 12;

    public CompletionChecker() {
        super("I2");
    }

    @Override
    public void onSendCqe(SimQp qp, SimCqe cqe) {
        int number = (int) cqe.wrId();
        require((int) (cqe.wrId() >>> 32) == qp.index(), () -> qp + ": CQE with the wr_id of another QP: " + cqe);
        require(
                number >= qp.sendsDone && number < qp.sent.size(),
                () -> qp + ": CQE of WR " + number + " while " + qp.sendsDone + " of " + qp.sent.size() + " are done: "
                        + cqe);
        for (int i = qp.sendsDone; i < number; i++) {
            Message skipped = qp.sent.get(i);
            require(
                    !skipped.signalled && !qp.failed && !skipped.forbidden,
                    () -> skipped + " has no CQE, but " + qp.sent.get(number) + " has");
            content(skipped);
        }
        Message m = qp.sent.get(number);
        if (cqe.status() == SUCCESS) {
            require(m.signalled, () -> m + " is unsignalled and succeeded, yet has a CQE");
            require(!qp.failed, () -> m + " succeeded after an earlier WR failed");
            require(!m.forbidden, () -> m + " must be refused but succeeded");
            require(cqe.opcode() == m.completionOpcode(), () -> m + ": opcode " + cqe.opcode());
            if (m.opcode == Message.READ || m.isAtomic()) {
                require(cqe.byteLen() == m.length, () -> m + ": byte_len " + cqe.byteLen());
            }
            content(m);
            return;
        }
        if (m.forbidden && !qp.failed) {
            boolean other =
                    (qp.faulty || qp.peer().faulty) && (cqe.status() == FLUSHED || cqe.status() == RETRY_EXCEEDED);
            require(cqe.status() == REM_ACCESS || other, () -> m + ": status " + cqe.status());
        } else if (m.revocable && qp.faulty && !qp.failed) {
            boolean expected = cqe.status() == LOCAL_PROTECTION
                    || cqe.status() == REM_ACCESS
                    || cqe.status() == FLUSHED
                    || cqe.status() == RETRY_EXCEEDED;
            require(expected, () -> m + ": status " + cqe.status() + " after its memory was deregistered");
        } else if (qp.failed) {
            require(cqe.status() == FLUSHED, () -> m + ": status " + cqe.status() + " after an earlier failure");
        } else {
            require(
                    (qp.faulty || qp.peer().mayFail()) && (cqe.status() == FLUSHED || cqe.status() == RETRY_EXCEEDED),
                    () -> m + ": status " + cqe.status());
        }
    }

    private void content(Message m) {
        SimNode remote = m.from.peer().node;
        switch (m.opcode) {
            case Message.WRITE, Message.WRITE_IMM -> {
                if (!m.shared) {
                    same(m, m.remote, remote);
                }
            }
            case Message.READ -> same(m, m.local, m.from.node);
            default -> {
                // SENDs are compared at the receiver, atomics by I3
            }
        }
    }

    private void same(Message m, long address, SimNode where) {
        int wrong = Message.firstWrong(address, m.length, m.dataSeed);
        if (wrong >= 0) {
            fail(m + ": byte " + wrong + " on " + where + " is wrong at its CQE");
        }
    }

    @Override
    public void onReceiveCqe(SimQp qp, SimCqe cqe) {
        int k = qp.receivesDone;
        require(k < qp.receives.size(), () -> qp + ": more receive CQEs than receives: " + cqe);
        Message.Receive r = qp.receives.get(k);
        require(cqe.wrId() == r.number, () -> qp + ": receive CQE of " + cqe.wrId() + " instead of " + r.number);
        if (cqe.status() != SUCCESS) {
            require(
                    cqe.status() == FLUSHED && (qp.mayFail() || qp.peer().mayFail()),
                    () -> qp + ": receive " + k + " status " + cqe.status());
            return;
        }
        require(k < qp.incoming.size(), () -> qp + ": receive CQE without a message: " + cqe);
        Message m = qp.incoming.get(k);
        boolean write = m.opcode == Message.WRITE_IMM;
        require(cqe.opcode() == (write ? 129 : 128), () -> m + ": receive opcode " + cqe.opcode());
        require(cqe.byteLen() == m.length, () -> m + ": receive byte_len " + cqe.byteLen());
        require((cqe.wcFlags() & 2) != 0 == m.hasImm(), () -> m + ": wc_flags " + cqe.wcFlags());
        if (m.hasImm()) {
            require(cqe.imm() == m.imm, () -> m + ": immediate " + cqe.imm() + " instead of " + m.imm);
        }
        same(m, write ? m.remote : r.address, qp.node);
    }

    @Override
    public void onEnd(SimWorld world) {
        for (SimQp qp : world.qps()) {
            require(
                    qp.failed || qp.doomed || qp.receivesDone == qp.incoming.size(),
                    () -> qp + ": " + qp.receivesDone + " receive CQEs for " + qp.incoming.size() + " messages");
        }
    }
}
