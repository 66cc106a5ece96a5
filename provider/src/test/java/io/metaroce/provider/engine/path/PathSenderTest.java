package io.metaroce.provider.engine.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.provider.engine.Record;
import io.metaroce.wire.AckHeader;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Mem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PathSenderTest {
    private final PathSender sender = new PathSender();
    private final RttEstimator rtt = new RttEstimator();
    private final int[] cleared = new int[PathSender.WINDOW];
    private final long ack = Mem.alloc(128);
    private long nowNs = 1000;

    @AfterEach
    void free() {
        Mem.free(ack);
    }

    private void send(int n) {
        for (int i = 0; i < n; i++) {
            Record record = new Record();
            record.type = FrameType.DATA;
            record.stream = 9;
            record.spsn = sender.nextPsn() + 500;
            record.segments = 1;
            sender.send(record, 100, nowNs++);
        }
    }

    private List<Integer> ack(int cum, int echo, int... sacked) {
        return ackDups(cum, echo, 0, sacked);
    }

    private List<Integer> ackDups(int cum, int echo, int dups, int... sacked) {
        Mem.fill(ack, 128, 0);
        AckHeader.cumPsn(ack, cum);
        AckHeader.echoTxOrder(ack, echo);
        AckHeader.dupCount(ack, dups);
        AckHeader.sackWords(ack, sacked.length == 0 ? 0 : 4);
        for (int psn : sacked) {
            int bit = psn - cum - 1;
            AckHeader.sackWord(ack, bit / 64, AckHeader.sackWord(ack, bit / 64) | 1L << bit);
        }
        int n = sender.onAck(ack, sender.epoch(), cleared, rtt, nowNs);
        if (n < 0) {
            return List.of(-1);
        }
        return Arrays.stream(cleared, 0, n).boxed().toList();
    }

    @Test
    void psn_starts_at_0_and_transmit_order_at_1() {
        assertEquals(0, sender.nextPsn());
        send(1);
        assertEquals(1, sender.txOrder());
        assertEquals(2, sender.sendProbe(nowNs));
        send(1);
        assertEquals(2, sender.nextPsn());
        assertEquals(3, sender.txOrder());
    }

    @Test
    void cumulative_and_sack_bits_clear_each_packet_once() {
        send(6);
        assertEquals(List.of(0, 1), ack(2, 2));
        assertEquals(2, sender.cum());
        assertEquals(200, sender.ackedBytes());
        assertEquals(List.of(3, 5), ack(2, 6, 3, 5));
        assertEquals(2, sender.cum());
        assertEquals(List.of(), ack(2, 6, 3, 5));
        assertEquals(List.of(2, 4), ack(6, 6));
        assertFalse(sender.outstanding());
        assertEquals(0, sender.inFlightBytes());
    }

    @Test
    void what_was_sent_before_something_received_is_lost_at_once_and_only_that() {
        send(6);
        ack(2, 4, 3);
        assertEquals(1, sender.lost());
        assertEquals(2, sender.firstLost());
        assertEquals(2, sender.inFlight(), "4 and 5 were sent later");
        sender.resend(100, false, nowNs);
        assertEquals(7, sender.txOrder());
        assertEquals(0, sender.lost());
        assertEquals(6, sender.nextPsn(), "a resend keeps its PSN");
    }

    /** The link was full after one resend; then the second lost packet turns out to be late, not lost. */
    @Test
    void a_lost_packet_that_arrives_late_leaves_the_queue_of_resends_whatever_was_sent_before() {
        send(5);
        ack(0, 5, 4);
        assertEquals(4, sender.lost());
        sender.resend(100, false, nowNs); // PSN 0
        assertEquals(List.of(1, 3), ack(0, 5, 1, 3, 4));
        assertEquals(1, sender.lost());
        assertEquals(2, sender.firstLost());
        sender.resend(100, false, nowNs);
        assertEquals(0, sender.lost());
        assertEquals(2, sender.inFlight());
        assertEquals(List.of(0, 2), ack(5, 7));
        assertEquals(0, sender.inFlight());
        assertFalse(sender.outstanding());
    }

    @Test
    void a_lost_resend_is_lost_again_as_soon_as_something_sent_after_it_arrives() {
        send(3);
        ack(0, 3, 1, 2);
        sender.resend(100, false, nowNs);
        send(1);
        assertEquals(0, sender.lost());
        ack(0, 5, 1, 2, 3);
        assertEquals(1, sender.lost());
        assertEquals(0, sender.firstLost());
    }

    @Test
    void a_probe_proves_the_tail() {
        send(3);
        int order = sender.sendProbe(nowNs);
        ack(1, order);
        assertEquals(2, sender.lost());
        assertEquals(1, sender.firstLost());
    }

    /** One packet comes so late that it is resent needlessly: {@code dups} duplicates by now. */
    private void needless(int dups) {
        int psn = sender.nextPsn();
        send(2 + sender.tolerance());
        int order = sender.txOrder();
        ackDups(psn, order, dups - 1, psn + 1);
        assertTrue(sender.lost() > 0);
        while (sender.lost() > 0) {
            sender.resend(100, false, nowNs);
        }
        ackDups(sender.nextPsn(), order, dups - 1); // the late one itself
        ackDups(sender.nextPsn(), sender.txOrder(), dups);
    }

    @Test
    void needless_resends_make_it_tolerant_and_clean_round_trips_forget_it() {
        rtt.sample(100_000, 0);
        int[] expected = {1, 3, 7, 15, 31, 63, 127, 255};
        for (int i = 0; i < expected.length; i++) {
            needless(i + 1);
            assertEquals(expected[i], sender.tolerance());
        }
        nowNs += 17 * rtt.srttNs();
        ackDups(sender.nextPsn(), sender.txOrder(), 8);
        assertEquals(
                157, sender.tolerance(), "5/4 of the 126 that had overtaken the last one that was late and spared");
        nowNs += 17 * rtt.srttNs();
        ackDups(sender.nextPsn(), sender.txOrder(), 8);
        assertEquals(78, sender.tolerance());
        ackDups(sender.nextPsn(), sender.txOrder(), 8);
        assertEquals(78, sender.tolerance(), "once per 16 round trips");
    }

    @Test
    void duplicates_made_by_the_network_or_by_replay_do_not_make_it_tolerant() {
        rtt.sample(100_000, 0);
        send(10);
        ackDups(10, 10, 5);
        assertEquals(0, sender.tolerance(), "nothing was resent at all");
        send(2);
        ackDups(10, 12, 5, 11);
        sender.resend(100, false, nowNs); // rightly
        ackDups(12, 13, 5);
        for (int dups = 6; dups < 50; dups++) {
            ackDups(12, 13, dups);
        }
        assertEquals(0, sender.tolerance(), "nothing was resent without need");
        needless(50);
        assertEquals(1, sender.tolerance());
        ackDups(sender.nextPsn(), sender.txOrder(), 60);
        assertEquals(1, sender.tolerance(), "one resend, one step");
    }

    @Test
    void tolerance_holds_a_loss_back_but_age_overrides_it() {
        rtt.sample(100_000, 0);
        for (int i = 1; i <= 5; i++) {
            needless(i);
        }
        assertEquals(31, sender.tolerance());
        int psn = sender.nextPsn();
        send(20);
        long sentNs = sender.oldestSentNs();
        nowNs = sentNs + 10_000;
        ackDups(psn, sender.txOrder(), 5, psn + 1);
        assertEquals(0, sender.lost(), "within 31 and young");
        nowNs = sender.lateNs(rtt.srttNs());
        assertTrue(nowNs > sentNs + rtt.srttNs() * 5 / 4, "a quarter of an RTT at least");
        assertTrue(nowNs <= sentNs + rtt.srttNs() * 4 + 1, "three RTTs at most");
        ackDups(psn, sender.txOrder(), 5, psn + 1);
        assertTrue(sender.lost() > 0, "old");
        assertEquals(psn, sender.firstLost());
    }

    @Test
    void what_was_overtaken_is_lost_in_time_without_another_ack() {
        rtt.sample(100_000, 0);
        for (int i = 1; i <= 5; i++) {
            needless(i);
        }
        int psn = sender.nextPsn();
        send(3);
        assertEquals(Long.MAX_VALUE, sender.lateNs(rtt.srttNs()), "nothing sent later has arrived");
        nowNs += 100_000;
        ackDups(psn, sender.txOrder(), 5, psn + 2);
        long lateNs = sender.lateNs(rtt.srttNs());
        sender.onLate(rtt.srttNs(), lateNs - 1);
        assertEquals(0, sender.lost());
        sender.onLate(rtt.srttNs(), lateNs);
        assertEquals(1, sender.lost(), "the second one was sent a nanosecond later");
        assertEquals(1, sender.newlyLost());
        sender.onLate(rtt.srttNs(), lateNs + 1);
        assertEquals(2, sender.lost());
    }

    /** Reordering that was measured keeps the tolerance up though no resend is needless any more; when it ends, the tolerance goes. */
    @Test
    void tolerance_stays_above_the_reordering_that_is_seen() {
        rtt.sample(100_000, 0);
        for (int i = 1; i <= 6; i++) {
            needless(i);
        }
        assertEquals(63, sender.tolerance());
        for (int round = 0; round < 10; round++) {
            int psn = sender.nextPsn();
            send(41);
            nowNs += 100_000;
            ackDups(psn, sender.txOrder(), 6, psn + 40);
            ackDups(sender.nextPsn(), sender.txOrder(), 6); // the first was overtaken by 40
            assertEquals(0, sender.lost());
            nowNs += 20 * rtt.srttNs();
            ackDups(sender.nextPsn(), sender.txOrder(), 6);
        }
        assertEquals(50, sender.tolerance(), "40 and a quarter");
        for (int round = 0; round < 8; round++) {
            nowNs += 20 * rtt.srttNs();
            ackDups(sender.nextPsn(), sender.txOrder(), 6);
        }
        assertEquals(0, sender.tolerance());
    }

    @Test
    void a_new_epoch_counts_from_0_and_orphans_what_is_open() {
        send(5);
        ack(1, 5, 3); // 1 and 2 are lost, 4 is in flight
        sender.copied(4);
        sender.rePath();
        assertEquals(1, sender.epoch());
        assertEquals(0, sender.wirePsn(sender.nextPsn()));
        assertEquals(0, sender.wireTxOrder());
        assertEquals(2, sender.orphans(), "PSN 4's copy answers for it");
        assertEquals(0, sender.inFlight());
        assertEquals(0, sender.inFlightBytes());
        assertEquals(0, sender.lost());
        assertEquals(1, sender.cum());
        assertTrue(sender.isOrphan(1) && sender.isOrphan(2) && !sender.isOpen(4));
        send(2);
        assertEquals(1, sender.wirePsn(sender.nextPsn() - 1));
        assertEquals(2, sender.wireTxOrder());
        assertEquals(List.of(5, 6), ack(2, 2), "the present epoch's");
        assertEquals(2, sender.orphans());
        sender.closeOrphan(1);
        sender.closeOrphan(2);
        assertFalse(sender.outstanding());
    }

    @Test
    void an_ack_of_an_earlier_epoch_clears_its_records_and_gives_an_rtt() {
        send(4);
        int probe = sender.sendProbe(nowNs);
        long probedNs = nowNs;
        sender.rePath();
        send(3);
        sender.rePath();
        send(1);
        nowNs = probedNs + 77_000;
        Mem.fill(ack, 128, 0);
        AckHeader.cumPsn(ack, 3);
        AckHeader.echoTxOrder(ack, probe);
        int n = sender.onAck(ack, 0, cleared, rtt, nowNs);
        assertEquals(List.of(0, 1, 2), Arrays.stream(cleared, 0, n).boxed().toList());
        assertTrue(sender.heardNews());
        assertEquals(77_000, rtt.srttNs());
        assertEquals(4, sender.orphans(), "PSN 3 of epoch 0 and those of epoch 1");
        assertEquals(1, sender.inFlight());
        assertEquals(0, sender.onAck(ack, 0, cleared, rtt, nowNs));
        assertFalse(sender.heardNews());
        AckHeader.cumPsn(ack, 2);
        AckHeader.echoTxOrder(ack, 2);
        assertEquals(2, sender.onAck(ack, 1, cleared, rtt, nowNs), "PSNs 0 and 1 of epoch 1");
        assertEquals(4, cleared[0]);
        assertEquals(1, sender.heardEpoch());
        AckHeader.cumPsn(ack, 5);
        assertEquals(-1, sender.onAck(ack, 0, cleared, rtt, nowNs), "epoch 0 had four PSNs");
        assertEquals(-1, sender.onAck(ack, 3, cleared, rtt, nowNs), "a later epoch than the present one");
        assertEquals(-1, sender.onAck(ack, 255, cleared, rtt, nowNs));
    }

    @Test
    void rtt_is_that_of_the_transmission_echoed_even_a_resend() {
        send(2);
        nowNs = 10_000;
        ack(0, 2, 1);
        sender.resend(100, false, 20_000);
        nowNs = 27_000;
        ack(2, 3);
        assertEquals(9_000 - 1 - 249, rtt.srttNs(), "8999 first, then an eighth of the way to 7000");
    }

    @Test
    void an_ack_of_what_was_never_sent_has_no_effect() {
        send(4);
        assertEquals(List.of(-1), ack(5, 1));
        assertEquals(List.of(-1), ack(1, 5));
        assertEquals(4, sender.inFlight());
        assertEquals(List.of(), ack(0, 4, 200), "bits beyond the last one sent are nobody's");
        assertEquals(3, sender.lost());
    }

    @Test
    void an_old_ack_changes_nothing() {
        send(4);
        ack(4, 4);
        send(4);
        assertEquals(List.of(), ack(1, 2, 2, 3));
        assertEquals(4, sender.cum());
        assertEquals(4, sender.inFlight());
    }

    @Test
    void the_window_is_256_psns_wide() {
        for (int i = 0; i < 256; i++) {
            assertTrue(sender.hasRoom());
            send(1);
        }
        assertFalse(sender.hasRoom());
        ack(0, 256, 1);
        assertFalse(sender.hasRoom(), "a SACK alone opens nothing");
        ack(1, 256, 1);
        assertTrue(sender.hasRoom());
        assertEquals(254, sender.open());
    }

    @Test
    void a_record_comes_back_as_it_went_in() {
        Record in = new Record();
        for (int type : new int[] {FrameType.DATA, FrameType.STREAM_CTL}) {
            in.type = type;
            in.stream = 16383;
            in.life = -5;
            in.space = 1;
            in.spsn = 0xfedc_ba98;
            in.segments = 57;
            in.ref = -77;
            int psn = sender.nextPsn();
            sender.send(in, 65_000, 1);
            Record out = new Record();
            sender.load(psn, out);
            assertEquals(type, out.type);
            assertEquals(16383, out.stream);
            assertEquals(-5, out.life);
            assertEquals(1, out.space);
            assertEquals(0xfedc_ba98, out.spsn);
            assertEquals(57, out.segments);
            assertEquals(-77, out.ref);
            assertEquals(65_000, sender.bytes(psn));
        }
    }

    @Test
    void in_flight_lost_and_cleared_agree_with_a_model_while_the_tables_grow() {
        for (long seed = 1; seed <= 60; seed++) {
            Random random = new Random(seed);
            PathSender one = new PathSender();
            Map<Integer, Integer> flying = new HashMap<>(); // psn -> tx order
            List<Integer> lost = new ArrayList<>();
            TreeSet<Integer> received = new TreeSet<>();
            Record record = new Record();
            record.segments = 1;
            int highest = 0;
            int cumAtPeer = 0;
            for (int step = 0; step < 2000; step++) {
                int what = random.nextInt(10);
                if (what < 5 && one.hasRoom()) {
                    record.spsn = one.nextPsn();
                    int psn = one.nextPsn();
                    one.send(record, 1 + psn % 1000, step);
                    flying.put(psn, one.txOrder());
                } else if (what < 7 && !lost.isEmpty()) {
                    int psn = lost.remove(0);
                    assertEquals(psn, one.firstLost(), "seed " + seed);
                    one.resend(1 + psn % 1000, false, step);
                    flying.put(psn, one.txOrder());
                } else if (!flying.isEmpty() || !lost.isEmpty()) {
                    // A packet in flight arrives, or one that was thought lost and is only late.
                    boolean late = !lost.isEmpty() && (flying.isEmpty() || random.nextInt(4) == 0);
                    List<Integer> candidates = late ? lost : new ArrayList<>(flying.keySet());
                    int psn = candidates.get(random.nextInt(candidates.size()));
                    int order = flying.getOrDefault(psn, 0);
                    received.add(psn);
                    while (received.contains(cumAtPeer)) {
                        cumAtPeer++;
                    }
                    highest = Math.max(highest, order);
                    Mem.fill(ack, 128, 0);
                    AckHeader.cumPsn(ack, cumAtPeer);
                    AckHeader.echoTxOrder(ack, highest);
                    AckHeader.sackWords(ack, 4);
                    for (int got : received.tailSet(cumAtPeer)) {
                        int bit = got - cumAtPeer - 1;
                        AckHeader.sackWord(ack, bit / 64, AckHeader.sackWord(ack, bit / 64) | 1L << bit);
                    }
                    int n = one.onAck(ack, one.epoch(), cleared, rtt, step);
                    assertEquals(1, n, "seed " + seed + " step " + step);
                    assertEquals(psn, cleared[0], "seed " + seed);
                    flying.remove(psn);
                    lost.remove((Integer) psn);
                    int limit = highest;
                    List<Map.Entry<Integer, Integer>> gone = flying.entrySet().stream()
                            .filter(e -> e.getValue() < limit)
                            .sorted(Map.Entry.comparingByValue())
                            .toList();
                    for (Map.Entry<Integer, Integer> e : gone) {
                        lost.add(e.getKey());
                        flying.remove(e.getKey());
                    }
                    assertEquals(cumAtPeer, one.cum(), "seed " + seed);
                }
                assertEquals(flying.size(), one.inFlight(), "seed " + seed);
                assertEquals(lost.size(), one.lost(), "seed " + seed);
                int bytes = flying.keySet().stream().mapToInt(p -> 1 + p % 1000).sum();
                assertEquals(bytes, one.inFlightBytes(), "seed " + seed);
            }
        }
    }
}
