package io.metaroce.provider.sys;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.ToLongFunction;

/** By java.lang.foreign. */
final class FfmBufferAddress implements ToLongFunction<ByteBuffer> {
    @Override
    public long applyAsLong(ByteBuffer buffer) {
        return MemorySegment.ofBuffer(buffer).address();
    }
}
