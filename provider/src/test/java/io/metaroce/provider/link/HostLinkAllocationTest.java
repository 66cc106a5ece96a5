package io.metaroce.provider.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.metaroce.provider.host.IpAddress;
import io.metaroce.provider.host.Netlink;
import io.metaroce.provider.host.Plane;
import io.metaroce.provider.host.PortClaim;
import io.metaroce.provider.host.TwoHosts;
import io.metaroce.provider.port.Counters;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.provider.sys.Sys;
import io.metaroce.wire.Mem;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("root")
final class HostLinkAllocationTest {
    private static final Sys SYS = Sys.get();
    private static final int BURST = 16;
    private static final int FRAMES = 160_000;
    private static final int ROUNDS = 25;

    @Test
    void frames_cost_no_heap() {
        try (TwoHosts hosts = new TwoHosts(1, 1500);
                PortClaim claim = TwoHosts.in(hosts.left(), () -> PortClaim.claim(SYS, planes()));
                HostLink link =
                        TwoHosts.in(hosts.left(), () -> new HostLink(SYS, planes(), claim.port(), new Counters()));
                PortClaim other = TwoHosts.in(hosts.left(), () -> PortClaim.claim(SYS, planes()));
                HostLink there =
                        TwoHosts.in(hosts.left(), () -> new HostLink(SYS, planes(), other.port(), new Counters()))) {
            IpAddress here = IpAddress.parse("10.79.0.1");
            int byLo = link.routes().destination(0, here.hi(), here.lo(), other.port());
            int self = link.routes().destination(0, here.hi(), here.lo(), claim.port());
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            // Interpreted and half-compiled calls into C allocate; a leak of the path itself would show in every round.
            long allocated = -1;
            for (int round = 0; allocated != 0 && round < ROUNDS; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                assertEquals(FRAMES, exchange(link, there, byLo, self, FRAMES));
                allocated = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertEquals(0, allocated, "bytes in a round of " + FRAMES + " frames");
        }
    }

    private static List<Plane> planes() {
        try (Netlink netlink = new Netlink(SYS)) {
            return Plane.find(netlink, List.of("left-0"));
        }
    }

    private static int exchange(HostLink link, HostLink there, int byLo, int self, int frames) {
        RxBatch rx = RX;
        int received = 0;
        for (int sent = 0; sent < frames; sent += BURST) {
            long now = System.nanoTime();
            for (int i = 0; i < BURST; i++) {
                int destination = (i & 1) == 0 ? byLo : self;
                Mem.putLong(link.begin(destination), sent);
                link.commit(destination, 50_000, 200);
            }
            link.flush(now);
            int expected = received + BURST;
            while (received < expected) {
                rx.clear();
                received += there.poll(rx, now);
                rx.clear();
                received += link.poll(rx, now);
            }
        }
        return received;
    }

    private static final RxBatch RX = new RxBatch();
}
