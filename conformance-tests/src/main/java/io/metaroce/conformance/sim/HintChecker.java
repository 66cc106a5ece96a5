package io.metaroce.conformance.sim;

import io.metaroce.provider.engine.cc.RateShares;
import io.metaroce.wire.AckHeader;
import io.metaroce.wire.CommonHeader;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.RateHint;

/** I9: on each plane what a receiver gives away is at most 95 % of the link: the sum of its shares after every cycle, and what each of its ACKs says. */
public final class HintChecker extends Checker {
    private static final double GIVEN_AWAY = 0.95;

    private final Profile profile;
    private final double mostBps;

    public HintChecker(Profile profile) {
        super("I9");
        this.profile = profile;
        mostBps = GIVEN_AWAY * profile.gbps() * 1e9;
    }

    @Override
    public void onTransmit(SimNode node, long datagram, int bytes, int destination, int sourcePort, long nowNs) {
        int behind = PathLedger.behind(datagram, bytes);
        long frame = behind > 0 ? datagram + bytes - behind : datagram;
        if (CommonHeader.type(frame) == FrameType.ACK) {
            long bps = RateHint.decode(AckHeader.rateHint(frame + AckHeader.OFFSET));
            require(bps <= mostBps, () -> node + ": an ACK gives " + bps + " bit/s of " + (long) mostBps);
        }
    }

    @Override
    public void onCycle(SimNode node, long nowNs) {
        RateShares shares = node.engine().connections().shares();
        for (int plane = 0; plane < profile.planes(); plane++) {
            long sum = shares.sumOfHintsBps(plane);
            if (sum > mostBps) {
                fail(node + ": " + shares.senders(plane) + " senders of plane " + plane + " are given " + sum
                        + " bit/s of " + (long) mostBps);
            }
        }
    }
}
