package io.metaroce.verbs;

/** {@code enum ibv_mtu}. */
public enum Mtu {
    MTU_256(1, 256),
    MTU_512(2, 512),
    MTU_1024(3, 1024),
    MTU_2048(4, 2048),
    MTU_4096(5, 4096);

    private final int value;
    private final int bytes;

    Mtu(int value, int bytes) {
        this.value = value;
        this.bytes = bytes;
    }

    /** The number in verbs.h. */
    public int value() {
        return value;
    }

    public int bytes() {
        return bytes;
    }

    /** @throws IllegalArgumentException for a number that is none */
    public static Mtu of(int value) {
        for (Mtu mtu : values()) {
            if (mtu.value == value) {
                return mtu;
            }
        }
        throw new IllegalArgumentException("no MTU has the number " + value);
    }
}
