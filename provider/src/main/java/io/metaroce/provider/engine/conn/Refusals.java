package io.metaroce.provider.engine.conn;

import io.metaroce.provider.port.Counter;
import io.metaroce.provider.port.RxBatch;
import io.metaroce.wire.CommonHeader;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Mem;
import io.metaroce.wire.MetaRoce;
import io.metaroce.wire.ResetBody;
import io.metaroce.wire.ResetReason;

/** What senders are told whom we do not serve: a RESET that quotes their frame, at most a thousand a second. Nothing is kept of them. */
final class Refusals {
    private static final int RESET_BURST = 32;
    private static final long RESET_PAUSE_NS = 1_000_000L;
    private static final long LOG_PAUSE_NS = 1_000_000_000L;

    private final Context context;
    private final Replies replies;
    private int tokens = RESET_BURST;
    private long tokensAtNs = Long.MIN_VALUE;
    private long loggedNs = Long.MIN_VALUE;

    Refusals(Context context, Replies replies) {
        this.context = context;
        this.replies = replies;
    }

    /** A frame for a connection that does not exist, or of another version. */
    void onUnknown(RxBatch rx, int i, long frame, int reason, long nowNs) {
        context.counters.inc(Counter.RX_UNKNOWN_CONNECTION);
        reset(rx, i, frame, reason, nowNs);
    }

    /** An OPEN whose sender has not the pre-shared key that it should have: the log tells of one a second. */
    void refuse(RxBatch rx, int i, long frame, String why, long nowNs) {
        context.counters.inc(Counter.RX_REFUSED);
        if (loggedNs == Long.MIN_VALUE || nowNs - loggedNs >= LOG_PAUSE_NS) {
            loggedNs = nowNs;
            int slot = MetaRoce.slot(Planes.port(frame + CommonHeader.LENGTH));
            String from = Planes.text(rx.sourceHi(i), rx.sourceLo(i));
            context.events.log("connection refused: " + from + " slot " + slot + ": " + why);
        }
        reset(rx, i, frame, ResetReason.REFUSED, nowNs);
    }

    private void reset(RxBatch rx, int i, long frame, int reason, long nowNs) {
        if (tokensAtNs == Long.MIN_VALUE) {
            tokensAtNs = nowNs;
        }
        long earned = (nowNs - tokensAtNs) / RESET_PAUSE_NS;
        if (earned > 0) {
            tokens = (int) Math.min(RESET_BURST, tokens + earned);
            tokensAtNs += earned * RESET_PAUSE_NS;
        }
        if (tokens == 0 || replies.full()) {
            return;
        }
        tokens--;
        long out = replies.begin();
        CommonHeader.put(out, FrameType.RESET, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        long body = out + ResetBody.OFFSET;
        ResetBody.reason(body, reason);
        ResetBody.versions(body, 1 << MetaRoce.VERSION);
        ResetBody.bootNonce(body, context.config.bootNonce());
        Mem.copy(frame, body + ResetBody.QUOTED_OFFSET, ResetBody.QUOTED_LENGTH);
        context.counters.inc(Counter.TX_RESETS);
        int bytes = ResetBody.OFFSET + ResetBody.LENGTH;
        replies.add(bytes, rx.plane(i), rx.sourceHi(i), rx.sourceLo(i), Ports.claimedBy(rx.sourcePort(i)));
    }
}
