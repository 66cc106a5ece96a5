package io.metaroce.verbs;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * A global identifier: on Ethernet, an IPv6 address or an IPv4-mapped one (RFC 4291, 2.5.5.2).
 *
 * @param hi bytes 0 to 7, the first one highest
 * @param lo bytes 8 to 15
 */
public record Gid(long hi, long lo) {
    private static final long MAPPED = 0x0000_ffff_0000_0000L;

    /** The 16 bytes as C has them. */
    public byte[] bytes() {
        return ByteBuffer.allocate(16).putLong(hi).putLong(lo).array();
    }

    /** @throws IllegalArgumentException unless there are 16 bytes */
    public static Gid of(byte[] bytes) {
        if (bytes.length != 16) {
            throw new IllegalArgumentException("a GID has 16 bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new Gid(buffer.getLong(), buffer.getLong());
    }

    /** The GID of an IPv4 or IPv6 address. */
    public static Gid of(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == 4) {
            return new Gid(
                    0, MAPPED | Integer.toUnsignedLong(ByteBuffer.wrap(bytes).getInt()));
        }
        return of(bytes);
    }

    /**
     * Reads what {@link #toString} and {@code ibv_devinfo -v} write, and any IPv4 or IPv6 literal.
     *
     * @throws IllegalArgumentException for anything else; no name is looked up
     */
    public static Gid parse(String text) {
        if (!text.matches("[0-9a-fA-F:.]+")) {
            throw new IllegalArgumentException("not a GID: " + text);
        }
        try {
            return of(InetAddress.getByName(text));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("not a GID: " + text, e);
        }
    }

    /** Eight groups of four digits, {@code 0000:0000:0000:0000:0000:ffff:0a4e:0001}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(39);
        for (int i = 0; i < 8; i++) {
            long half = i < 4 ? hi : lo;
            int group = (int) (half >>> (48 - 16 * (i & 3))) & 0xffff;
            text.append(i == 0 ? "" : ":")
                    .append(Integer.toHexString(group | 0x1_0000).substring(1));
        }
        return text.toString();
    }
}
