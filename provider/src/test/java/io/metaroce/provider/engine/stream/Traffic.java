package io.metaroce.provider.engine.stream;

import io.metaroce.provider.slots.Ring;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.provider.slots.Sge;
import io.metaroce.wire.Mem;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Random verbs traffic from one side of a QP to the other, with a model of what must come out: the remote memory, every completion, every received and read byte. The
 * model applies each operation when it is posted, which is the order in which the responder must appear to have done them.
 */
final class Traffic {
    private static final int AREA = 60_000;
    private static final int CELLS = 8;

    @SuppressWarnings("ArrayRecordComponent")
    private record Expect(long wrId, int opcode, long length, boolean signalled, long local, byte[] bytes) {}

    @SuppressWarnings("ArrayRecordComponent")
    private record Message(byte[] bytes, boolean imm, int immediate, boolean solicited) {}

    private record Receive(long wrId, long addr, long length, boolean split) {}

    final Peer from;
    final Peer to;
    final int qp;
    private final SplittableRandom random;
    private final String name;
    private final TestMemory.Region source;
    private final TestMemory.Region readInto;
    private final TestMemory.Region target;
    private final TestMemory.Region receiveInto;
    private final byte[] model = new byte[AREA + 8 * CELLS];
    private final ArrayDeque<Expect> expected = new ArrayDeque<>();
    private final ArrayDeque<Message> messages = new ArrayDeque<>();
    private final ArrayDeque<Receive> receives = new ArrayDeque<>();
    private int seenSends;
    private int seenRecvs;
    private int toPost;
    private int posted;
    private int consuming;
    private int receivesPosted;
    private boolean readsOpen;
    private boolean lastSignalled;
    private long sourceAt;
    private long readAt;
    private long receiveAt;
    int largest = 30_000;
    int eagerness = 60; // percent of steps in which a receive is posted

    Traffic(Peer from, Peer to, int qp, int count, SplittableRandom random) {
        this.from = from;
        this.to = to;
        this.qp = qp;
        this.random = random;
        this.toPost = count;
        this.name = from.name + "->" + to.name + " qp " + qp;
        source = from.memory.register(Peer.PD, 4_000_000, 0);
        readInto = from.memory.register(Peer.PD, 4_000_000, Verbs.LOCAL_WRITE);
        target = to.memory.register(Peer.PD, model.length, 15);
        receiveInto = to.memory.register(Peer.PD, 4_000_000, Verbs.LOCAL_WRITE);
        byte[] noise = new byte[1 << 20];
        for (int i = 0; i < noise.length; i++) {
            noise[i] = (byte) random.nextInt();
        }
        for (int i = 0; i < 3; i++) {
            source.put((long) i << 20, noise);
        }
        target.put(0, model);
    }

    private int size() {
        return switch (random.nextInt(10)) {
            case 0 -> 0;
            case 1 -> 1 + random.nextInt(8);
            case 2, 3, 4 -> random.nextInt(300);
            case 5, 6 -> 1300 + random.nextInt(100);
            default -> random.nextInt(largest);
        };
    }

    /** Posts what there is room for, with some luck; checks what has completed. */
    void step(long nowNs) {
        check();
        if (random.nextInt(100) < eagerness && receivesPosted < consuming + 3 && !to.rqFull(qp)) {
            int max = largest + 100;
            if (receiveAt + 2L * max > receiveInto.length) {
                receiveAt = 0;
            }
            boolean split = random.nextBoolean();
            long wrId = 1000L + receivesPosted++;
            receives.add(new Receive(wrId, receiveInto.addr + receiveAt, max, split));
            if (split) {
                to.recv(
                        qp,
                        wrId,
                        nowNs,
                        receiveInto.addr + receiveAt,
                        700,
                        receiveInto.key,
                        receiveInto.addr + receiveAt + 700,
                        max - 700,
                        receiveInto.key);
            } else {
                to.recv(qp, wrId, nowNs, receiveInto.addr + receiveAt, max, receiveInto.key);
            }
            receiveAt += max;
        }
        while (toPost > 0 && !from.sqFull(qp) && random.nextInt(3) > 0) {
            post(nowNs);
        }
    }

    private void post(long nowNs) {
        toPost--;
        int kind = random.nextInt(8);
        boolean signalled = toPost == 0 || random.nextInt(3) > 0;
        lastSignalled = signalled;
        int flags = signalled ? SendSlot.SIGNALED : 0;
        long wrId = posted++;
        switch (kind) {
            case 0, 1, 2 -> write(wrId, flags, signalled, false, nowNs);
            case 3 -> write(wrId, flags, signalled, true, nowNs);
            case 4, 5 -> send(wrId, flags, signalled, nowNs);
            case 6 -> read(wrId, flags, signalled, nowNs);
            default -> atomic(wrId, signalled ? SendSlot.SIGNALED : 0, signalled, nowNs);
        }
    }

