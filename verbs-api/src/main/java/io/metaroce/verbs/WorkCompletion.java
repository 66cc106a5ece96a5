package io.metaroce.verbs;

/** One completion ({@code struct ibv_wc}); to be used again and again, {@link CompletionQueue#poll} fills it. */
public final class WorkCompletion {
    private static final int WITH_IMM = 2;

    private long wrId;
    private int status;
    private int opcode;
    private int byteLength;
    private int immediate;
    private int qpNumber;
    private int flags;
    private long timestampNs;

    /** The number that the program gave the work request. */
    public long wrId() {
        return wrId;
    }

    /** How it ended. If not with SUCCESS, only {@link #wrId}, {@link #qpNumber} and this are valid. */
    public WorkStatus status() {
        return WorkStatus.of(status);
    }

    public boolean isSuccess() {
        return status == 0;
    }

    public WorkOpcode opcode() {
        return WorkOpcode.of(opcode);
    }

    /** Bytes received or read, unsigned. */
    public long byteLength() {
        return byteLength & 0xffff_ffffL;
    }

    public boolean hasImmediate() {
        return (flags & WITH_IMM) != 0;
    }

    /** What the sender gave as immediate; valid with {@link #hasImmediate}. */
    public int immediate() {
        return immediate;
    }

    /** QPN of the queue pair on this side. */
    public int qpNumber() {
        return qpNumber;
    }

    /** When it was written, in nanoseconds of {@link System#nanoTime}. */
    public long timestampNs() {
        return timestampNs;
    }

    /**
     * Returns this if the work request succeeded.
     *
     * @throws IllegalStateException with the status if it did not
     */
    public WorkCompletion requireSuccess() {
        if (status != 0) {
            throw new IllegalStateException(toString());
        }
        return this;
    }

    /**
     * Called by an implementation: numbers are those of verbs.h.
     *
     * @param immediate as the sender's program gave it, in the order of a Java int
     */
    public void set(
            long wrId,
            int status,
            int opcode,
            int byteLength,
            int immediate,
            int qpNumber,
            int flags,
            long timestampNs) {
        this.wrId = wrId;
        this.status = status;
        this.opcode = opcode;
        this.byteLength = byteLength;
        this.immediate = immediate;
        this.qpNumber = qpNumber;
        this.flags = flags;
        this.timestampNs = timestampNs;
    }

    @Override
    public String toString() {
        return "work request " + wrId + " of QP 0x" + Integer.toHexString(qpNumber) + ": " + status()
                + (status == 0 ? ", opcode " + opcode + ", " + byteLength() + " bytes" : "");
    }
}
