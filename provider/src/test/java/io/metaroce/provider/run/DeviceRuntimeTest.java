package io.metaroce.provider.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.host.IpAddress;
import io.metaroce.provider.host.TwoHosts;
import io.metaroce.provider.port.Counter;
import io.metaroce.wire.Mem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole devices: engine, link and daemon, between two namespaces and within one. */
@Tag("root")
@Timeout(60)
final class DeviceRuntimeTest {
    private static final int BYTES = 1 << 20;

    private static void fill(long at, int bytes, int seed) {
        for (int i = 0; i < bytes; i++) {
            Mem.putByte(at + i, i * 31 + (i >> 8) + seed);
        }
    }

    private static void exchange(RawVerbs a, RawVerbs b) {
        int half = BYTES / 2;
        for (int bytes : new int[] {1, 64, 1500, 4096, 100_000, half}) {
            fill(a.memory, bytes, bytes);
            b.postReceive(1000 + bytes, b.memory + half, bytes);
            a.postSend(bytes, RawVerbs.SEND, a.memory, bytes, 0, 0);
            assertEquals(bytes, a.completion(b));
            assertEquals(1000 + bytes, b.completion(a));
            assertTrue(Mem.equal(a.memory, b.memory + half, bytes), bytes + " bytes sent");
            fill(a.memory, bytes, bytes + 1);
            a.postSend(1, RawVerbs.WRITE, a.memory, bytes, b.memory, b.rkey);
            assertEquals(1, a.completion(b));
            assertTrue(Mem.equal(a.memory, b.memory, bytes), bytes + " bytes written");
            fill(b.memory, bytes, bytes + 2);
            a.postSend(2, RawVerbs.READ, a.memory + half, bytes, b.memory, b.rkey);
            assertEquals(2, a.completion(b));
            assertTrue(Mem.equal(a.memory + half, b.memory, bytes), bytes + " bytes read");
        }
    }

    @ParameterizedTest
    @CsvSource({"1500, 1, 10.79.0.", "9000, 2, 10.79.0.", "1500, 1, fd79:0::"})
    void two_hosts_send_write_and_read(int mtu, int planes, String net) {
        try (TwoHosts hosts = new TwoHosts(planes, mtu);
                DeviceRuntime left = RawVerbs.open(hosts.left(), planes == 1 ? "left-0" : "left-0,left-1");
                DeviceRuntime right = RawVerbs.open(hosts.right(), planes == 1 ? "right-0" : "right-0,right-1")) {
            RawVerbs a = new RawVerbs(left, BYTES);
            RawVerbs b = new RawVerbs(right, BYTES);
            a.connect(IpAddress.parse(net + "2"), b.qpn);
            b.connect(IpAddress.parse(net + "1"), a.qpn);
            exchange(a, b);
            exchange(b, a);
            assertEquals(1, left.counters().get(Counter.CONNECTIONS_OPEN));
            assertEquals(0, left.counters().get(Counter.LINK_RX_MALFORMED));
            assertEquals(0, left.counters().get(Counter.LINK_RX_BAD_CHECKSUM));
        }
    }

    @Test
    void two_processes_of_one_host_go_by_lo() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                DeviceRuntime one = RawVerbs.open(hosts.left(), "left-0");
                DeviceRuntime two = RawVerbs.open(hosts.left(), "left-0")) {
            assertEquals(0, one.slot());
            assertEquals(1, two.slot());
            RawVerbs a = new RawVerbs(one, BYTES);
            RawVerbs b = new RawVerbs(two, BYTES);
            IpAddress here = IpAddress.parse("10.79.0.1");
            a.connect(here, b.qpn);
            b.connect(here, a.qpn);
            exchange(a, b);
        }
    }

    @Test
    void a_process_talks_to_itself() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                DeviceRuntime one = RawVerbs.open(hosts.left(), "left-0")) {
            RawVerbs a = new RawVerbs(one, BYTES);
            RawVerbs b = new RawVerbs(one, BYTES);
            IpAddress here = IpAddress.parse("10.79.0.1");
            a.connect(here, b.qpn);
            b.connect(here, a.qpn);
            exchange(a, b);
        }
    }

    /** The target of one-sided operations calls no verb: its daemon does the work. */
    @Test
    void a_passive_target_is_served_by_its_daemon() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                DeviceRuntime left = RawVerbs.open(hosts.left(), "left-0");
                DeviceRuntime right = RawVerbs.open(hosts.right(), "right-0")) {
            RawVerbs a = new RawVerbs(left, BYTES);
            RawVerbs b = new RawVerbs(right, BYTES);
            a.connect(IpAddress.parse("10.79.0.2"), b.qpn);
            b.connect(IpAddress.parse("10.79.0.1"), a.qpn);
            for (int i = 1; i <= 50; i++) {
                fill(a.memory, 5000, i);
                a.postSend(i, RawVerbs.WRITE, a.memory, 5000, b.memory, b.rkey);
                assertEquals(i, a.completion());
                assertTrue(Mem.equal(a.memory, b.memory, 5000));
            }
        }
    }

    /** A program posts and sleeps: its own daemon sends, receives and completes. */
    @Test
    void a_program_that_never_polls_is_served_by_its_daemon() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                DeviceRuntime left = RawVerbs.open(hosts.left(), "left-0");
                DeviceRuntime right = RawVerbs.open(hosts.right(), "right-0")) {
            RawVerbs a = new RawVerbs(left, BYTES);
            RawVerbs b = new RawVerbs(right, BYTES);
            a.connect(IpAddress.parse("10.79.0.2"), b.qpn);
            b.connect(IpAddress.parse("10.79.0.1"), a.qpn);
            a.postSend(1, RawVerbs.WRITE, a.memory, BYTES, b.memory, b.rkey);
            while (!a.hasCompletion()) {
                Thread.onSpinWait();
            }
            assertEquals(1, a.completion());
        }
    }

    @Test
    void a_device_that_closes_says_so_and_frees_its_slot() {
        try (TwoHosts hosts = new TwoHosts(1, 1500)) {
            DeviceRuntime left = RawVerbs.open(hosts.left(), "left-0");
            try (DeviceRuntime right = RawVerbs.open(hosts.right(), "right-0")) {
                RawVerbs a = new RawVerbs(left, BYTES);
                RawVerbs b = new RawVerbs(right, BYTES);
                a.connect(IpAddress.parse("10.79.0.2"), b.qpn);
                b.connect(IpAddress.parse("10.79.0.1"), a.qpn);
                exchange(a, b);
                assertEquals(1, right.counters().get(Counter.CONNECTIONS_OPEN));
                left.close();
                assertEquals(0, left.poll(), "a closed device does nothing");
                assertEquals(19, left.command(1, a.memory), "ENODEV");
                long endNs = System.nanoTime() + 20_000_000_000L;
                while (right.counters().get(Counter.CONNECTIONS_OPEN) != 0) {
                    right.poll();
                    assertTrue(System.nanoTime() < endNs, () -> "no CLOSE came\n" + left.counters() + right.counters());
                }
                try (DeviceRuntime again = RawVerbs.open(hosts.left(), "left-0")) {
                    assertEquals(0, again.slot());
                    assertFalse(again.planes().isEmpty());
                }
            }
        }
    }
}
