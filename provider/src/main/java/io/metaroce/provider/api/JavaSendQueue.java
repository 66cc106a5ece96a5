package io.metaroce.provider.api;

import io.metaroce.provider.slots.Commands;
import io.metaroce.provider.slots.Control;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.provider.slots.Sge;
import io.metaroce.verbs.Errno;
import io.metaroce.verbs.QpCapacity;
import io.metaroce.verbs.QpState;
import io.metaroce.verbs.SendFlags;
import io.metaroce.verbs.SendQueue;
import io.metaroce.wire.Mem;
import java.nio.ByteBuffer;

/** The writing side of a send ring; the same slots as the C library writes. */
final class JavaSendQueue extends JavaWorkQueue implements SendQueue {
    /** {@code enum ibv_wr_opcode}. */
    private static final int WRITE = 0;

    private static final int WRITE_WITH_IMM = 1;
    private static final int SEND = 2;
    private static final int SEND_WITH_IMM = 3;
    private static final int READ = 4;
    private static final int COMPARE_SWAP = 5;
    private static final int FETCH_ADD = 6;

    private static final int FLAGS = SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED;
    private static final long MAX_MESSAGE = Integer.toUnsignedLong(Commands.MAX_MSG_SIZE);

    private final long control;
    private final int maxInline;

    private int opcode;
    private int flags;

    JavaSendQueue(JavaQp qp, long ring, QpCapacity capacity) {
        super(qp, ring, "post_send", "work request", capacity.sendWr(), capacity.sendSge());
        control = runtime.control();
        maxInline = capacity.inlineBytes();
    }

    @Override
    public SendQueue begin(long wrId, int workFlags) {
        forget();
        if (qp.isClosed() || qp.lastState() < QpState.RTS.value()) {
            throw error(Errno.EINVAL, "the queue pair is not ready to send");
        }
        if ((workFlags & ~FLAGS) != 0) {
            throw error(Errno.EINVAL, "send flags " + workFlags);
        }
        if (room() == 0) {
            throw error(Errno.ENOMEM, "the send queue is full");
        }
        open();
        SendSlot.wrId(slot, wrId);
        opcode = SEND;
        flags = workFlags;
        return this;
    }

    @Override
    public SendQueue immediate(int immediate) {
        operation(SEND_WITH_IMM);
        Mem.putIntBe(slot + SendSlot.IMM, immediate);
        return this;
    }

    @Override
    public SendQueue write(int rkey, long remoteAddress) {
        return remote(WRITE, rkey, remoteAddress);
    }

    @Override
    public SendQueue writeWithImmediate(int rkey, long remoteAddress, int immediate) {
        remote(WRITE_WITH_IMM, rkey, remoteAddress);
        Mem.putIntBe(slot + SendSlot.IMM, immediate);
        return this;
    }

    @Override
    public SendQueue read(int rkey, long remoteAddress) {
        return remote(READ, rkey, remoteAddress);
    }

    @Override
    public SendQueue compareAndSwap(int rkey, long remoteAddress, long compare, long swap) {
        atomic(COMPARE_SWAP, rkey, remoteAddress);
        SendSlot.compareAdd(slot, compare);
        SendSlot.swap(slot, swap);
        return this;
    }

    @Override
    public SendQueue fetchAndAdd(int rkey, long remoteAddress, long add) {
        atomic(FETCH_ADD, rkey, remoteAddress);
        SendSlot.compareAdd(slot, add);
        SendSlot.swap(slot, 0);
        return this;
    }

    private void operation(int code) {
        requireBegun();
        opcode = code;
    }

    private SendQueue remote(int code, int rkey, long remoteAddress) {
        operation(code);
        SendSlot.rkey(slot, rkey);
        SendSlot.remoteAddr(slot, remoteAddress);
        return this;
    }

    private void atomic(int code, int rkey, long remoteAddress) {
        if ((remoteAddress & 7) != 0) {
            throw refused("an atomic on an address that is no multiple of 8");
        }
        remote(code, rkey, remoteAddress);
    }

    @Override
    public SendQueue sge(long address, int bytes, int lkey) {
        requireBegun();
        if (numSge == maxSge) {
            throw refused("more than " + maxSge + " scatter/gather entries");
        }
        if ((flags & SendSlot.INLINE) != 0) {
            throw refused("scatter/gather entries beside inline data");
        }
        Sge.set(SendSlot.sge(slot, numSge++), address, bytes, lkey);
        length += Integer.toUnsignedLong(bytes);
        return this;
    }

    @Override
    public SendQueue inline(ByteBuffer data) {
        requireBegun();
        int bytes = data.remaining();
        if (bytes > maxInline || numSge > 0 || (flags & SendSlot.INLINE) != 0) {
            throw refused("more than " + maxInline + " inline bytes, or inline data beside scatter/gather entries");
        }
        long to = SendSlot.inline(slot);
        if (data.hasArray()) {
            Mem.copy(data.array(), data.arrayOffset() + data.position(), to, bytes);
        } else {
            for (int i = 0, from = data.position(); i < bytes; i++) {
                Mem.putByte(to + i, data.get(from + i));
            }
        }
        flags |= SendSlot.INLINE;
        length = bytes;
        return this;
    }

    @Override
    public SendQueue more() {
        requireBegun();
        if (length > MAX_MESSAGE) {
            throw refused("a message of " + length + " bytes");
        }
        if ((flags & SendSlot.INLINE) != 0 && opcode >= READ) {
            throw refused("inline data with an operation that sends none");
        }
        if (opcode > READ && length != 8) {
            throw refused("an atomic whose result is not 8 bytes");
        }
        SendSlot.opcode(slot, opcode);
        SendSlot.flags(slot, flags);
        SendSlot.numSge(slot, numSge);
        SendSlot.length(slot, (int) length);
        end();
        return this;
    }

    @Override
    public void commit() {
        more();
        publish();
        Control.ring(control, qp.number);
        runtime.drive();
    }
}
