package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.port.Counter;
import io.metaroce.provider.slots.SendSlot;
import io.metaroce.wire.Opcode;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where and when request data lands (protocol section 12): on arrival, in place, the older never over the newer, the last bytes of a WRITE last. */
final class PlacementTest {
    private static final int QP = 5;
    private static final int S = 1344;

    private final Pair pair = new Pair(2).connected(QP, 64, 64);
    private final Peer a = pair.a;
    private final Peer b = pair.b;
    private final TestMemory.Region from = a.memory.register(Peer.PD, 20_000, 0);
    private final TestMemory.Region to = b.memory.register(Peer.PD, 20_000, Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE);

    PlacementTest() {
        pair.settle();
    }

    private static byte[] of(int n, int value) {
        byte[] bytes = new byte[n];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    private void write(int wrId, int value, long at, int length) {
        from.put(at, of(length, value));
        a.write(QP, wrId, SendSlot.SIGNALED, from, at, length, to.addr + at, to.key, pair.nowNs);
    }

    /** Drops the first transmission of the n-th segment of this side's requests. */
    private void loseOnce(int... segments) {
        int first = a.stream(QP).binds.firstRequest();
        boolean[] lost = new boolean[segments.length];
        pair.dropData = f -> {
            for (int i = 0; i < segments.length; i++) {
                if (!lost[i] && f.opcode() == Opcode.WRITE && f.spsn() - first == segments[i]) {
                    lost[i] = true;
                    return true;
                }
            }
            return false;
        };
    }

    @Test
    void an_older_write_that_comes_late_does_not_cover_a_newer_one() {
        loseOnce(0);
        // Different source addresses, one target.
        from.put(0, of(5000, 1));
        from.put(5000, of(5000, 2));
        a.write(QP, 1, SendSlot.SIGNALED, from, 0, 1000, to.addr, to.key, pair.nowNs);
        a.write(QP, 2, SendSlot.SIGNALED, from, 5000, 600, to.addr + 200, to.key, pair.nowNs);
        pair.until(() -> a.completions.size() == 2);
        assertEquals(1, pair.dropped);
        byte[] expected = of(1000, 1);
        Arrays.fill(expected, 200, 800, (byte) 2);
        assertArrayEquals(expected, to.bytes(0, 1000));
        assertTrue(b.count(Counter.RX_OUT_OF_ORDER) > 0);
    }

    @Test
    void a_held_tail_does_not_cover_a_newer_write() {
        // Write 1 has two segments: the first is lost, so the tail of the second is held while write 2 lands on it.
        loseOnce(0);
        from.put(0, of(S + 100, 1));
        from.put(5000, of(3000, 2));
        a.write(QP, 1, SendSlot.SIGNALED, from, 0, S + 100, to.addr, to.key, pair.nowNs);
        a.write(QP, 2, SendSlot.SIGNALED, from, 5000, 2800, to.addr + S + 20, to.key, pair.nowNs);
        pair.until(() -> a.completions.size() == 2);
        byte[] expected = of(S + 20 + 2800, 2);
        Arrays.fill(expected, 0, S + 20, (byte) 1);
        assertArrayEquals(expected, to.bytes(0, S + 20 + 2800));
    }

    @Test
    void a_send_that_comes_late_does_not_cover_a_newer_message_in_the_same_buffer() {
        b.recv(QP, 1, pair.nowNs, to.addr, 100, to.key, to.addr + 100, 100, to.key);
        b.recv(QP, 2, pair.nowNs, to.addr + 50, 100, to.key);
        write(9, 0, 15_000, 8); // its acknowledgement tells of the receives
        pair.until(() -> a.completions.size() == 1);
        a.completions.clear();
        int first = a.stream(QP).binds.firstRequest() + 1;
        int[] lost = new int[1];
        pair.dropData = f -> f.opcode() == Opcode.SEND && f.spsn() == first && lost[0]++ == 0;
        from.put(0, of(200, 1));
        from.put(200, of(100, 2));
        a.send(QP, 1, SendSlot.SIGNALED, from, 0, 200, pair.nowNs);
        a.send(QP, 2, SendSlot.SIGNALED, from, 200, 100, pair.nowNs);
        pair.until(() -> a.completions.size() == 2);
        byte[] expected = of(200, 1);
        Arrays.fill(expected, 50, 150, (byte) 2);
        assertArrayEquals(expected, to.bytes(0, 200));
        assertEquals(List.of(1L, 2L), b.recvs(QP).stream().map(Peer.Wc::wrId).toList());
    }

    @Test
    void the_last_64_bytes_of_a_write_wait_for_everything_older() {
        long untilNs = pair.nowNs + 1_000_000;
        pair.dropData = f ->
                f.opcode() == Opcode.WRITE && f.spsn() == a.stream(QP).binds.firstRequest() && pair.nowNs < untilNs;
        write(1, 1, 0, 100);
        write(2, 2, 1000, 500);
        pair.forNs(200_000);
        // The body is there, the tail is not, nor is anything reported.
        assertArrayEquals(of(436, 2), to.bytes(1000, 436));
        assertArrayEquals(of(64, 0), to.bytes(1436, 64));
        assertEquals(List.of(), a.completions);
        int releases = b.memory.releases;
        pair.until(() -> a.completions.size() == 2);
        assertArrayEquals(of(500, 2), to.bytes(1000, 500));
        assertArrayEquals(of(100, 1), to.bytes(0, 100));
        // Both tails were stored so that their last byte becomes visible last, the older one first.
        assertEquals(releases + 2, b.memory.releases);
        assertEquals(to.addr + 1500, b.memory.lastRelease);
    }

    @Test
    void a_write_in_order_stores_its_last_bytes_last_too() {
        write(1, 7, 0, 5000);
        pair.until(() -> a.completions.size() == 1);
        assertEquals(1, b.memory.releases);
        assertEquals(to.addr + 5000, b.memory.lastRelease);
    }

    @Test
    void a_held_tail_is_not_stored_into_a_region_that_has_gone() {
        loseOnce(0);
        write(1, 1, 0, 100);
        TestMemory.Region other = b.memory.register(Peer.PD, 500, Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE);
        a.write(QP, 2, SendSlot.SIGNALED, from, 0, 500, other.addr, other.key, pair.nowNs);
        pair.forNs(200_000);
        other.fill(9);
        b.memory.deregister(other);
        pair.until(() -> a.completions.size() == 2);
        assertEquals(
                List.of(Verbs.SUCCESS, Verbs.REM_ACCESS_ERR),
                a.completions.stream().map(Peer.Wc::status).toList());
        assertArrayEquals(of(500, 9), other.bytes(0, 500));
        assertArrayEquals(of(100, 1), to.bytes(0, 100));
    }

    @Test
    void sends_land_in_their_own_receives_while_an_earlier_one_is_missing() {
        for (int i = 0; i < 3; i++) {
            b.recv(QP, i, pair.nowNs, to.addr + 1000L * i, 1000, to.key);
        }
        write(9, 0, 15_000, 8); // its acknowledgement tells of the receives
        pair.until(() -> a.completions.size() == 1);
        a.completions.clear();
        int first = a.stream(QP).binds.firstRequest() + 1;
        long untilNs = pair.nowNs + 1_000_000;
        pair.dropData = f -> f.opcode() == Opcode.SEND && f.spsn() == first && pair.nowNs < untilNs;
        for (int i = 0; i < 3; i++) {
            from.put(100L * i, of(100, i + 1));
            a.send(QP, i, SendSlot.SIGNALED, from, 100L * i, 100, pair.nowNs);
        }
        pair.forNs(200_000);
        assertArrayEquals(of(100, 0), to.bytes(0, 100));
        assertArrayEquals(of(100, 2), to.bytes(1000, 100));
        assertArrayEquals(of(100, 3), to.bytes(2000, 100));
        assertEquals(List.of(), b.completions);
        pair.until(() -> a.completions.size() == 3);
        assertArrayEquals(of(100, 1), to.bytes(0, 100));
        assertEquals(
                List.of(0L, 1L, 2L), b.recvs(QP).stream().map(Peer.Wc::wrId).toList());
    }

    @Test
    void nothing_is_placed_twice() {
        write(1, 1, 0, 3000);
        pair.until(() -> a.completions.size() == 1);
        to.fill(5);
        // The same segments once more, in other packets: as copied to another path, and cut anew.
        int first = a.stream(QP).binds.firstRequest();
        assertEquals(3, b.stream(QP).responder.window.cum() - first);
        a.write(QP, 2, SendSlot.SIGNALED, from, 0, 3000, to.addr, to.key, pair.nowNs);
        List<Peer.Frame> frames = a.transmit(pair.nowNs);
        for (Peer.Frame f : frames) {
            b.arrive(f, pair.nowNs);
        }
        assertEquals(1, to.bytes(0, 1)[0]);
        to.fill(6);
        for (Peer.Frame f : frames) {
            b.arrive(new Peer.Frame(f.id + 1_000, f.type, f.bytes), pair.nowNs);
        }
        assertArrayEquals(of(3000, 6), to.bytes(0, 3000));
    }

    @Test
    void nothing_beyond_a_gap_is_placed_twice() {
        write(1, 1, 0, 3000);
        List<Peer.Frame> frames = a.transmit(pair.nowNs);
        Peer.Frame second = frames.get(1);
        b.arrive(second, pair.nowNs);
        to.fill(6);
        b.arrive(new Peer.Frame(second.id + 1_000, second.type, second.bytes), pair.nowNs);
        assertArrayEquals(of(3000, 6), to.bytes(0, 3000));
    }

    @Test
    void a_packet_cut_anew_places_only_what_is_missing() {
        // Segment 1 lands first; then one packet with segments 0 to 2.
        write(1, 1, 0, 3 * S);
        List<Peer.Frame> small = a.transmit(pair.nowNs);
        assertEquals(3, small.size());
        b.arrive(small.get(1), pair.nowNs);
        to.fill(0);
        byte[] joined = Arrays.copyOf(small.get(2).bytes, 32 + 3 * S);
        System.arraycopy(small.get(0).bytes, 4, joined, 4, 4); // SPSN of the first
        Arrays.fill(joined, 12, 16, (byte) 0); // offset 0
        for (int i = 0; i < 3; i++) {
            System.arraycopy(small.get(i).bytes, 32, joined, 32 + i * S, S);
        }
        b.arrive(new Peer.Frame(99, small.get(0).type, joined), pair.nowNs);
        byte[] expected = of(3 * S, 1);
        Arrays.fill(expected, S, 2 * S, (byte) 0);
        assertArrayEquals(expected, to.bytes(0, 3 * S));
        pair.until(() -> a.completions.size() == 1);
    }

    @Test
    void a_packet_for_which_there_is_no_bitmap_is_dropped_unmarked_and_comes_again() {
        Pair poor = new Pair(4, new Peer("a", 1, 4), new Peer("b", 2, 5, 0, 4096, 4096, 16)).connected(QP, 64, 64);
        poor.settle();
        TestMemory.Region src = poor.a.memory.register(Peer.PD, 9000, 0);
        TestMemory.Region dst = poor.b.memory.register(Peer.PD, 9000, Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE);
        src.fill(3);
        poor.a.write(QP, 1, SendSlot.SIGNALED, src, 0, 9000, dst.addr, dst.key, poor.nowNs);
        List<Peer.Frame> frames = poor.a.transmit(poor.nowNs);
        assertEquals(7, frames.size());
        poor.b.arrive(frames.get(6), poor.nowNs);
        assertEquals(0, poor.b.acks(poor.nowNs).get(0).ids.length - bindFrames(poor.b));
        assertArrayEquals(of(9000, 0), dst.bytes(0, 9000));
        poor.until(() -> poor.a.completions.size() == 1);
        assertArrayEquals(of(9000, 3), dst.bytes(0, 9000));
    }

    /** Frames received before any data: the binds. */
    private static int bindFrames(Peer p) {
        return p.receivedBefore();
    }

    @Test
    void the_window_bounds_what_is_sent_beyond_the_first_missing_segment() {
        TestMemory.Region big = a.memory.register(Peer.PD, 5000L * S, 0);
        TestMemory.Region there = b.memory.register(Peer.PD, 5000L * S, Verbs.LOCAL_WRITE | Verbs.REMOTE_WRITE);
        a.window = 100_000;
        a.resendNs = Integer.MAX_VALUE;
        int first = a.stream(QP).binds.firstRequest();
        int[] highest = new int[1];
        pair.dropData = f -> {
            if (f.opcode() == Opcode.WRITE) {
                highest[0] = Math.max(highest[0], f.spsn() - first);
            }
            return f.opcode() == Opcode.WRITE && f.spsn() == first;
        };
        a.write(QP, 1, SendSlot.SIGNALED, big, 0, 5000L * S, there.addr, there.key, pair.nowNs);
        for (int i = 0; i < 100; i++) {
            pair.step();
        }
        assertEquals(4096 - 1, highest[0]);
        assertNotEquals(0, pair.dropped);
        a.resendNs = 300_000;
        pair.dropData = f -> false;
        pair.until(() -> a.completions.size() == 1);
        assertEquals(Verbs.SUCCESS, a.completions.get(0).status());
    }
}
