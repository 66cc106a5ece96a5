package io.metaroce.provider.link.packet;

import io.metaroce.provider.host.IpAddress;
import io.metaroce.provider.sys.Linux;
import io.metaroce.provider.sys.Sys;
import io.metaroce.provider.sys.SysException;
import io.metaroce.wire.Mem;
import java.util.ArrayList;
import java.util.List;

/**
 * The classic BPF program (linux/filter.h; Documentation/networking/filter) of a packet socket: it passes whole UDP packets to our port and one of our addresses, so that
 * no other traffic fills the ring.
 */
public final class PortFilter {
    private static final int LD_W_ABS = 0x20;
    private static final int LD_H_ABS = 0x28;
    private static final int LD_B_ABS = 0x30;
    private static final int LD_H_IND = 0x48;
    private static final int LDX_IP_HEADER_LENGTH = 0xb1;
    private static final int JEQ = 0x15;
    private static final int JSET = 0x45;
    private static final int RET = 0x06;
    /** SKF_AD_OFF + SKF_AD_PKTTYPE: load of the packet type. */
    private static final int PACKET_TYPE = -0x1000 + 4;

    private static final int PACKET_OTHERHOST = 3;
    private static final int MORE_FRAGMENTS_OR_OFFSET = 0x3fff;

    // A jump's target until the length of the program is known.
    private static final int NEXT = 0;
    private static final int DROP = -1;
    private static final int PASS = -2;

    private record Op(int code, int ifTrue, int ifFalse, int k) {}

    private final List<Op> ops = new ArrayList<>();

    private PortFilter() {}

    /** Attaches the filter for one family. {@code addresses} are all of that family. */
    public static void attach(Sys sys, int fd, boolean v4, List<IpAddress> addresses, int port) {
        PortFilter filter = new PortFilter();
        filter.build(v4, addresses, port);
        filter.attach(sys, fd);
    }

    private void build(boolean v4, List<IpAddress> addresses, int port) {
        add(LD_W_ABS, NEXT, NEXT, PACKET_TYPE);
        add(JEQ, DROP, NEXT, PACKET_OTHERHOST);
        if (v4) {
            add(LD_B_ABS, NEXT, NEXT, 14 + 9);
            add(JEQ, NEXT, DROP, Linux.IPPROTO_UDP);
            add(LD_H_ABS, NEXT, NEXT, 14 + 6);
            add(JSET, DROP, NEXT, MORE_FRAGMENTS_OR_OFFSET);
            add(LDX_IP_HEADER_LENGTH, NEXT, NEXT, 14);
            add(LD_H_IND, NEXT, NEXT, 14 + 2);
            add(JEQ, NEXT, DROP, port);
            add(LD_W_ABS, NEXT, NEXT, 14 + 16);
            for (IpAddress address : addresses) {
                add(JEQ, PASS, NEXT, address.v4Bits());
            }
        } else {
            add(LD_B_ABS, NEXT, NEXT, 14 + 6);
            add(JEQ, NEXT, DROP, Linux.IPPROTO_UDP);
            add(LD_H_ABS, NEXT, NEXT, 14 + 40 + 2);
            add(JEQ, NEXT, DROP, port);
            for (IpAddress address : addresses) {
                // Seven steps an address; a wrong word goes to the next address.
                add(LD_W_ABS, NEXT, NEXT, 14 + 24);
                add(JEQ, NEXT, 6, (int) (address.hi() >>> 32));
                add(LD_W_ABS, NEXT, NEXT, 14 + 28);
                add(JEQ, NEXT, 4, (int) address.hi());
                add(LD_W_ABS, NEXT, NEXT, 14 + 32);
                add(JEQ, NEXT, 2, (int) (address.lo() >>> 32));
                add(LD_W_ABS, NEXT, NEXT, 14 + 36);
                add(JEQ, PASS, NEXT, (int) address.lo());
            }
        }
        add(RET, NEXT, NEXT, 0);
        add(RET, NEXT, NEXT, -1);
    }

    private void add(int code, int ifTrue, int ifFalse, int k) {
        ops.add(new Op(code, ifTrue, ifFalse, k));
    }

    private void attach(Sys sys, int fd) {
        int n = ops.size();
        if (n > 255) {
            throw new IllegalArgumentException("too many addresses for one filter");
        }
        long memory = Mem.alloc(16 + 8L * n);
        try {
            Mem.putShort(memory, n);
            Mem.putLong(memory + 8, memory + 16);
            for (int i = 0; i < n; i++) {
                Op op = ops.get(i);
                long at = memory + 16 + 8L * i;
                Mem.putShort(at, op.code);
                Mem.putByte(at + 2, target(op.ifTrue, i, n));
                Mem.putByte(at + 3, target(op.ifFalse, i, n));
                Mem.putInt(at + 4, op.k);
            }
            SysException.check(
                    sys.setsockopt(fd, Linux.SOL_SOCKET, Linux.SO_ATTACH_FILTER, memory, 16),
                    "filter of the packet socket");
        } finally {
            Mem.free(memory);
        }
    }

    private static int target(int jump, int at, int n) {
        return switch (jump) {
            case DROP -> n - 2 - at - 1;
            case PASS -> n - 1 - at - 1;
            default -> jump;
        };
    }
}