    private long slotFor(long wrId, int opcode, int flags, int length) {
        if (length <= 200 && random.nextBoolean()) {
            long slot = from.begin(qp, wrId, opcode, flags | SendSlot.INLINE);
            Mem.copy(source.addr + sourceAt, SendSlot.inline(slot), length);
            SendSlot.length(slot, length);
            return slot;
        }
        if (length > 10 && random.nextBoolean()) {
            int cut = random.nextInt(length);
            long slot = from.begin(qp, wrId, opcode, flags, 0, 0, 0, 0, 0, 0, 0, 0, 0);
            Sge.set(SendSlot.sge(slot, 0), source.addr + sourceAt, cut, source.key);
            Sge.set(SendSlot.sge(slot, 1), 0, 0, 0);
            Sge.set(SendSlot.sge(slot, 2), source.addr + sourceAt + cut, length - cut, source.key);
            SendSlot.length(slot, length);
            return slot;
        }
        return from.begin(qp, wrId, opcode, flags, source.addr + sourceAt, length, source.key);
    }

    private byte[] nextBytes(int length) {
        sourceAt = random.nextInt((3 << 20) - length - 1);
        return source.bytes(sourceAt, length);
    }

    private void write(long wrId, int flags, boolean signalled, boolean imm, long nowNs) {
        int length = Math.min(size(), AREA);
        int at = random.nextInt(AREA - length + 1);
        byte[] bytes = nextBytes(length);
        int fence = readsOpen ? SendSlot.FENCE : 0; // a later WRITE may overtake a READ otherwise, by the rules
        readsOpen = false;
        int solicited = random.nextInt(4) == 0 ? SendSlot.SOLICITED : 0;
        long slot = slotFor(wrId, imm ? Verbs.WR_WRITE_IMM : Verbs.WR_WRITE, flags | fence | solicited, length);
        int immediate = random.nextInt();
        SendSlot.imm(slot, immediate);
        SendSlot.remoteAddr(slot, target.addr + at);
        SendSlot.rkey(slot, target.key);
        System.arraycopy(bytes, 0, model, at, length);
        expected.add(new Expect(wrId, Verbs.WC_RDMA_WRITE, length, signalled, 0, new byte[0]));
        if (imm) {
            consuming++;
            messages.add(new Message(bytes, true, immediate, solicited != 0));
            writeImmAt.add(at);
        }
        from.post(qp, nowNs);
    }

    private final ArrayDeque<Integer> writeImmAt = new ArrayDeque<>();

    private void send(long wrId, int flags, boolean signalled, long nowNs) {
        int length = Math.min(size(), largest);
        byte[] bytes = nextBytes(length);
        boolean imm = random.nextBoolean();
        int solicited = random.nextInt(4) == 0 ? SendSlot.SOLICITED : 0;
        long slot = slotFor(wrId, imm ? Verbs.WR_SEND_IMM : Verbs.WR_SEND, flags | solicited, length);
        int immediate = imm ? random.nextInt() : 0;
        SendSlot.imm(slot, immediate);
        expected.add(new Expect(wrId, Verbs.WC_SEND, length, signalled, 0, new byte[0]));
        messages.add(new Message(bytes, imm, immediate, solicited != 0));
        writeImmAt.add(-1);
        consuming++;
        from.post(qp, nowNs);
    }

    private void read(long wrId, int flags, boolean signalled, long nowNs) {
        int length = Math.min(size(), AREA);
        int at = random.nextInt(AREA - length + 1);
        if (readAt + length > readInto.length) {
            readAt = 0;
        }
        long slot;
        if (length > 100 && random.nextBoolean()) {
            slot = from.begin(
                    qp,
                    wrId,
                    Verbs.WR_READ,
                    flags,
                    readInto.addr + readAt,
                    50,
                    readInto.key,
                    readInto.addr + readAt + 50,
                    length - 50,
                    readInto.key);
        } else {
            slot = from.begin(qp, wrId, Verbs.WR_READ, flags, readInto.addr + readAt, length, readInto.key);
        }
        SendSlot.remoteAddr(slot, target.addr + at);
        SendSlot.rkey(slot, target.key);
        expected.add(new Expect(
                wrId,
                Verbs.WC_RDMA_READ,
                length,
                signalled,
                readInto.addr + readAt,
                Arrays.copyOfRange(model, at, at + length)));
        readAt += length;
        readsOpen = true;
        from.post(qp, nowNs);
    }

