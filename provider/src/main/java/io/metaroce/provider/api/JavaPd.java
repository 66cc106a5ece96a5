package io.metaroce.provider.api;

import io.metaroce.provider.slots.Commands;
import io.metaroce.provider.slots.MrCommand;
import io.metaroce.provider.slots.PdCommand;
import io.metaroce.provider.sys.BufferAddress;
import io.metaroce.verbs.AccessFlags;
import io.metaroce.verbs.CompletionQueue;
import io.metaroce.verbs.DeviceContext;
import io.metaroce.verbs.Errno;
import io.metaroce.verbs.MemoryRegion;
import io.metaroce.verbs.ProtectionDomain;
import io.metaroce.verbs.QpCapacity;
import io.metaroce.verbs.QueuePair;
import io.metaroce.verbs.VerbsException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

final class JavaPd implements ProtectionDomain {
    private static final int ALIGNMENT = 64;

    final JavaContext context;
    final int number;
    private boolean closed;

    JavaPd(JavaContext context, int number) {
        this.context = context;
        this.number = number;
    }

    @Override
    public DeviceContext context() {
        return context;
    }

    @Override
    public MemoryRegion allocate(int bytes, int access) {
        if (bytes < 1 || bytes > Integer.MAX_VALUE - ALIGNMENT) {
            throw new VerbsException("reg_mr", Errno.EINVAL, bytes + " bytes");
        }
        ByteBuffer memory = ByteBuffer.allocateDirect(bytes + ALIGNMENT);
        int skip = (int) (-BufferAddress.of(memory) & (ALIGNMENT - 1));
        return register(memory.slice(skip, bytes), access);
    }

    @Override
    public MemoryRegion register(ByteBuffer buffer, int access) {
        if (!buffer.isDirect()) {
            throw new VerbsException("reg_mr", Errno.EINVAL, "only direct buffers stay where they are");
        }
        if (buffer.isReadOnly() && (access & AccessFlags.LOCAL_WRITE) != 0) {
            throw new VerbsException("reg_mr", Errno.EFAULT, "the buffer is read-only");
        }
        ByteBuffer view = buffer.slice();
        long address = BufferAddress.of(view);
        return register(address, view.remaining(), address, access, buffer, view);
    }

    @Override
    public MemoryRegion register(long address, long bytes, long iova, int access, Object owner) {
        return register(address, bytes, iova, access, owner, null);
    }

    private MemoryRegion register(
            long address, long bytes, long iova, int access, Object owner, @Nullable ByteBuffer view) {
        context.enter("reg_mr");
        try {
            int[] key = new int[1];
            context.session.command(
                    "reg_mr",
                    Commands.REG_MR,
                    record -> {
                        MrCommand.pd(record, number);
                        MrCommand.access(record, access);
                        MrCommand.addr(record, address);
                        MrCommand.length(record, bytes);
                        MrCommand.iova(record, iova);
                    },
                    record -> key[0] = MrCommand.lkey(record));
            return new JavaMr(this, iova, bytes, key[0], owner, view);
        } catch (RuntimeException e) {
            context.leave();
            throw e;
        }
    }

    @Override
    public QueuePair createQueuePair(CompletionQueue sendQueue, CompletionQueue receiveQueue, QpCapacity capacity) {
        if (!(sendQueue instanceof JavaCq send)
                || !(receiveQueue instanceof JavaCq receive)
                || send.context.session != context.session
                || receive.context.session != context.session) {
            throw new VerbsException("create_qp", Errno.EINVAL, "a completion queue of another device");
        }
        context.enter("create_qp");
        try {
            return new JavaQp(this, send, receive, capacity);
        } catch (RuntimeException e) {
            context.leave();
            throw e;
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            context.session.command("dealloc_pd", Commands.DEALLOC_PD, record -> PdCommand.pd(record, number));
            closed = true;
            context.leave();
        }
    }
}
