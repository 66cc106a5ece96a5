package io.metaroce.provider.host;

/**
 * An address of a netdev.
 *
 * @param scope rtnetlink(7): 0 global, 253 link, 254 host
 * @param flags IFA flags
 */
public record NetAddress(int ifindex, IpAddress address, int prefixLength, int scope, int flags) {
    private static final int TEMPORARY_OR_SECONDARY = 0x01;
    private static final int DAD_FAILED = 0x08;
    private static final int DEPRECATED = 0x20;

    /** Lasting, usable, and not a privacy address. */
    public boolean isStable() {
        int bad = address.isV4() ? DEPRECATED : TEMPORARY_OR_SECONDARY | DAD_FAILED | DEPRECATED;
        return (flags & bad) == 0;
    }
}
