package io.metaroce.wire;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes Ethernet frames as a pcapng capture (IETF draft-ietf-opsawg-pcapng), for Wireshark and tcpdump. Big-endian, with
 * nanosecond timestamps. For one thread; meant for looking, not for the data path.
 */
public final class PcapngWriter implements Closeable {
    /** Direction of a frame that came in. */
    public static final int INBOUND = 1;

    /** Direction of a frame that went out. */
    public static final int OUTBOUND = 2;

    private static final int SECTION_HEADER = 0x0a0d0d0a;
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int ENHANCED_PACKET = 6;
    private static final int BYTE_ORDER_MAGIC = 0x1a2b3c4d;
    private static final int LINKTYPE_ETHERNET = 1;
    private static final int OPTION_NAME = 2;
    private static final int OPTION_TIME_RESOLUTION = 9;
    private static final int OPTION_FLAGS = 2;
    private static final int NANOSECONDS = 9;

    private final OutputStream out;
    private byte[] block = new byte[2048];
    private int length;
    private int interfaces;

    /**
     * Starts a capture.
     *
     * @throws IOException if the stream does not take it
     */
    public PcapngWriter(OutputStream out) throws IOException {
        this.out = out;
        begin(SECTION_HEADER);
        putInt(BYTE_ORDER_MAGIC);
        putInt(1 << 16);
        putInt(-1);
        putInt(-1);
        end();
    }

    /**
     * Declares an interface.
     *
     * @return its number, for {@link #packet}
     * @throws IOException if the stream does not take it
     */
    public int addInterface(String name) throws IOException {
        begin(INTERFACE_DESCRIPTION);
        putInt(LINKTYPE_ETHERNET << 16);
        putInt(0);
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        putInt(OPTION_NAME << 16 | bytes.length);
        room(bytes.length);
        System.arraycopy(bytes, 0, block, length, bytes.length);
        pad(bytes.length);
        putInt(OPTION_TIME_RESOLUTION << 16 | 1);
        putInt(NANOSECONDS << 24);
        putInt(0);
        end();
        return interfaces++;
    }

    /**
     * Writes one frame.
     *
     * @param iface a number that {@link #addInterface} returned
     * @param timeNs nanoseconds since 1970, or on any other clock that only goes forward
     * @param direction {@link #INBOUND} or {@link #OUTBOUND}
     * @param frame address of the Ethernet header
     * @param bytes length of the frame
     * @throws IOException if the stream does not take it
     */
    public void packet(int iface, long timeNs, int direction, long frame, int bytes) throws IOException {
        if (iface < 0 || iface >= interfaces) {
            throw new IllegalArgumentException("no interface " + iface);
        }
        begin(ENHANCED_PACKET);
        putInt(iface);
        putInt((int) (timeNs >>> 32));
        putInt((int) timeNs);
        putInt(bytes);
        putInt(bytes);
        room(bytes);
        Mem.copy(frame, block, length, bytes);
        pad(bytes);
        putInt(OPTION_FLAGS << 16 | 4);
        putInt(direction);
        putInt(0);
        end();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }

    private void begin(int type) {
        length = 0;
        putInt(type);
        putInt(0);
    }

    /** Both length fields of a block count all of it. */
    private void end() throws IOException {
        int total = length + 4;
        putInt(total);
        length = 4;
        putInt(total);
        out.write(block, 0, total);
    }

    private void pad(int bytes) {
        Arrays.fill(block, length + bytes, length + bytes + 3, (byte) 0);
        length += (bytes + 3) & ~3;
    }

    private void putInt(int value) {
        room(4);
        block[length] = (byte) (value >>> 24);
        block[length + 1] = (byte) (value >>> 16);
        block[length + 2] = (byte) (value >>> 8);
        block[length + 3] = (byte) value;
        length += 4;
    }

    private void room(int bytes) {
        if (length + bytes + 8 > block.length) {
            block = Arrays.copyOf(block, Math.max(2 * block.length, length + bytes + 8));
        }
    }
}
