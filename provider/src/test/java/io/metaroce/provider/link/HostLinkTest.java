package io.metaroce.provider.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.host.IpAddress;
import io.metaroce.provider.host.Netlink;
import io.metaroce.provider.host.Plane;
import io.metaroce.provider.host.PortClaim;
import io.metaroce.provider.host.TwoHosts;
import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.sys.Sys;
import io.metaroce.wire.Mem;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames between two namespaces, between two processes' worth of sockets on one host, and within one link. */
@Tag("root")
final class HostLinkTest {
    private static final Sys SYS = Sys.get();
    private static final long PATIENCE_NS = 5_000_000_000L;

    /** What a process would open. */
    private record Host(List<Plane> planes, PortClaim claim, HostLink link, Counters counters)
            implements AutoCloseable {
        static Host open(String namespace, String... netdevs) {
            return TwoHosts.in(namespace, () -> {
                try (Netlink netlink = new Netlink(SYS)) {
                    List<Plane> planes = Plane.find(netlink, List.of(netdevs));
                    PortClaim claim = PortClaim.claim(SYS, planes);
                    Counters counters = new Counters();
                    return new Host(planes, claim, new HostLink(SYS, planes, claim.port(), counters), counters);
                }
            });
        }

        int to(int plane, String address, int port) {
            IpAddress ip = IpAddress.parse(address);
            return link.routes().destination(plane, ip.hi(), ip.lo(), port);
        }

        /** Sends {@code bytes} bytes that a receiver can check: their number, then a pattern of it. */
        void send(int destination, int sourcePort, int number, int bytes) {
            long at = link.begin(destination);
            assertNotEquals(0, at, "no room");
            fill(at, number, bytes);
            link.commit(destination, sourcePort, bytes);
        }

        /** Polls until a batch has come. */
        RxBatch receive() {
            RxBatch batch = new RxBatch();
            long end = System.nanoTime() + PATIENCE_NS;
            while (link.poll(batch, System.nanoTime()) == 0) {
                assertTrue(System.nanoTime() < end, () -> "nothing came\n" + counters);
            }
            return batch;
        }

        /** Polls for as long as the kernel needs to hand over what was sent before; true when nothing came. */
        boolean staysSilent() {
            RxBatch batch = new RxBatch();
            for (int i = 0; i < 2000; i++) {
                if (link.poll(batch, System.nanoTime()) != 0) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public void close() {
            link.close();
            claim.close();
        }
    }

    private static void fill(long at, int number, int bytes) {
        Mem.putInt(at, number);
        for (int i = 4; i < bytes; i++) {
            Mem.putByte(at + i, number * 31 + i);
        }
    }

    private static void check(RxBatch batch, int i, int number, int bytes) {
        assertEquals(bytes, batch.length(i));
        assertEquals(number, Mem.getInt(batch.address(i)));
        for (int k = 4; k < bytes; k++) {
            assertEquals((byte) (number * 31 + k), Mem.getByte(batch.address(i) + k), "byte " + k);
        }
    }

    @ParameterizedTest
    @CsvSource({"1500, 10.79.0., 1472", "9000, 10.79.0., 8972", "1500, fd79:0::, 1452", "9000, fd79:0::, 8952"})
    void frames_of_every_size_go_both_ways(int mtu, String net, int maxPayload) {
        try (TwoHosts hosts = new TwoHosts(1, mtu);
                Host left = Host.open(hosts.left(), "left-0");
                Host right = Host.open(hosts.right(), "right-0")) {
            int toRight = left.to(0, net + "2", right.claim.port());
            int toLeft = right.to(0, net + "1", left.claim.port());
            assertEquals(maxPayload, left.link.routes().maxPayload(toRight));
            int number = 0;
            for (int bytes = 20;
                    bytes <= maxPayload;
                    bytes = bytes == maxPayload ? bytes + 1 : Math.min(maxPayload, bytes * 2 + 1)) {
                left.send(toRight, 50_000 + number, number, bytes);
                left.link.flush(System.nanoTime());
                RxBatch there = right.receive();
                assertEquals(1, there.count());
                check(there, 0, number, bytes);
                assertEquals(0, there.plane(0));
                assertEquals(2, there.ecn(0), "ECT(0)");
                assertEquals(50_000 + number, there.sourcePort(0));
                IpAddress source = IpAddress.parse(net + "1");
                assertEquals(source.hi(), there.sourceHi(0));
                assertEquals(source.lo(), there.sourceLo(0));
                right.send(toLeft, 40_000, number + 100, bytes);
                right.link.flush(System.nanoTime());
                check(left.receive(), 0, number + 100, bytes);
                number++;
            }
            assertEquals(0, right.counters.get(Counter.LINK_RX_BAD_CHECKSUM));
            assertEquals(0, right.counters.get(Counter.LINK_RX_MALFORMED));
            assertThrows(IllegalArgumentException.class, () -> left.send(toRight, 1, 0, maxPayload + 1));
        }
    }

    @Test
    void the_first_frame_of_an_unknown_neighbour_arrives_and_later_ones_need_no_kernel() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                Host left = Host.open(hosts.left(), "left-0");
                Host right = Host.open(hosts.right(), "right-0")) {
            assertEquals(
                    "", TwoHosts.ip("-n " + hosts.left() + " -4 neigh show").strip());
            int toRight = left.to(0, "10.79.0.2", right.claim.port());
            left.send(toRight, 50_000, 1, 1000);
            check(right.receive(), 0, 1, 1000);
            assertEquals(1, left.counters.get(Counter.LINK_TX_VIA_KERNEL));
            RxBatch none = new RxBatch();
            long via = 1;
            for (int i = 0; via != 0; i++) {
                assertTrue(i < 1000, "the neighbour is never taken for known");
                long before = left.counters.get(Counter.LINK_TX_VIA_KERNEL);
                left.link.poll(none, System.nanoTime() + i * 1_000_000L);
                left.send(toRight, 50_000, i, 100);
                left.link.flush(System.nanoTime());
                check(right.receive(), 0, i, 100);
                via = left.counters.get(Counter.LINK_TX_VIA_KERNEL) - before;
            }
        }
    }

