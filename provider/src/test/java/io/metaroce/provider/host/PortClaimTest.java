package io.metaroce.provider.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.sys.Sys;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("root")
final class PortClaimTest {
    private static final Sys SYS = Sys.get();

    private static List<Plane> planes(String... netdevs) {
        try (Netlink netlink = new Netlink(SYS)) {
            return Plane.find(netlink, List.of(netdevs));
        }
    }

    private static PortClaim claim(String namespace, String... netdevs) {
        return TwoHosts.in(namespace, () -> PortClaim.claim(SYS, planes(netdevs)));
    }

    @Test
    void slots_are_claimed_per_address_in_order_and_freed() {
        try (TwoHosts hosts = new TwoHosts(2, 1500)) {
            try (PortClaim first = claim(hosts.left(), "left-0");
                    PortClaim second = claim(hosts.left(), "left-0");
                    PortClaim otherAddress = claim(hosts.left(), "left-1");
                    PortClaim otherHost = claim(hosts.right(), "right-0")) {
                assertEquals(0, first.slot());
                assertEquals(47810, first.port());
                assertEquals(1, second.slot());
                assertEquals(0, otherAddress.slot());
                assertEquals(0, otherHost.slot());
                try (PortClaim both = claim(hosts.left(), "left-0", "left-1")) {
                    assertEquals(2, both.slot(), "free on all addresses");
                }
            }
            try (PortClaim again = claim(hosts.left(), "left-0")) {
                assertEquals(0, again.slot());
            }
        }
    }

    @Test
    void all_slots_taken_is_an_error_that_says_so() {
        try (TwoHosts hosts = new TwoHosts(1, 1500)) {
            List<PortClaim> all = TwoHosts.in(hosts.left(), () -> {
                List<Plane> planes = planes("left-0");
                return java.util.stream.Stream.generate(() -> PortClaim.claim(SYS, planes))
                        .limit(1024)
                        .toList();
            });
            assertEquals(1023, all.get(1023).slot());
            RuntimeException e = assertThrows(RuntimeException.class, () -> claim(hosts.left(), "left-0"));
            assertTrue(String.valueOf(e.getMessage()).contains("EADDRINUSE"), e.getMessage());
            all.forEach(PortClaim::close);
        }
    }

    @Test
    void the_claim_keeps_the_kernel_from_answering_and_queues_nothing() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                PortClaim claim = claim(hosts.right(), "right-0")) {
            TwoHosts.in(hosts.left(), () -> {
                try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getByName("10.79.0.1"))) {
                    for (int i = 0; i < 200; i++) {
                        socket.send(new DatagramPacket(
                                new byte[1000], 1000, new InetSocketAddress("10.79.0.2", claim.port())));
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                return 0;
            });
            String queued = TwoHosts.run("ip", "netns", "exec", hosts.right(), "cat", "/proc/net/udp");
            // tx_queue:rx_queue of the claim socket; the port is in hexadecimal.
            String line = queued.lines()
                    .filter(l -> l.contains(String.format(":%04X ", claim.port())))
                    .findFirst()
                    .orElseThrow();
            assertTrue(line.contains(" 00000000:00000000 "), line);
            String icmp = TwoHosts.run("ip", "netns", "exec", hosts.right(), "cat", "/proc/net/snmp");
            String[] values = icmp.lines()
                    .filter(l -> l.startsWith("Icmp:"))
                    .toList()
                    .get(1)
                    .split(" ");
            String[] names = icmp.lines()
                    .filter(l -> l.startsWith("Icmp:"))
                    .toList()
                    .get(0)
                    .split(" ");
            int unreachable = List.of(names).indexOf("OutDestUnreachs");
            assertEquals("0", values[unreachable]);
        }
    }

    @Test
    void planes_that_cannot_be_used_are_refused_with_a_sentence() {
        try (TwoHosts hosts = new TwoHosts(1, 1500)) {
            TwoHosts.ip("-n " + hosts.left() + " link add bare type veth peer name bare-peer");
            TwoHosts.in(hosts.left(), () -> {
                assertRefused("there is no netdev nope", "nope");
                assertRefused("netdev bare is down: ip link set bare up", "bare");
                assertRefused("names left-0 twice", "left-0", "left-0");
                TwoHosts.ip("-n " + hosts.left() + " link set bare up");
                assertRefused("netdev bare has no usable IP address", "bare");
                assertEquals("left-0", planes().get(0).device().name());
                assertEquals("10.79.0.1", planes().get(0).primary().toString());
                List<IpAddress> addresses = planes().get(0).addresses();
                assertEquals(
                        List.of(IpAddress.parse("10.79.0.1"), IpAddress.parse("fd79:0::1")), addresses.subList(0, 2));
                assertTrue(addresses.get(2).isLinkLocal(), "the link-local address is last");
                assertEquals(1500, planes().get(0).device().mtu());
                TwoHosts.ip("-n " + hosts.left() + " link set left-0 down");
                assertEquals("lo", planes().get(0).device().name());
                assertEquals("127.0.0.1", planes().get(0).primary().toString());
                return 0;
            });
        }
    }

    private static void assertRefused(String sentence, String... netdevs) {
        RuntimeException e = assertThrows(IllegalArgumentException.class, () -> planes(netdevs));
        assertTrue(String.valueOf(e.getMessage()).contains(sentence), e.getMessage());
    }
}
