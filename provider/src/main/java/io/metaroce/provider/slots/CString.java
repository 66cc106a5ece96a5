package io.metaroce.provider.slots;

import io.metaroce.wire.Mem;
import java.nio.charset.StandardCharsets;

/** NUL-terminated strings in native memory. */
public final class CString {
    private CString() {}

    /** Reads at most {@code max} bytes. */
    public static String get(long addr, int max) {
        int length = 0;
        while (length < max && Mem.getByte(addr + length) != 0) {
            length++;
        }
        byte[] bytes = new byte[length];
        Mem.copy(addr, bytes, 0, length);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Writes at most {@code room} bytes, the NUL included. */
    public static void put(long addr, String text, int room) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, room - 1);
        Mem.copy(bytes, 0, addr, length);
        Mem.putByte(addr + length, 0);
    }
}
