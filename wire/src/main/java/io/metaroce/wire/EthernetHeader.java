package io.metaroce.wire;

/** Ethernet II header. MAC addresses are the low 48 bits of a long, first byte highest. */
public final class EthernetHeader {
    /** Bytes. */
    public static final int LENGTH = 14;

    /** EtherType of IPv4. */
    public static final int TYPE_IPV4 = 0x0800;

    /** EtherType of IPv6. */
    public static final int TYPE_IPV6 = 0x86dd;

    /** EtherType of a VLAN tag (IEEE 802.1Q): two bytes of tag and the true EtherType follow. */
    public static final int TYPE_VLAN = 0x8100;

    /** Bytes that a VLAN tag adds. */
    public static final int VLAN_LENGTH = 4;

    private EthernetHeader() {}

    /** Writes the whole header. */
    public static void put(long addr, long destination, long source, int etherType) {
        destination(addr, destination);
        source(addr, source);
        etherType(addr, etherType);
    }

    /** Destination MAC address. */
    public static long destination(long addr) {
        return mac(addr);
    }

    /** Sets the destination MAC address. */
    public static void destination(long addr, long value) {
        mac(addr, value);
    }

    /** Source MAC address. */
    public static long source(long addr) {
        return mac(addr + 6);
    }

    /** Sets the source MAC address. */
    public static void source(long addr, long value) {
        mac(addr + 6, value);
    }

    /** EtherType, or {@link #TYPE_VLAN}. */
    public static int etherType(long addr) {
        return Mem.getShortBe(addr + 12);
    }

    /** Sets the EtherType. */
    public static void etherType(long addr, int value) {
        Mem.putShortBe(addr + 12, value);
    }

    private static long mac(long addr) {
        return Mem.getUnsignedIntBe(addr) << 16 | Mem.getShortBe(addr + 4);
    }

    private static void mac(long addr, long value) {
        Mem.putIntBe(addr, (int) (value >>> 16));
        Mem.putShortBe(addr + 4, (int) value);
    }
}
