package io.metaroce.provider.sys;

import java.nio.ByteBuffer;
import java.util.function.ToLongFunction;

/** The native address of a direct buffer's position. */
public final class BufferAddress {
    private static final ToLongFunction<ByteBuffer> ADDRESS = choose();

    private BufferAddress() {}

    /** The buffer must be direct, and be kept reachable while the address is used. */
    public static long of(ByteBuffer buffer) {
        return ADDRESS.applyAsLong(buffer);
    }

    @SuppressWarnings("unchecked")
    private static ToLongFunction<ByteBuffer> choose() {
        try {
            return Class.forName("io.metaroce.provider.sys.FfmBufferAddress")
                    .asSubclass(ToLongFunction.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new IllegalStateException(
                    "Registering a buffer needs JDK 22 or newer; this is JDK "
                            + Runtime.version().feature(),
                    e);
        }
    }
}
