package io.metaroce.provider.port;

/** The link's view of where a packet can go. Addresses are as in {@link RxBatch}. */
public interface Routes {
    /** Local planes (netdevs with an address) of this device, 1 to 8. */
    int planes();

    long planeHi(int plane);

    long planeLo(int plane);

    /** Speed of the link behind the plane's netdev in Mbit/s; 0 unknown, or no link. */
    int planeMbps(int plane);

    /** The UDP port this process has claimed (the same on every plane). */
    int localPort();

    /**
     * A handle for UDP packets from {@code plane} to an address and port, or -1 when there is no route from that plane. The same arguments give the same handle.
     * A neighbour that is not resolved yet is the link's affair: frames to it may be lost (and counted) until it is.
     */
    int destination(int plane, long hi, long lo, int port);

    /** Gives a handle back. */
    void release(int destination);

    /** Largest UDP payload, in bytes, that fits one packet to that destination (netdev MTU less IP and UDP headers). */
    int maxPayload(int destination);
}
