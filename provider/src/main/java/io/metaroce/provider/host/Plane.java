package io.metaroce.provider.host;

import io.metaroce.provider.sys.Linux;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A plane of the device: a netdev and its addresses, the one that names the plane first.
 *
 * @param speedMbps of the netdev; 0 unknown
 * @param addresses at least one; each is a GID
 */
public record Plane(NetDevice device, int speedMbps, List<IpAddress> addresses) {
    /** Most planes of a device. */
    public static final int MAX = 8;

    private static final int MAX_ADDRESSES = 16;

    public Plane {
        addresses = List.copyOf(addresses);
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException(device.name() + " has no address");
        }
    }

    public IpAddress primary() {
        return addresses.get(0);
    }

    /** The address that packets to another one come from: of its family, and link-local exactly if that is; null when there is none. */
    public @Nullable IpAddress source(long hi, long lo) {
        IpAddress to = new IpAddress(hi, lo);
        IpAddress other = null;
        for (IpAddress address : addresses) {
            if (address.isV4() == to.isV4()) {
                if (address.isLinkLocal() == to.isLinkLocal()) {
                    return address;
                }
                other = address;
            }
        }
        return other;
    }

    /**
     * Speed of the link behind the netdev in Mbit/s; 0 when there is none or it is not known. A virtual netdev (veth, bridge, tunnel) tells a number that means nothing.
     */
    public int linkMbps() {
        return Files.exists(Path.of("/sys/class/net", device.name(), "device")) ? speedMbps : 0;
    }

    /** Whether it has an address of the family. */
    public boolean has(boolean v4) {
        return addresses.stream().anyMatch(a -> a.isV4() == v4);
    }

    /** The same plane, named by another of its addresses. */
    public Plane named(IpAddress first) {
        List<IpAddress> order = new ArrayList<>(addresses);
        if (!order.remove(first)) {
            throw new IllegalArgumentException("netdev " + device.name() + " has no address " + first);
        }
        order.add(0, first);
        return new Plane(device, speedMbps, order);
    }

    /**
     * The planes for a list of netdev names; for an empty list the default one: the UP netdev of lowest ifindex that is no loopback and has a global IPv4 address,
     * else {@code lo}.
     *
     * @throws IllegalArgumentException with a sentence for the user when a name cannot be used
     */
    public static List<Plane> find(Netlink netlink, List<String> names) {
        List<NetDevice> devices = netlink.devices();
        List<NetAddress> addresses = netlink.addresses();
        if (names.size() > MAX) {
            throw new IllegalArgumentException("METAROCE_IFACE names " + names.size() + " netdevs, at most " + MAX);
        }
        List<Plane> planes = new ArrayList<>();
        for (String name : names.isEmpty() ? List.of(defaultName(devices, addresses)) : names) {
            NetDevice device = byName(devices, name);
            for (Plane earlier : planes) {
                if (earlier.device.ifindex() == device.ifindex()) {
                    throw new IllegalArgumentException("METAROCE_IFACE names " + name + " twice");
                }
            }
            planes.add(of(device, addresses));
        }
        return planes;
    }

    /** The plane of one netdev. */
    public static Plane of(NetDevice device, List<NetAddress> all) {
        List<IpAddress> chosen = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) { // IPv4, IPv6, link-local
            for (NetAddress a : all) {
                if (a.ifindex() == device.ifindex()
                        && !a.hasFailed()
                        && rank(a.address()) == rank
                        && chosen.size() < MAX_ADDRESSES) {
                    chosen.add(a.address());
                }
            }
        }
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException("netdev " + device.name()
                    + " has no usable IP address: ip addr add ADDRESS/PREFIX dev " + device.name());
        }
        return new Plane(device, speedMbps(device.name()), chosen);
    }

    private static int rank(IpAddress address) {
        return address.isV4() ? 0 : address.isLinkLocal() ? 2 : 1;
    }

    private static NetDevice byName(List<NetDevice> devices, String name) {
        for (NetDevice device : devices) {
            if (device.name().equals(name)) {
                if (!device.isUp()) {
                    throw new IllegalArgumentException("netdev " + name + " is down: ip link set " + name + " up");
                }
                if (device.type() != Linux.ARPHRD_ETHER && !device.isLoopback()) {
                    throw new IllegalArgumentException("netdev " + name + " is not Ethernet");
                }
                return device;
            }
        }
        throw new IllegalArgumentException("there is no netdev " + name + " (see: ip link)");
    }

    private static String defaultName(List<NetDevice> devices, List<NetAddress> addresses) {
        for (NetDevice device : devices) {
            if (device.isUp() && device.type() == Linux.ARPHRD_ETHER) {
                for (NetAddress a : addresses) {
                    if (a.ifindex() == device.ifindex() && a.address().isV4() && a.scope() == 0) {
                        return device.name();
                    }
                }
            }
        }
        return "lo";
    }

    private static int speedMbps(String name) {
        try {
            String text =
                    Files.readString(Path.of("/sys/class/net", name, "speed")).strip();
            return Math.max(0, Integer.parseInt(text));
        } catch (IOException | NumberFormatException e) {
            return 0; // lo, and netdevs without a link partner, do not know
        }
    }
}