    private void atomic(long wrId, int flags, boolean signalled, long nowNs) {
        int cell = AREA + 8 * random.nextInt(CELLS);
        readAt = readAt + 7 & ~7L;
        if (readAt + 8 > readInto.length) {
            readAt = 0;
        }
        long before = longAt(cell);
        boolean swap = random.nextBoolean();
        long slot = from.begin(
                qp, wrId, swap ? Verbs.WR_CMP_SWP : Verbs.WR_FETCH_ADD, flags, readInto.addr + readAt, 8, readInto.key);
        SendSlot.remoteAddr(slot, target.addr + cell);
        SendSlot.rkey(slot, target.key);
        long after;
        if (swap) {
            long compare = random.nextBoolean() ? before : before + 1;
            long value = random.nextLong();
            SendSlot.compareAdd(slot, compare);
            SendSlot.swap(slot, value);
            after = compare == before ? value : before;
        } else {
            long add = random.nextLong();
            SendSlot.compareAdd(slot, add);
            after = before + add;
        }
        byte[] result = new byte[8];
        long scratch = Mem.alloc(8);
        Mem.putLong(scratch, before);
        Mem.copy(scratch, result, 0, 8);
        Mem.putLong(scratch, after);
        Mem.copy(scratch, model, cell, 8);
        Mem.free(scratch);
        expected.add(new Expect(
                wrId, swap ? Verbs.WC_COMP_SWAP : Verbs.WC_FETCH_ADD, 8, signalled, readInto.addr + readAt, result));
        readAt += 8;
        from.post(qp, nowNs);
    }

    private long longAt(int index) {
        long scratch = Mem.alloc(8);
        Mem.copy(model, index, scratch, 8);
        long value = Mem.getLong(scratch);
        Mem.free(scratch);
        return value;
    }

    private void check() {
        var sends = from.sends(qp);
        while (seenSends < sends.size()) {
            Peer.Wc wc = sends.get(seenSends++);
            Expect e = expected.poll();
            while (e != null && !e.signalled) {
                bytesAt(e.local, e.bytes, "answer of unsignalled WR " + e.wrId);
                e = expected.poll();
            }
            if (e == null) {
                throw new AssertionError(name + ": unexpected " + wc);
            }
            same(new Peer.Wc(qp * 2, qp, e.wrId, 0, e.opcode, (int) e.length, 0, 0, false), wc);
            bytesAt(e.local, e.bytes, "answer of WR " + e.wrId);
        }
        var recvs = to.recvs(qp);
        while (seenRecvs < recvs.size()) {
            Peer.Wc wc = recvs.get(seenRecvs++);
            if (receives.isEmpty() || messages.isEmpty()) {
                throw new AssertionError(name + ": unexpected " + wc + ", " + state());
            }
            Receive r = receives.remove();
            Message m = messages.remove();
            boolean write = writeImmAt.remove() >= 0;
            same(
                    new Peer.Wc(
                            qp * 2 + 1,
                            qp,
                            r.wrId,
                            0,
                            write ? Verbs.WC_RECV_WITH_IMM : Verbs.WC_RECV,
                            m.bytes.length,
                            m.imm ? m.immediate : 0,
                            m.imm ? Verbs.WC_WITH_IMM : 0,
                            m.solicited),
                    wc);
            if (!write) {
                bytesAt(r.addr, m.bytes, "received by " + r.wrId);
            }
        }
    }

    private void same(Peer.Wc wanted, Peer.Wc got) {
        if (!wanted.equals(got)) {
            throw new AssertionError(name + ": wanted " + wanted + ", got " + got);
        }
    }

    private void bytesAt(long addr, byte[] wanted, String what) {
        byte[] got = new byte[wanted.length];
        if (wanted.length > 0) {
            Mem.copy(addr, got, 0, got.length);
        }
        int at = Arrays.mismatch(wanted, got);
        if (at >= 0) {
            throw new AssertionError(name + ": " + what + " differs at " + at + " of " + wanted.length);
        }
    }

    boolean done() {
        check();
        return toPost == 0
                && messages.isEmpty()
                && Ring.head(from.sq(qp)) == Ring.tail(from.sq(qp))
                && expected.stream().noneMatch(Expect::signalled);
    }

    /** Everything has completed: the remote memory is what the operations in their order make of it. */
    void finish() {
        check();
        for (Expect e : expected) {
            bytesAt(e.local, e.bytes, "answer of unsignalled WR " + e.wrId);
        }
        bytesAt(target.addr, model, "remote memory");
        if (!lastSignalled) {
            throw new AssertionError(name + ": the last WR was not signalled");
        }
    }

    void free() {
        for (TestMemory.Region r : new TestMemory.Region[] {source, readInto, target, receiveInto}) {
            Mem.free(r.addr);
        }
    }

    String state() {
        return name + ": " + toPost + " to post, " + expected.size() + " open, " + messages.size() + " messages, "
                + receivesPosted + " receives of " + consuming;
    }
}
