package io.metaroce.provider.host;

/**
 * An address of a netdev.
 *
 * @param scope rtnetlink(7): 0 global, 253 link, 254 host
 * @param flags IFA flags
 */
public record NetAddress(int ifindex, IpAddress address, int prefixLength, int scope, int flags) {
    private static final int DAD_FAILED = 0x08;

    /** Duplicate address detection found another owner (RFC 4862). */
    public boolean hasFailed() {
        return !address.isV4() && (flags & DAD_FAILED) != 0;
    }
}
