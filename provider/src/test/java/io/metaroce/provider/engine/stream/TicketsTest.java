package io.metaroce.provider.engine.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;

/** The ticket table of a QP that is connected several times, with another max_dest_rd_atomic each time. */
final class TicketsTest {
    private final Tickets tickets = new Tickets();

    private void fill(int limit) {
        tickets.start(limit);
        for (int i = 0; i < limit; i++) {
            int slot = tickets.take(i, Tickets.READ, 0x1000 + i, 7, 100 + i, 3, 4);
            tickets.executed(slot, 10 * i, 10);
        }
        for (int i = 0; i < limit; i++) {
            int slot = tickets.slot(i);
            assertEquals(i, tickets.msn(slot), "limit " + limit);
            assertEquals(0x1000 + i, tickets.va(slot), "limit " + limit);
            assertEquals(100 + i, tickets.length(slot), "limit " + limit);
        }
    }

    @Test
    void every_life_has_room_for_its_own_limit() {
        for (int before = 0; before <= 128; before++) {
            tickets.start(before);
            tickets.start(0);
            assertFalse(tickets.hasRoom());
            fill(128 - before / 2);
            tickets.start(0);
            fill(before);
        }
    }

    @Test
    void a_larger_limit_that_needs_no_larger_order_table_has_room_too() {
        fill(9);
        tickets.start(0);
        fill(12);
    }
}
