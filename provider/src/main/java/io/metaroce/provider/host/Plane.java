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

    public Plane {
        addresses = List.copyOf(addresses);
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException(device.name() + " has no address");
        }
    }

    public IpAddress primary() {
        return addresses.get(0);
    }

    /** The first address of the family, or null. */
    public @Nullable IpAddress first(boolean v4) {
        for (IpAddress address : addresses) {
            if (address.isV4() == v4) {
                return address;
            }
        }
        return null;
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
        for (boolean v4 : new boolean[] {true, false}) {
            for (NetAddress a : all) {
                IpAddress ip = a.address();
                if (a.ifindex() == device.ifindex()
                        && ip.isV4() == v4
                        && a.isStable()
                        && !ip.isLinkLocal()
                        && ip.isLoopback() == device.isLoopback()) {
                    chosen.add(ip);
                }
            }
        }
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException("netdev " + device.name()
                    + " has no usable IP address: ip addr add ADDRESS/PREFIX dev " + device.name());
        }
        return new Plane(device, speedMbps(device.name()), chosen);
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
