package io.metaroce.provider.engine.stream;

import io.metaroce.wire.BlockKind;
import io.metaroce.wire.StreamBlock;
import org.jspecify.annotations.Nullable;

/** What is due to the peer of one connection: streams with a STREAM_CTL or a stream block to send, oldest first, and answers for QPs that do not exist. */
final class Outbox {
    /** In the rq_limit field of a GONE block: its cumulative fields say how far the stream came before it went away. */
    static final int GONE_KNOWN = 1;

    /** In the rq_limit field of a GONE block: nothing is known of the stream. */
    static final int GONE_UNKNOWN = 0;

    private static final int STRANGERS = 64;

    private final int[] strangers = new int[STRANGERS]; // QPN of the asker 24, its generation 4, space 1
    private int strangerCount;

    private @Nullable Stream ctlHead;
    private @Nullable Stream ctlTail;
    private @Nullable Stream blockHead;
    private @Nullable Stream blockTail;
    private @Nullable Stream lastTold;

    void addCtl(Stream stream) {
        if (stream.ctlQueued) {
            return;
        }
        stream.ctlQueued = true;
        stream.ctlNext = null;
        Stream tail = ctlTail;
        if (tail == null) {
            ctlHead = stream;
        } else {
            tail.ctlNext = stream;
        }
        ctlTail = stream;
    }

    @Nullable
    Stream firstCtl() {
        return ctlHead;
    }

    void removeFirstCtl() {
        Stream head = ctlHead;
        if (head == null) {
            return;
        }
        head.ctlQueued = false;
        ctlHead = head.ctlNext;
        head.ctlNext = null;
        if (ctlHead == null) {
            ctlTail = null;
        }
    }

    void addBlock(Stream stream) {
        if (stream.blockQueued) {
            return;
        }
        stream.blockQueued = true;
        stream.blockNext = null;
        Stream tail = blockTail;
        if (tail == null) {
            blockHead = stream;
        } else {
            tail.blockNext = stream;
        }
        blockTail = stream;
    }

    @Nullable
    Stream firstBlock() {
        return blockHead;
    }

    void removeFirstBlock() {
        Stream head = blockHead;
        if (head == null) {
            return;
        }
        head.blockQueued = false;
        blockHead = head.blockNext;
        head.blockNext = null;
        if (blockHead == null) {
            blockTail = null;
        }
    }

    /** A block of what this stream's peer asked for has gone out. */
    void told(Stream stream) {
        lastTold = stream;
    }

    /** The stream whose requests were acknowledged last; null when there is none or it has left. */
    @Nullable
    Stream lastTold() {
        return lastTold;
    }

    boolean blocksDue() {
        return blockHead != null || strangerCount > 0;
    }

    /** A peer asked for a QP that does not exist. When too many ask at once the rest is dropped: they ask again. */
    void addStranger(int askerQpn, int askerGeneration, int space) {
        if (strangerCount < STRANGERS) {
            strangers[strangerCount++] = askerQpn << 8 | (askerGeneration & 0xf) << 1 | space;
        }
    }

    boolean hasStranger() {
        return strangerCount > 0;
    }

    void putStranger(long block) {
        int word = strangers[--strangerCount];
        StreamBlock.put(block, word >>> 8, word & 1, BlockKind.GONE, word >>> 1 & 0xf, 0, 0, GONE_UNKNOWN, 0);
    }

    /** The connection is gone: nobody waits for answers. */
    void clear() {
        strangerCount = 0;
    }

    /** Takes a stream out of all lists: it leaves the connection. */
    void forget(Stream stream) {
        stream.ctlDue = 0;
        stream.blocksDue = 0;
        if (lastTold == stream) {
            lastTold = null;
        }
        if (stream.ctlQueued) {
            Stream before = null;
            Stream at = ctlHead;
            while (at != null && at != stream) {
                before = at;
                at = at.ctlNext;
            }
            if (before == null) {
                ctlHead = stream.ctlNext;
            } else {
                before.ctlNext = stream.ctlNext;
            }
            if (ctlTail == stream) {
                ctlTail = before;
            }
            stream.ctlQueued = false;
            stream.ctlNext = null;
        }
        if (stream.blockQueued) {
            Stream before = null;
            Stream at = blockHead;
            while (at != null && at != stream) {
                before = at;
                at = at.blockNext;
            }
            if (before == null) {
                blockHead = stream.blockNext;
            } else {
                before.blockNext = stream.blockNext;
            }
            if (blockTail == stream) {
                blockTail = before;
            }
            stream.blockQueued = false;
            stream.blockNext = null;
        }
    }
}
