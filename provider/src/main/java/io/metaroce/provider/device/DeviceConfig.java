package io.metaroce.provider.device;

/**
 * What a device is made with.
 *
 * @param localSlot the claimed UDP slot, 0..1023: the upper bits of every QPN
 * @param control address of the control block
 * @param asyncRing address of the ring of asynchronous events, with the stride of {@code AsyncSlot}
 * @param asyncFd its event descriptor
 * @param gids entries of the GID table; even indexes speak MetaRoCE, odd ones RoCEv2
 * @param seed of the random bits of memory keys; secret on a real link
 */
public record DeviceConfig(int localSlot, long control, long asyncRing, int asyncFd, int gids, long seed) {
    /** The largest {@code enum ibv_mtu} (5: 4096 bytes) that fits a netdev's MTU with 96 bytes of headers, the way every RoCE device of Linux counts. */
    public static int mtuNumber(int netdevMtu) {
        int number = 1;
        for (int candidate = 2; candidate <= 5; candidate++) {
            if ((128 << candidate) + 96 <= netdevMtu) {
                number = candidate;
            }
        }
        return number;
    }
}