    @Test
    void a_neighbour_that_changes_its_hardware_address_is_found_again() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                Host left = Host.open(hosts.left(), "left-0");
                Host right = Host.open(hosts.right(), "right-0")) {
            int toRight = left.to(0, "10.79.0.2", right.claim.port());
            RxBatch none = new RxBatch();
            long now = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                left.link.poll(none, now += 1_000_000);
                left.send(toRight, 50_000, i, 100);
                left.link.flush(now);
                check(right.receive(), 0, i, 100);
            }
            TwoHosts.ip("-n " + hosts.right() + " link set right-0 address 02:00:00:00:77:01");
            TwoHosts.ip("-n " + hosts.left() + " neigh replace 10.79.0.2 lladdr 02:00:00:00:77:01 dev left-0");
            left.send(toRight, 50_000, 100, 100); // used; the old address is taken for another host's
            left.link.flush(now);
            now += 6_000_000_000L;
            left.link.poll(none, now);
            left.send(toRight, 50_000, 101, 100);
            left.link.flush(now);
            check(right.receive(), 0, 101, 100);
        }
    }

    @Test
    void a_burst_larger_than_a_batch_arrives_whole_and_in_order() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                Host left = Host.open(hosts.left(), "left-0");
                Host right = Host.open(hosts.right(), "right-0")) {
            int toRight = left.to(0, "10.79.0.2", right.claim.port());
            left.send(toRight, 50_000, 0, 100);
            check(right.receive(), 0, 0, 100);
            long now = System.nanoTime();
            left.link.poll(new RxBatch(), now + 10_000_000);
            int sent = 0;
            while (sent < 300) {
                left.send(toRight, 50_000, sent, 200);
                sent++;
            }
            left.link.flush(now);
            int received = 0;
            while (received < sent) {
                RxBatch batch = right.receive();
                for (int i = 0; i < batch.count(); i++) {
                    check(batch, i, received++, 200);
                }
            }
            right.link.countDrops();
            assertEquals(0, right.counters.get(Counter.LINK_RX_RING_DROPS));
        }
    }

    /** By a cable and by lo; both know UDP segmentation in Linux. On lo a frame ends earlier: it must have room for a datagram of 9000 bytes. */
    @ParameterizedTest
    @CsvSource({"10.79.0.2, false", "fd79:0::2, false", "10.79.0.1, true"})
    void datagrams_of_one_path_travel_in_one_frame_and_arrive_as_they_were(String address, boolean sameHost) {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                Host left = Host.open(hosts.left(), "left-0");
                Host right = sameHost ? Host.open(hosts.left(), "left-0") : Host.open(hosts.right(), "right-0")) {
            int to = left.to(0, address, right.claim.port());
            RxBatch none = new RxBatch();
            long now = System.nanoTime();
            for (int i = 0; i < 20; i++) { // until the neighbour is known
                left.link.poll(none, now += 1_000_000);
                left.send(to, 50_000, i, 100);
                left.link.flush(now);
                check(right.receive(), 0, i, 100);
            }
            int[] bytes = {1400, 1400, 1400, 600, 1400, 1400, 300, 1000, 1400, 1400};
            int[] port = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2};
            // A shorter one ends a frame, another port or a longer one begins one.
            boolean[] joins = {false, true, true, true, false, false, true, false, false, true};
            for (int i = 0; i < bytes.length; i++) {
                left.send(to, 40_000 + port[i], i, bytes[i]);
            }
            left.link.flush(now);
            RxBatch batch = right.receive();
            while (batch.count() < bytes.length) {
                right.link.poll(batch, now); // slots go back to the kernel, which has nothing to write into them
            }
            for (int i = 0; i < bytes.length; i++) {
                check(batch, i, i, bytes[i]);
                assertEquals(40_000 + port[i], batch.sourcePort(i));
                assertEquals(2, batch.ecn(i), "ECT(0)");
                boolean joined = i > 0 && batch.address(i) == batch.address(i - 1) + bytes[i - 1];
                if (!sameHost) {
                    assertEquals(joins[i], joined, "datagram " + i);
                }
            }
        }
    }

    /** As a CLOSE does: nobody uses the destination any more when the frame is sent. */
    @Test
    void a_frame_to_a_destination_that_is_released_before_the_flush_arrives() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                Host left = Host.open(hosts.left(), "left-0");
                Host right = Host.open(hosts.left(), "left-0")) {
            for (int i = 0; i < 100; i++) {
                int to = left.to(0, "10.79.0.1", right.claim.port());
                left.send(to, 40_000, i, 100);
                left.send(to, 40_000, 1000 + i, 100);
                left.link.routes().release(to);
                int other = left.to(0, "10.79.0.1", right.claim.port() + 1);
                assertEquals(to, other, "the number is used again");
                left.send(other, 40_000, 2000, 100); // not for that one
                left.link.routes().release(other);
                left.link.flush(System.nanoTime());
                RxBatch batch = right.receive();
                assertEquals(2, batch.count());
                check(batch, 0, i, 100);
                check(batch, 1, 1000 + i, 100);
            }
        }
    }

    @Test
    void a_frame_with_more_datagrams_than_a_batch_has_room_for_is_read_in_two() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                Host left = Host.open(hosts.left(), "left-0");
                Host right = Host.open(hosts.left(), "left-0")) {
            int to = left.to(0, "10.79.0.1", right.claim.port());
            for (int i = 0; i < 2 * 50; i++) {
                left.send(to, 40_000 + i / 50, i, 100);
            }
            left.link.flush(System.nanoTime());
            RxBatch first = right.receive();
            assertEquals(RxBatch.CAPACITY, first.count());
            for (int i = 0; i < first.count(); i++) {
                check(first, i, i, 100);
                assertEquals(40_000 + i / 50, first.sourcePort(i));
            }
            RxBatch second = right.receive();
            assertEquals(100 - RxBatch.CAPACITY, second.count());
            for (int i = 0; i < second.count(); i++) {
                check(second, i, RxBatch.CAPACITY + i, 100);
            }
            assertTrue(right.staysSilent());
        }
    }

    @Test
    void a_ring_that_nobody_reads_drops_and_counts() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                Host left = Host.open(hosts.left(), "left-0");
                Host right = Host.open(hosts.right(), "right-0")) {
            int toRight = left.to(0, "10.79.0.2", right.claim.port());
            left.send(toRight, 50_000, 0, 100);
            right.receive();
            left.link.poll(new RxBatch(), System.nanoTime() + 10_000_000);
            int sent = 0;
            for (int burst = 0; burst < 100; burst++) {
                for (int i = 0; i < 100; i++) {
                    left.send(toRight, 50_000, ++sent, 1400);
                }
                left.link.flush(System.nanoTime());
            }
            int received = 0;
            RxBatch batch = new RxBatch();
            while (right.link.poll(batch, System.nanoTime()) != 0) {
                received += batch.count();
                batch.clear();
            }
            right.link.countDrops();
            long drops = right.counters.get(Counter.LINK_RX_RING_DROPS);
            assertTrue(drops > 0);
            int lost = sent - received;
            assertTrue(
                    drops <= lost && lost <= 8 * drops,
                    lost + " datagrams in " + drops + " frames"); // 8 x 1400 bytes share a frame
        }
    }

    /** What is sent on a plane that is down is lost like on a cut cable; frames of other planes must not wait for it. */
    @Test
    void a_netdev_that_is_down_drops_frames_and_works_again_when_it_is_up() {
        try (TwoHosts hosts = new TwoHosts(2, 1500);
                Host left = Host.open(hosts.left(), "left-0", "left-1");
                Host right = Host.open(hosts.right(), "right-0", "right-1")) {
            int first = left.to(0, "10.79.0.2", right.claim.port());
            int second = left.to(1, "10.79.1.2", right.claim.port());
            for (int d : new int[] {first, second}) {
                left.send(d, 50_000, 0, 100);
                right.receive();
            }
            long now = System.nanoTime();
            left.link.poll(new RxBatch(), now + 10_000_000); // both neighbours are known now
            for (String down : new String[] {"left-0", "right-0"}) { // the own end, and the cable
                String ns = down.equals("left-0") ? hosts.left() : hosts.right();
                TwoHosts.ip("-n " + ns + " link set " + down + " down");
                for (int i = 0; i < 10_000; i++) {
                    left.send(first, 50_000, i, 100); // never without room
                    if (i % 50 == 49) {
                        left.link.flush(now);
                    }
                }
                // Fifty datagrams are one frame here.
                assertTrue(left.counters.get(Counter.LINK_TX_DROPPED) >= 180, () -> left.counters.toString());
                left.send(second, 50_000, 7, 100);
                left.link.flush(now);
                check(right.receive(), 0, 7, 100);
                TwoHosts.ip("-n " + ns + " link set " + down + " up");
                RxBatch back = new RxBatch();
                long end = System.nanoTime() + PATIENCE_NS;
                while (right.link.poll(back, System.nanoTime()) == 0) {
                    assertTrue(
                            System.nanoTime() < end, () -> "nothing comes after " + down + " is up\n" + left.counters);
                    left.link.poll(new RxBatch(), System.nanoTime());
                    left.send(first, 50_000, 8, 100);
                    left.link.flush(System.nanoTime());
                }
                check(back, 0, 8, 100);
                while (!right.staysSilent()) {
                    assertTrue(System.nanoTime() < end);
                }
            }
        }
    }

    @Test
    void frames_to_other_ports_and_other_addresses_do_not_enter_the_ring() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                Host left = Host.open(hosts.left(), "left-0");
                Host right = Host.open(hosts.right(), "right-0")) {
            TwoHosts.ip("-n " + hosts.right() + " addr add 10.79.0.3/24 dev right-0");
            int port = right.claim.port();
            for (int d : new int[] {
                left.to(0, "10.79.0.2", port + 1), left.to(0, "10.79.0.3", port), left.to(0, "fd79:0::2", 4791)
            }) {
                left.send(d, 50_000, 1, 100);
            }
            left.link.flush(System.nanoTime());
            assertTrue(right.staysSilent());
            assertEquals(0, right.counters.get(Counter.LINK_RX_MALFORMED));
            left.send(left.to(0, "10.79.0.2", port), 50_000, 2, 100);
            left.link.flush(System.nanoTime());
            RxBatch batch = right.receive();
            assertEquals(1, batch.count());
            check(batch, 0, 2, 100);
        }
    }

    @Test
    void a_wrong_checksum_is_counted_and_not_delivered() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                Host right = Host.open(hosts.right(), "right-0");
                RawFrames raw = TwoHosts.in(hosts.left(), () -> new RawFrames("left-0"))) {
            SplittableRandom random = new SplittableRandom(7);
            long mac = right.planes.get(0).device().mac();
            for (boolean v4 : new boolean[] {true, false}) {
                IpAddress from = IpAddress.parse(v4 ? "10.79.0.1" : "fd79:0::1");
                IpAddress to = IpAddress.parse(v4 ? "10.79.0.2" : "fd79:0::2");
                raw.send(mac, from, to, 50_000, right.claim.port(), 101, f -> {});
                RxBatch batch = right.receive();
                assertEquals(101, batch.length(0));
                long before = right.counters.get(Counter.LINK_RX_BAD_CHECKSUM);
                // Any one bit of addresses, UDP header or payload.
                int header = 14 + (v4 ? 20 : 40);
                for (int i = 0; i < 40; i++) {
                    int at = header + 8 + random.nextInt(101);
                    int bit = 1 << random.nextInt(8);
                    raw.send(
                            mac,
                            from,
                            to,
                            50_000,
                            right.claim.port(),
                            101,
                            f -> Mem.putByte(f + at, Mem.getByte(f + at) ^ bit));
                }
                // A source port: nothing but the UDP checksum covers it.
                raw.send(mac, from, to, 50_000, right.claim.port(), 101, f -> Mem.putShortBe(f + header, 50_001));
                assertTrue(right.staysSilent());
                assertEquals(before + 41, right.counters.get(Counter.LINK_RX_BAD_CHECKSUM));
            }
            long before = right.counters.get(Counter.LINK_RX_BAD_CHECKSUM);
            IpAddress from = IpAddress.parse("10.79.0.1");
            IpAddress to = IpAddress.parse("10.79.0.2");
            raw.send(mac, from, to, 50_000, right.claim.port(), 64, f -> Mem.putByte(f + 14 + 8, 1)); // TTL
            assertTrue(right.staysSilent());
            assertEquals(before + 1, right.counters.get(Counter.LINK_RX_BAD_CHECKSUM));
        }
    }

    @Test
    void malformed_packets_are_counted_and_nothing_is_read_behind_them() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                Host right = Host.open(hosts.right(), "right-0");
                RawFrames raw = TwoHosts.in(hosts.left(), () -> new RawFrames("left-0"))) {
            long mac = right.planes.get(0).device().mac();
            IpAddress from = IpAddress.parse("10.79.0.1");
            IpAddress to = IpAddress.parse("10.79.0.2");
            int port = right.claim.port();
            raw.send(
                    mac,
                    from,
                    to,
                    50_000,
                    port,
                    64,
                    f -> Mem.putShortBe(f + 14 + 20 + 4, 7)); // UDP length below its header
            raw.send(mac, from, to, 50_000, port, 64, f -> Mem.putShortBe(f + 14 + 20 + 4, 73)); // beyond the packet
            raw.send(
                    mac,
                    from,
                    to,
                    50_000,
                    port,
                    64,
                    f -> RawFrames.totalLength(f, 20 + 8 + 65)); // IP length beyond the frame
            raw.send(mac, from, to, 50_000, port, 64, f -> RawFrames.totalLength(f, 27));
            assertTrue(right.staysSilent());
            assertEquals(4, right.counters.get(Counter.LINK_RX_MALFORMED));
            raw.send(mac, from, to, 50_000, port, 64, RawFrames::fragment); // more fragments: the filter drops it
            assertTrue(right.staysSilent());
            assertEquals(4, right.counters.get(Counter.LINK_RX_MALFORMED));
        }
    }

    @Test
    void processes_of_one_host_reach_each_other_by_lo_and_never_see_their_own_frames() {
        try (TwoHosts hosts = new TwoHosts(2, 1500);
                Host one = Host.open(hosts.left(), "left-0", "left-1");
                Host two = Host.open(hosts.left(), "left-0", "left-1")) {
            assertEquals(0, one.claim.slot());
            assertEquals(1, two.claim.slot());
            int there = one.to(0, "10.79.1.1", two.claim.port());
            assertEquals(8972, one.link.routes().maxPayload(there));
            one.send(there, 50_000, 5, 8972);
            one.link.flush(System.nanoTime());
            RxBatch batch = two.receive();
            check(batch, 0, 5, 8972);
            assertEquals(1, batch.plane(0), "the plane of the address it was sent to");
            assertEquals(IpAddress.parse("10.79.0.1").lo(), batch.sourceLo(0));
            int back = two.to(1, "10.79.0.1", one.claim.port());
            two.send(back, 50_000, 6, 20);
            two.link.flush(System.nanoTime());
            RxBatch answer = one.receive();
            assertEquals(1, answer.count());
            check(answer, 0, 6, 20);
            assertEquals(0, answer.plane(0));
            assertEquals(0, one.counters.get(Counter.LINK_TX_VIA_KERNEL));
            assertTrue(two.staysSilent());
        }
    }

    @Test
    void a_process_reaches_itself_without_any_netdev() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                Host host = Host.open(hosts.left(), "left-0")) {
            TwoHosts.ip("-n " + hosts.left() + " link set left-0 down");
            TwoHosts.ip("-n " + hosts.left() + " link set lo down");
            int self = host.to(0, "10.79.0.1", host.claim.port());
            host.send(self, 50_000, 9, 1000);
            assertTrue(host.link.isCongested(), "frames to itself wait for the next poll");
            RxBatch batch = host.receive();
            check(batch, 0, 9, 1000);
            assertEquals(50_000, batch.sourcePort(0));
            assertEquals(IpAddress.parse("10.79.0.1").lo(), batch.sourceLo(0));
        }
    }

    @Test
    void destinations_are_shared_counted_and_refused_where_no_route_leads() {
        try (TwoHosts hosts = new TwoHosts(2, 1500);
                Host left = Host.open(hosts.left(), "left-0", "left-1")) {
            int a = left.to(0, "10.79.0.2", 47811);
            assertEquals(a, left.to(0, "10.79.0.2", 47811));
            assertNotEquals(a, left.to(0, "10.79.0.2", 47812));
            assertEquals(-1, left.to(0, "10.79.1.2", 47811), "the net of the other plane");
            assertEquals(-1, left.to(0, "192.0.2.1", 47811), "no default route");
            left.link.routes().release(a);
            left.link.routes().release(a);
            assertThrows(
                    IllegalArgumentException.class, () -> left.link.routes().release(a));
            TwoHosts.ip("-n " + hosts.left() + " route add default via 10.79.0.2");
            assertNotEquals(-1, left.to(0, "192.0.2.1", 47811));
            TwoHosts.ip("-n " + hosts.left() + " route add 10.99.0.0/16 via 10.79.0.2 mtu 1280");
            assertEquals(1280 - 28, left.link.routes().maxPayload(left.to(0, "10.99.0.1", 47811)));
        }
    }
}
