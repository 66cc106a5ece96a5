package io.metaroce.wire;

import java.util.ArrayList;
import java.util.List;

/**
 * All headers and their fields in one place: what {@code PROTOCOL.md}, the dissector and the tests are compared with.
 *
 * <p>Not for the data path.
 */
public final class HeaderTable {
    /** A field: its name, and where it is from the header's first bit, most significant bit first. */
    public record Field(String name, int bitOffset, int bits) {}

    /** A header: its name (that of its class), its length in bytes and its fields without gap or overlap. */
    public record Header(String name, int length, List<Field> fields) {}

    private static final List<Header> HEADERS = List.of(
            header(
                    "CommonHeader",
                    20,
                    "version:4 type:4 flags:8 path:8 epoch:8 connectionId:32 psn:32 txOrder:32 "
                            + "payloadLength:24 attempt:4 level:2 reserved:2"),
            header("StreamHeader", 16, "qpn:24 opcode:4 generation:4 spsn:32 msn:24 flags:8 offset:32"),
            header("WriteExt", 16, "va:64 rkey:32 messageLength:32"),
            header("ReadReqExt", 16, "va:64 rkey:32 messageLength:32"),
            header("SendExt", 8, "rqIndex:32 messageLength:32"),
            header("ReadRspExt", 4, "messageLength:32"),
            header("AtomicExt", 32, "va:64 rkey:32 op:8 size:8 reserved:16 arg1:64 arg2:64"),
            header("AtomicRspExt", 8, "original:64"),
            header("ImmediateTail", 8, "immediate:32 rqIndex:32"),
            header("InvalidateTail", 4, "rkey:32"),
            header("ErrorTail", 4, "syndrome:8 reserved:24"),
            header(
                    "AckHeader",
                    24,
                    "cumPsn:32 echoTxOrder:32 ackSeq:32 ackDelay:16 rateHint:16 ceCount:16 dupCount:8 "
                            + "sackWords:4 streamBlocks:4 reserved:32"),
            header("SackWord", 8, "bits:64"),
            header("StreamBlock", 16, "qpn:24 space:1 kind:3 generation:4 cumMsn:24 code:8 rqLimit:32 cumSpsn:32"),
            header("CtlHeader", 4, "kind:8 count:8 reserved:16"),
            header(
                    "BindBody",
                    28,
                    "localQpn:24 localGeneration:4 flags:4 remoteQpn:24 remoteGeneration:4 reserved:4 "
                            + "firstRequestSpsn:32 firstResponseSpsn:32 segmentSize:16 window:16 rqLimit:32 rdAtomic:8 "
                            + "reserved:24"),
            header("QueryBody", 8, "qpn:24 space:1 reserved:3 generation:4 askerQpn:24 reserved:4 askerGeneration:4"),
            header("PathCtlBody", 8, "kind:8 localPlane:8 remotePlane:8 path:8 epoch:8 reserved:8 sourcePort:16"),
            header("DatagramHeader", 16, "qpn:24 flags:8 sourceQpn:24 reserved:8 qkey:32 messageLength:32"),
            header(
                    "HandshakeBody",
                    224,
                    "versions:16 planeCount:8 sackWords:8 features:32 bootNonce:64 connectionId:32 "
                            + "maxPayload:16 maxAckDelay:16 reserved:64 planes:1536"),
            header("PlaneEntry", 24, "addressHigh:64 addressLow:64 port:16 rate:16 mtu:16 reserved:16"),
            header("InitAckBody", 48, "versions:16 reserved:16 features:32 echoNonce:64 cookie:256"),
            header("OpenTail", 48, "cookie:256 proof:128"),
            header("OpenAckTail", 40, "echoNonce:64 keyHigh:64 keyLow:64 proof:128"),
            header("CloseBody", 12, "reason:8 reserved:24 bootNonce:64"),
            header("ResetBody", 32, "reason:8 reserved:8 versions:16 bootNonce:64 quoted:160"),
            header("EthernetHeader", 14, "destination:48 source:48 etherType:16"),
            header("VlanTag", 4, "priority:3 dropEligible:1 vlan:12 etherType:16"),
            header(
                    "Ipv4Header",
                    20,
                    "version:4 headerWords:4 dscp:6 ecn:2 totalLength:16 identification:16 flags:3 "
                            + "fragmentOffset:13 ttl:8 protocol:8 checksum:16 source:32 destination:32"),
            header(
                    "Ipv6Header",
                    40,
                    "version:4 dscp:6 ecn:2 flowLabel:20 payloadLength:16 nextHeader:8 hopLimit:8 "
                            + "sourceHigh:64 sourceLow:64 destinationHigh:64 destinationLow:64"),
            header("UdpHeader", 8, "sourcePort:16 destinationPort:16 length:16 checksum:16"));

    private HeaderTable() {}

    /** All headers, in the order of the specification. */
    public static List<Header> headers() {
        return HEADERS;
    }

    /**
     * One header by name.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    public static Header header(String name) {
        for (Header header : HEADERS) {
            if (header.name().equals(name)) {
                return header;
            }
        }
        throw new IllegalArgumentException("no header is called " + name);
    }

    /** Fields are listed as name:bits; a field called reserved is sent as zero and ignored on receipt. */
    private static Header header(String name, int length, String layout) {
        List<Field> fields = new ArrayList<>();
        int bit = 0;
        for (String part : layout.split(" ", -1)) {
            int colon = part.indexOf(':');
            int bits = Integer.parseInt(part.substring(colon + 1));
            fields.add(new Field(part.substring(0, colon), bit, bits));
            bit += bits;
        }
        if (bit != length * 8) {
            throw new IllegalStateException(name + ": fields of " + bit + " bits in " + length + " bytes");
        }
        return new Header(name, length, List.copyOf(fields));
    }
}
