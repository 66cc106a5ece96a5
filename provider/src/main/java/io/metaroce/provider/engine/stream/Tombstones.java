package io.metaroce.provider.engine.stream;

import io.metaroce.wire.CtlHeader;
import io.metaroce.wire.CtlKind;
import io.metaroce.wire.Mem;
import io.metaroce.wire.Space;
import io.metaroce.wire.StreamBlock;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What streams leave behind when they go away: their last blocks, sent as FINAL until the peer's path has it, for at most 20 ms. Without them a peer whose last
 * acknowledgement was lost would ask a QP that no longer exists, and fail work that was done.
 */
final class Tombstones {
    private static final long LIFETIME_NS = 20_000_000;
    private static final int BLOCKS = 2;

    private final Shared shared;
    private final Int2ObjectHashMap<Tombstone> byId = new Int2ObjectHashMap<>();
    private @Nullable Tombstone oldest;
    private @Nullable Tombstone newest;
    private int nextId;

    private static final class Tombstone {
        private final int id;
        private final int conn;
        private final long deadlineNs;
        private final long[] blocks = new long[BLOCKS * StreamBlock.LENGTH / Long.BYTES];
        private boolean due = true;
        private boolean gone;
        private @Nullable Tombstone next;

        private Tombstone(int id, int conn, long deadlineNs) {
            this.id = id;
            this.conn = conn;
            this.deadlineNs = deadlineNs;
        }
    }

    Tombstones(Shared shared) {
        this.shared = shared;
    }

    /** A stream that was bound leaves; its attachment to the connection passes to the tombstone. */
    void add(Stream stream, int conn) {
        Tombstone stone = new Tombstone(nextId++ & 0xfffffff, conn, shared.nowNs + LIFETIME_NS);
        stream.responder.putBlock(shared.scratchBlocks);
        stream.requester.replies.putBlock(shared.scratchBlocks + StreamBlock.LENGTH);
        for (int i = 0; i < stone.blocks.length; i++) {
            stone.blocks[i] = Mem.getLong(shared.scratchBlocks + (long) i * Long.BYTES);
        }
        byId.put(stone.id, stone);
        Tombstone last = newest;
        if (last == null) {
            oldest = stone;
        } else {
            last.next = stone;
        }
        newest = stone;
        shared.connections().wantCtl(conn);
    }

    boolean isEmpty() {
        return byId.isEmpty();
    }

    /** The number of a FINAL that is due on a connection, or -1. */
    int due(int conn) {
        for (Tombstone stone = oldest; stone != null; stone = stone.next) {
            if (stone.due && !stone.gone && stone.conn == conn) {
                stone.due = false;
                return stone.id;
            }
        }
        return Shared.NONE;
    }

    /** Writes a FINAL; 0 when it is not needed any more. */
    int put(int id, long out, int room) {
        Tombstone stone = byId.get(id);
        int bytes = CtlHeader.LENGTH + BLOCKS * StreamBlock.LENGTH;
        if (stone == null || room < bytes) {
            return 0;
        }
        CtlHeader.put(out, CtlKind.FINAL, BLOCKS);
        for (int i = 0; i < stone.blocks.length; i++) {
            Mem.putLong(out + CtlHeader.LENGTH + (long) i * Long.BYTES, stone.blocks[i]);
        }
        return bytes;
    }

    /** The peer's path has the FINAL. */
    void onCleared(int id) {
        Tombstone stone = byId.get(id);
        if (stone != null) {
            remove(stone, true);
        }
    }

    /** The last block of a stream that this peer knew by its QPN: the answer to a question that came after its end. False: not remembered. */
    boolean remembers(int conn, int askerQpn, int askerGeneration) {
        for (Tombstone stone = oldest; stone != null; stone = stone.next) {
            if (!stone.gone && stone.conn == conn) {
                Mem.putLong(shared.scratchBlocks, stone.blocks[0]);
                if (StreamBlock.qpn(shared.scratchBlocks) == askerQpn
                        && StreamBlock.generation(shared.scratchBlocks) == askerGeneration
                        && StreamBlock.space(shared.scratchBlocks) == Space.REQUEST) {
                    return true;
                }
            }
        }
        return false;
    }

    void onPeerGone(int conn) {
        for (Tombstone stone = oldest; stone != null; stone = stone.next) {
            if (!stone.gone && stone.conn == conn) {
                remove(stone, false);
            }
        }
        sweep();
    }

    void onTime(long nowNs) {
        sweep();
        while (oldest != null && oldest.deadlineNs <= nowNs) {
            remove(oldest, true);
            sweep();
        }
    }

    long nextNs() {
        return oldest == null ? Long.MAX_VALUE : oldest.deadlineNs;
    }

    private void remove(Tombstone stone, boolean detach) {
        stone.gone = true;
        byId.remove(stone.id);
        if (detach) {
            shared.connections().detach(stone.conn, shared.nowNs);
        }
    }

    private void sweep() {
        Tombstone stone = oldest;
        while (stone != null && stone.gone) {
            stone = stone.next;
        }
        oldest = stone;
        if (stone == null) {
            newest = null;
        }
    }
}
