package io.metaroce.conformance.sim;

import io.metaroce.wire.Mem;
import org.jspecify.annotations.Nullable;

/** One posted send-side WR and everything a judge needs to know of it. */
public final class Message {
    /** {@code enum ibv_wr_opcode}. */
    public static final int WRITE = 0;

    public static final int WRITE_IMM = 1;
    public static final int SEND = 2;
    public static final int SEND_IMM = 3;
    public static final int READ = 4;
    public static final int CAS = 5;
    public static final int FADD = 6;

    final SimQp from;
    /** Position among all WRs of its QP. */
    final int number;

    final int opcode;
    final int length;
    final long dataSeed;
    final boolean signalled;
    final boolean fence;
    final int imm;
    /** Local memory: source of a SEND or WRITE, target of a READ or atomic. */
    final long local;
    /** Remote memory of WRITE, READ and atomics. */
    final long remote;
    /** Written by many messages: only the final content is judged. */
    final boolean shared;
    /** True when the remote side must refuse it. */
    final boolean forbidden;
    /** Its memory is of the region that a program deregisters while work is under way. */
    final boolean revocable;

    final long compareAdd;
    final long swap;

    /** The receive it consumes, once known. */
    @Nullable
    Receive receive;

    Message(
            SimQp from,
            int number,
            int opcode,
            int length,
            long dataSeed,
            boolean signalled,
            boolean fence,
            int imm,
            long local,
            long remote,
            boolean shared,
            boolean forbidden,
            boolean revocable,
            long compareAdd,
            long swap) {
        this.from = from;
        this.number = number;
        this.opcode = opcode;
        this.length = length;
        this.dataSeed = dataSeed;
        this.signalled = signalled;
        this.fence = fence;
        this.imm = imm;
        this.local = local;
        this.remote = remote;
        this.shared = shared;
        this.forbidden = forbidden;
        this.revocable = revocable;
        this.compareAdd = compareAdd;
        this.swap = swap;
    }

    /** A posted receive. */
    static final class Receive {
        final int number;
        final long address;
        final int length;

        Receive(int number, long address, int length) {
            this.number = number;
            this.address = address;
            this.length = length;
        }
    }

    boolean consumesReceive() {
        return opcode == SEND || opcode == SEND_IMM || opcode == WRITE_IMM;
    }

    boolean hasImm() {
        return opcode == SEND_IMM || opcode == WRITE_IMM;
    }

    boolean isAtomic() {
        return opcode == CAS || opcode == FADD;
    }

    boolean isWrite() {
        return opcode == WRITE || opcode == WRITE_IMM;
    }

    /** {@code enum ibv_wc_opcode} of its send-side completion. */
    int completionOpcode() {
        return switch (opcode) {
            case WRITE, WRITE_IMM -> 1;
            case READ -> 2;
            case CAS -> 3;
            case FADD -> 4;
            default -> 0;
        };
    }

    long wrId() {
        return ((long) from.index() << 32) | number;
    }

    /** Byte {@code i} of the data of a seed: a function any side can compute. */
    static byte data(long seed, int i) {
        return (byte) (word(seed, i >>> 3) >>> ((i & 7) * 8));
    }

    private static long word(long seed, int i) {
        long x = seed + i * 0x9E3779B97F4A7C15L;
        x ^= x >>> 31;
        x *= 0xBF58476D1CE4E5B9L;
        x ^= x >>> 29;
        return x;
    }

    /** Writes the data of a seed. */
    static void fill(long address, int length, long seed) {
        for (int i = 0; i < length; i++) {
            Mem.putByte(address + i, data(seed, i));
        }
    }

    /** The first byte that is not of the data of a seed; -1 when all are. */
    static int firstWrong(long address, int length, long seed) {
        int i = 0;
        for (; i + Long.BYTES <= length; i += Long.BYTES) {
            if (Mem.getLongLe(address + i) != word(seed, i >>> 3)) {
                break;
            }
        }
        for (; i < length; i++) {
            if (Mem.getByte(address + i) != data(seed, i)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public String toString() {
        String[] names = {"WRITE", "WRITE_IMM", "SEND", "SEND_IMM", "READ", "CAS", "FADD"};
        return from + " #" + number + " " + names[opcode] + " " + length + " B" + (signalled ? "" : " unsignalled")
                + (fence ? " fence" : "") + (shared ? " shared" : "") + (forbidden ? " forbidden" : "")
                + (revocable ? " revocable" : "");
    }
}
