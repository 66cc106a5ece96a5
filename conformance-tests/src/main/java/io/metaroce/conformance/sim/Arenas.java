package io.metaroce.conformance.sim;

import io.metaroce.wire.Mem;
import java.util.ArrayDeque;

/** Native memory of nodes that are gone, kept for those that come: a run needs little of it, and clearing it would take longer than the run. */
final class Arenas {
    private record Arena(long address, long bytes) {}

    private static final ThreadLocal<ArrayDeque<Arena>> FREE = ThreadLocal.withInitial(ArrayDeque::new);

    private Arenas() {}

    static long take(long bytes) {
        ArrayDeque<Arena> free = FREE.get();
        while (!free.isEmpty()) {
            Arena arena = free.pop();
            if (arena.bytes >= bytes) {
                return arena.address;
            }
            Mem.free(arena.address);
        }
        return Mem.alloc(bytes);
    }

    /** Gives back what {@link #take} gave for as many bytes, on the same thread. */
    static void give(long address, long bytes) {
        FREE.get().push(new Arena(address, bytes));
    }
}
