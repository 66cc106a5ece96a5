package io.metaroce.conformance.sim;

import io.metaroce.wire.AckHeader;
import io.metaroce.wire.CommonHeader;
import io.metaroce.wire.CtlHeader;
import io.metaroce.wire.CtlKind;
import io.metaroce.wire.FrameType;
import io.metaroce.wire.Opcode;
import io.metaroce.wire.Qpn;
import io.metaroce.wire.StreamBlock;
import io.metaroce.wire.StreamHeader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Remembers the last events of a run and tells those that concern the object a violation names. Watches, and never complains. */
public final class Trace extends Checker {
    private static final int KEPT = 20_000;
    private static final int TOLD = 80;
    private static final Pattern OBJECT = Pattern.compile("[AB]\\.(qp\\d+)");
    private static final Pattern PSN = Pattern.compile("PSN (\\d+)");

    private final ArrayDeque<String> events = new ArrayDeque<>();
    private long nowNs;

    public Trace() {
        super("trace");
    }

    /** The last events of the QP pair that a violation names; of everything when it names none. */
    public String about(String violation) {
        Matcher qp = OBJECT.matcher(violation);
        Matcher psn = PSN.matcher(violation);
        String word = qp.find() ? qp.group(1) : psn.find() ? "psn " + psn.group(1) : "";
        List<String> told = new ArrayList<>();
        for (String e : events) {
            if (Pattern.compile(Pattern.quote(word) + "(?!\\d)").matcher(e).find()) {
                told.add(e);
            }
        }
        String head = "the last events" + (word.isEmpty() ? "" : " of " + word) + ":\n  ";
        return head + String.join("\n  ", told.subList(Math.max(0, told.size() - TOLD), told.size()));
    }

    private void add(String what) {
        if (events.size() == KEPT) {
            events.removeFirst();
        }
        events.add(nowNs + " " + what);
    }

    @Override
    public void onPost(Message m) {
        add("post " + m);
    }

    @Override
    public void onReceivePosted(SimQp qp, Message.Receive receive) {
        add("receive " + qp + " #" + receive.number);
    }

    @Override
    public void onReset(SimQp qp) {
        add("reset " + qp);
    }

    @Override
    public void onRevoked(SimQp qp, SimNode node) {
        add("deregister what " + qp + " uses at " + node);
    }

    @Override
    public void onPlaced(SimNode node, long address, long bytes) {
        add(node + " places " + bytes + " bytes at " + node.arenaOffset(address));
    }

    @Override
    public void onAtomic(SimNode node, long address, long before, long after) {
        add(node + " atomic at " + node.arenaOffset(address) + ": " + before + " -> " + after);
    }

    @Override
    public void onCqeWritten(SimNode node, SimCqe cqe) {
        add(node + ".qp" + cqe.qp() + " " + cqe);
    }

    @Override
    public void onTransmit(SimNode node, long frame, int bytes, int destination, int sourcePort, long atNs) {
        nowNs = atNs;
        add(node + " sends " + describe(frame) + " from port " + sourcePort);
    }

    @Override
    public void onReceive(SimNode node, long frame, int bytes, int plane, int sourcePort, long atNs) {
        nowNs = atNs;
        add(node + " gets " + describe(frame) + " on plane " + plane);
    }

    static String describe(long frame) {
        int type = CommonHeader.type(frame);
        StringBuilder text = new StringBuilder(FrameType.name(type))
                .append(" path ")
                .append(CommonHeader.path(frame))
                .append('/')
                .append(CommonHeader.epoch(frame))
                .append(" flags ")
                .append(CommonHeader.flags(frame));
        long body = frame + CommonHeader.LENGTH;
        if (type == FrameType.ACK) {
            int words = AckHeader.sackWords(body);
            text.append(" cum ").append(AckHeader.cumPsn(body)).append(" echo ").append(AckHeader.echoTxOrder(body));
            text.append(" seq ").append(AckHeader.ackSeq(body));
            for (int i = 0; i < words; i++) {
                text.append(" sack ").append(Long.toHexString(AckHeader.sackWord(body, i)));
            }
            for (int i = 0; i < AckHeader.streamBlocks(body); i++) {
                long block = AckHeader.streamBlock(body, words, i);
                text.append(" [qp")
                        .append(Qpn.index(StreamBlock.qpn(block)))
                        .append(" space ")
                        .append(StreamBlock.space(block))
                        .append(" kind ")
                        .append(StreamBlock.kind(block))
                        .append(" msn ")
                        .append(StreamBlock.cumMsn(block))
                        .append(" spsn ")
                        .append(Integer.toUnsignedString(StreamBlock.cumSpsn(block)))
                        .append(" limit ")
                        .append(StreamBlock.rqLimit(block))
                        .append(']');
            }
            return text.toString();
        }
        text.append(" psn ").append(CommonHeader.psn(frame)).append(" order ").append(CommonHeader.txOrder(frame));
        if (type == FrameType.DATA) {
            text.append(' ')
                    .append(Opcode.name(StreamHeader.opcode(body)))
                    .append(" to qp")
                    .append(Qpn.index(StreamHeader.qpn(body)))
                    .append(" spsn ")
                    .append(Integer.toUnsignedString(StreamHeader.spsn(body)))
                    .append(" msn ")
                    .append(StreamHeader.msn(body))
                    .append(" offset ")
                    .append(StreamHeader.offset(body))
                    .append(" flags ")
                    .append(StreamHeader.flags(body));
        } else if (type == FrameType.STREAM_CTL) {
            text.append(' ').append(CtlKind.name(CtlHeader.kind(body)));
        }
        return text.toString();
    }
}
