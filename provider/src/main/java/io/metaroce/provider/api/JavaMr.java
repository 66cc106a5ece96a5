package io.metaroce.provider.api;

import io.metaroce.provider.slots.Commands;
import io.metaroce.provider.slots.MrCommand;
import io.metaroce.verbs.MemoryRegion;
import io.metaroce.verbs.ProtectionDomain;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

final class JavaMr implements MemoryRegion {
    private final JavaPd pd;
    private final long address;
    private final long length;
    private final int key;
    private final @Nullable ByteBuffer view;
    private boolean closed;

    JavaMr(JavaPd pd, long address, long length, int key, Object owner, @Nullable ByteBuffer view) {
        this.pd = pd;
        this.address = address;
        this.length = length;
        this.key = key;
        this.view = view;
        pd.context.session.hold(key, owner);
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public int lkey() {
        return key;
    }

    @Override
    public int rkey() {
        return key;
    }

    @Override
    public ByteBuffer buffer() {
        if (view == null) {
            throw new UnsupportedOperationException("this region was registered by address");
        }
        return view.duplicate().order(ByteOrder.nativeOrder());
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            pd.context.session.command("dereg_mr", Commands.DEREG_MR, record -> MrCommand.lkey(record, key));
            closed = true;
            pd.context.session.letGo(key);
            pd.context.leave();
        }
    }
}
