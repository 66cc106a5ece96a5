package io.metaroce.provider.slots;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.metaroce.wire.Mem;
import org.junit.jupiter.api.Test;

final class SlotsTest {
    @Test
    void strides_are_those_of_the_header() {
        // 48 + max(16 * sge, inline), rounded up to 64; 16 + 16 * sge, rounded up to 64
        assertEquals(64, SendSlot.stride(1, 0));
        assertEquals(128, SendSlot.stride(2, 0));
        assertEquals(128, SendSlot.stride(5, 80));
        assertEquals(192, SendSlot.stride(1, 81));
        assertEquals(576, SendSlot.stride(32, 512));
        assertEquals(64, RecvSlot.stride(3));
        assertEquals(128, RecvSlot.stride(4));
        assertEquals(576, RecvSlot.stride(32));
    }

    @Test
    void entries_are_rounded_up_to_a_power_of_two() {
        assertEquals(1, Ring.entriesFor(0));
        assertEquals(1, Ring.entriesFor(1));
        assertEquals(2, Ring.entriesFor(2));
        assertEquals(4, Ring.entriesFor(3));
        assertEquals(1024, Ring.entriesFor(1024));
        assertEquals(2048, Ring.entriesFor(1025));
        assertThrows(IllegalArgumentException.class, () -> Ring.allocate(3, 64));
        assertThrows(IllegalArgumentException.class, () -> Ring.allocate(4, 24));
    }

    @Test
    void slots_of_a_ring_go_round_also_when_the_counter_wraps() {
        long ring = Ring.allocate(4, 64);
        assertEquals(ring + 256, Ring.slot(ring, 0));
        assertEquals(ring + 256 + 3 * 64, Ring.slot(ring, 7));
        assertEquals(ring + 256 + 3 * 64, Ring.slot(ring, -1));
        assertEquals(Ring.slot(ring, 0), Ring.slot(ring, -4));
        Ring.free(ring);
    }

    @Test
    void a_doorbell_sets_its_leaf_and_the_leafs_summary_bit() {
        long control = Control.allocate();
        assertFalse(Control.dirty(control));
        Control.ring(control, 16383);
        Control.ring(control, 2);
        assertTrue(Control.dirty(control));
        assertEquals(1L, Control.takeSummary(control, 0));
        assertEquals(1L << 63, Control.takeSummary(control, 3));
        assertFalse(Control.dirty(control));
        assertEquals(1L << 2, Control.takeLeaf(control, 0));
        assertEquals(1L << 63, Control.takeLeaf(control, 255));
        assertEquals(0, Control.takeLeaf(control, 255));
        Mem.free(control);
    }

    @Test
    void one_takes_the_turn_at_a_time() {
        long control = Control.allocate();
        assertTrue(Control.tryTurn(control));
        assertFalse(Control.tryTurn(control));
        Control.releaseTurn(control);
        assertTrue(Control.tryTurn(control));
        Mem.free(control);
    }

    @Test
    void strings_are_cut_to_their_room() {
        long memory = Mem.alloc(16);
        CString.put(memory, "0123456789", 5);
        assertEquals("0123", CString.get(memory, 16));
        assertEquals("01", CString.get(memory, 2));
        Mem.free(memory);
    }
}
