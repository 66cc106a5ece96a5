package io.metaroce.provider.slots;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The whole contract with C as a table: a struct ({@code "mroce_ring"}) with its size and offset 0, a member ({@code "mroce_ring.tail"}) with its size and offset,
 * a number ({@code "MROCE_MAX_QP"}) with its value as size and offset 0. Padding and the table's own struct are left out. The library exports the same table; {@link #compare} finds the first
 * difference, so that a library and jars of two builds refuse each other with a sentence instead of writing over each other's fields.
 */
public final class Abi {
    public static final int VERSION = 1;

    private static final Map<String, Entry> TABLE = new LinkedHashMap<>();

    static {
        add("mroce_control", Control.SIZE, 0);
        add("mroce_control.turn", 4, Control.TURN);
        add("mroce_control.wanted", 4, Control.WANTED);
        add("mroce_control.daemon_state", 4, Control.DAEMON_STATE);
        add("mroce_control.armed_cqs", 4, Control.ARMED_CQS);
        add("mroce_control.kick_fd", 4, Control.KICK_FD);
        add("mroce_control.state", 4, Control.STATE);
        add("mroce_control.daemon_wake_ns", 8, Control.DAEMON_WAKE_NS);
        add("mroce_control.next_deadline_ns", 8, Control.NEXT_DEADLINE_NS);
        add("mroce_control.last_drive_ns", 8, Control.LAST_DRIVE_NS);
        add("mroce_control.closed", 4, Control.CLOSED);
        add("mroce_control.summary", 32, Control.SUMMARY);
        add("mroce_control.leaf", 2048, Control.LEAF);
        add("mroce_ring", Ring.HEADER, 0);
        add("mroce_ring.tail", 4, Ring.TAIL);
        add("mroce_ring.head", 4, Ring.HEAD);
        add("mroce_ring.waiting", 4, Ring.WAITING);
        add("mroce_ring.pending", 4, Ring.PENDING);
        add("mroce_ring.overflow", 4, Ring.OVERFLOW);
        add("mroce_ring.entries", 4, Ring.ENTRIES);
        add("mroce_ring.stride", 4, Ring.STRIDE);
        add("mroce_send_slot", SendSlot.SIZE, 0);
        add("mroce_send_slot.wr_id", 8, SendSlot.WR_ID);
        add("mroce_send_slot.opcode", 1, SendSlot.OPCODE);
        add("mroce_send_slot.flags", 1, SendSlot.FLAGS);
        add("mroce_send_slot.num_sge", 2, SendSlot.NUM_SGE);
        add("mroce_send_slot.imm", 4, SendSlot.IMM);
        add("mroce_send_slot.length", 4, SendSlot.LENGTH);
        add("mroce_send_slot.rkey", 4, SendSlot.RKEY);
        add("mroce_send_slot.remote_addr", 8, SendSlot.REMOTE_ADDR);
        add("mroce_send_slot.compare_add", 8, SendSlot.COMPARE_ADD);
        add("mroce_send_slot.swap", 8, SendSlot.SWAP);
        add("mroce_recv_slot", RecvSlot.SIZE, 0);
        add("mroce_recv_slot.wr_id", 8, RecvSlot.WR_ID);
        add("mroce_recv_slot.num_sge", 4, RecvSlot.NUM_SGE);
        add("mroce_recv_slot.length", 4, RecvSlot.LENGTH);
        add("mroce_sge", Sge.SIZE, 0);
        add("mroce_sge.addr", 8, Sge.ADDR);
        add("mroce_sge.length", 4, Sge.LENGTH);
        add("mroce_sge.lkey", 4, Sge.LKEY);
        add("mroce_cqe", Cqe.SIZE, 0);
        add("mroce_cqe.wr_id", 8, Cqe.WR_ID);
        add("mroce_cqe.status", 4, Cqe.STATUS);
        add("mroce_cqe.opcode", 4, Cqe.OPCODE);
        add("mroce_cqe.vendor_err", 4, Cqe.VENDOR_ERR);
        add("mroce_cqe.byte_len", 4, Cqe.BYTE_LEN);
        add("mroce_cqe.imm", 4, Cqe.IMM);
        add("mroce_cqe.qp_num", 4, Cqe.QP_NUM);
        add("mroce_cqe.src_qp", 4, Cqe.SRC_QP);
        add("mroce_cqe.wc_flags", 4, Cqe.WC_FLAGS);
        add("mroce_cqe.pkey_index", 2, Cqe.PKEY_INDEX);
        add("mroce_cqe.slid", 2, Cqe.SLID);
        add("mroce_cqe.sl", 1, Cqe.SL);
        add("mroce_cqe.dlid_path_bits", 1, Cqe.DLID_PATH_BITS);
        add("mroce_cqe.timestamp_ns", 8, Cqe.TIMESTAMP_NS);
        add("mroce_cqe.qp_cookie", 8, Cqe.QP_COOKIE);
        add("mroce_channel_slot", ChannelSlot.SIZE, 0);
        add("mroce_channel_slot.cq_cookie", 8, ChannelSlot.CQ_COOKIE);
        add("mroce_async_slot", AsyncSlot.SIZE, 0);
        add("mroce_async_slot.cookie", 8, AsyncSlot.COOKIE);
        add("mroce_async_slot.event_type", 4, AsyncSlot.EVENT_TYPE);
        add("mroce_async_slot.port", 4, AsyncSlot.PORT);
        add("mroce_cmd_pd", PdCommand.SIZE, 0);
        add("mroce_cmd_pd.pd", 4, PdCommand.PD);
        add("mroce_cmd_mr", MrCommand.SIZE, 0);
        add("mroce_cmd_mr.pd", 4, MrCommand.PD);
        add("mroce_cmd_mr.access", 4, MrCommand.ACCESS);
        add("mroce_cmd_mr.addr", 8, MrCommand.ADDR);
        add("mroce_cmd_mr.length", 8, MrCommand.LENGTH);
        add("mroce_cmd_mr.iova", 8, MrCommand.IOVA);
        add("mroce_cmd_mr.lkey", 4, MrCommand.LKEY);
        add("mroce_cmd_mr.rkey", 4, MrCommand.RKEY);
        add("mroce_cmd_cq", CqCommand.SIZE, 0);
        add("mroce_cmd_cq.cq", 4, CqCommand.CQ);
        add("mroce_cmd_cq.channel_fd", 4, CqCommand.CHANNEL_FD);
        add("mroce_cmd_cq.ring", 8, CqCommand.RING);
        add("mroce_cmd_cq.channel_ring", 8, CqCommand.CHANNEL_RING);
        add("mroce_cmd_cq.cookie", 8, CqCommand.COOKIE);
        add("mroce_cmd_create_qp", CreateQpCommand.SIZE, 0);
        add("mroce_cmd_create_qp.pd", 4, CreateQpCommand.PD);
        add("mroce_cmd_create_qp.qp_type", 4, CreateQpCommand.QP_TYPE);
        add("mroce_cmd_create_qp.send_cq", 4, CreateQpCommand.SEND_CQ);
        add("mroce_cmd_create_qp.recv_cq", 4, CreateQpCommand.RECV_CQ);
        add("mroce_cmd_create_qp.srq", 4, CreateQpCommand.SRQ);
        add("mroce_cmd_create_qp.sq_sig_all", 4, CreateQpCommand.SQ_SIG_ALL);
        add("mroce_cmd_create_qp.max_send_sge", 4, CreateQpCommand.MAX_SEND_SGE);
        add("mroce_cmd_create_qp.max_recv_sge", 4, CreateQpCommand.MAX_RECV_SGE);
        add("mroce_cmd_create_qp.max_inline", 4, CreateQpCommand.MAX_INLINE);
        add("mroce_cmd_create_qp.sq_ring", 8, CreateQpCommand.SQ_RING);
        add("mroce_cmd_create_qp.rq_ring", 8, CreateQpCommand.RQ_RING);
        add("mroce_cmd_create_qp.cookie", 8, CreateQpCommand.COOKIE);
        add("mroce_cmd_create_qp.sq_cookie", 8, CreateQpCommand.SQ_COOKIE);
        add("mroce_cmd_create_qp.qp", 4, CreateQpCommand.QP);
        add("mroce_cmd_create_qp.qpn", 4, CreateQpCommand.QPN);
        add("mroce_qp_attr", QpAttr.SIZE, 0);
        add("mroce_qp_attr.qp_state", 4, QpAttr.QP_STATE);
        add("mroce_qp_attr.cur_qp_state", 4, QpAttr.CUR_QP_STATE);
        add("mroce_qp_attr.path_mtu", 4, QpAttr.PATH_MTU);
        add("mroce_qp_attr.path_mig_state", 4, QpAttr.PATH_MIG_STATE);
        add("mroce_qp_attr.qkey", 4, QpAttr.QKEY);
        add("mroce_qp_attr.rq_psn", 4, QpAttr.RQ_PSN);
        add("mroce_qp_attr.sq_psn", 4, QpAttr.SQ_PSN);
        add("mroce_qp_attr.dest_qp_num", 4, QpAttr.DEST_QP_NUM);
        add("mroce_qp_attr.qp_access_flags", 4, QpAttr.QP_ACCESS_FLAGS);
        add("mroce_qp_attr.pkey_index", 4, QpAttr.PKEY_INDEX);
        add("mroce_qp_attr.alt_pkey_index", 4, QpAttr.ALT_PKEY_INDEX);
        add("mroce_qp_attr.en_sqd_async_notify", 4, QpAttr.EN_SQD_ASYNC_NOTIFY);
        add("mroce_qp_attr.sq_draining", 4, QpAttr.SQ_DRAINING);
        add("mroce_qp_attr.max_rd_atomic", 4, QpAttr.MAX_RD_ATOMIC);
        add("mroce_qp_attr.max_dest_rd_atomic", 4, QpAttr.MAX_DEST_RD_ATOMIC);
        add("mroce_qp_attr.min_rnr_timer", 4, QpAttr.MIN_RNR_TIMER);
        add("mroce_qp_attr.port_num", 4, QpAttr.PORT_NUM);
        add("mroce_qp_attr.timeout", 4, QpAttr.TIMEOUT);
        add("mroce_qp_attr.retry_cnt", 4, QpAttr.RETRY_CNT);
        add("mroce_qp_attr.rnr_retry", 4, QpAttr.RNR_RETRY);
        add("mroce_qp_attr.alt_port_num", 4, QpAttr.ALT_PORT_NUM);
        add("mroce_qp_attr.alt_timeout", 4, QpAttr.ALT_TIMEOUT);
        add("mroce_qp_attr.rate_limit", 4, QpAttr.RATE_LIMIT);
        add("mroce_qp_attr.cap_send_wr", 4, QpAttr.CAP_SEND_WR);
        add("mroce_qp_attr.cap_recv_wr", 4, QpAttr.CAP_RECV_WR);
        add("mroce_qp_attr.cap_send_sge", 4, QpAttr.CAP_SEND_SGE);
        add("mroce_qp_attr.cap_recv_sge", 4, QpAttr.CAP_RECV_SGE);
        add("mroce_qp_attr.cap_inline", 4, QpAttr.CAP_INLINE);
        add("mroce_qp_attr.ah_flow_label", 4, QpAttr.AH_FLOW_LABEL);
        add("mroce_qp_attr.ah_sgid_index", 4, QpAttr.AH_SGID_INDEX);
        add("mroce_qp_attr.ah_hop_limit", 4, QpAttr.AH_HOP_LIMIT);
        add("mroce_qp_attr.ah_traffic_class", 4, QpAttr.AH_TRAFFIC_CLASS);
        add("mroce_qp_attr.ah_dlid", 4, QpAttr.AH_DLID);
        add("mroce_qp_attr.ah_sl", 4, QpAttr.AH_SL);
        add("mroce_qp_attr.ah_src_path_bits", 4, QpAttr.AH_SRC_PATH_BITS);
        add("mroce_qp_attr.ah_static_rate", 4, QpAttr.AH_STATIC_RATE);
        add("mroce_qp_attr.ah_is_global", 4, QpAttr.AH_IS_GLOBAL);
        add("mroce_qp_attr.ah_port_num", 4, QpAttr.AH_PORT_NUM);
        add("mroce_qp_attr.ah_dgid", 16, QpAttr.AH_DGID);
        add("mroce_cmd_qp", QpCommand.SIZE, 0);
        add("mroce_cmd_qp.qp", 4, QpCommand.QP);
        add("mroce_cmd_qp.attr_mask", 4, QpCommand.ATTR_MASK);
        add("mroce_cmd_qp.attr", 168, QpCommand.ATTR);
        add("mroce_cmd_counters", CountersCommand.SIZE, 0);
        add("mroce_cmd_counters.buffer", 8, CountersCommand.BUFFER);
        add("mroce_cmd_counters.length", 8, CountersCommand.LENGTH);
        add("mroce_plane", Plane.SIZE, 0);
        add("mroce_plane.ifname", 16, Plane.IFNAME);
        add("mroce_plane.ifindex", 4, Plane.IFINDEX);
        add("mroce_plane.mtu", 4, Plane.MTU);
        add("mroce_plane.mac", 8, Plane.MAC);
        add("mroce_plane.addr", 16, Plane.ADDR);
        add("mroce_plane.speed_mbps", 8, Plane.SPEED_MBPS);
        add("mroce_boot", Boot.SIZE, 0);
        add("mroce_boot.abi_version", 4, Boot.ABI_VERSION);
        add("mroce_boot.num_planes", 4, Boot.NUM_PLANES);
        add("mroce_boot.abi_table", 8, Boot.ABI_TABLE);
        add("mroce_boot.control", 8, Boot.CONTROL);
        add("mroce_boot.async_ring", 8, Boot.ASYNC_RING);
        add("mroce_boot.async_fd", 4, Boot.ASYNC_FD);
        add("mroce_boot.num_gids", 4, Boot.NUM_GIDS);
        add("mroce_boot.fn_copy", 8, Boot.FN_COPY);
        add("mroce_boot.fn_cas", 8, Boot.FN_CAS);
        add("mroce_boot.fn_fetch_add", 8, Boot.FN_FETCH_ADD);
        add("mroce_boot.fn_store", 8, Boot.FN_STORE);
        add("mroce_boot.planes", 448, Boot.PLANES);
        add("mroce_boot.fn_drive", 8, Boot.FN_DRIVE);
        add("mroce_boot.fn_command", 8, Boot.FN_COMMAND);
        add("mroce_boot.slot", 4, Boot.SLOT);
        add("mroce_boot.error", 256, Boot.ERROR);
        add("MROCE_ABI_VERSION", VERSION, 0);
        add("MROCE_MAX_QP", Commands.MAX_QP, 0);
        add("MROCE_MAX_QP_WR", Commands.MAX_QP_WR, 0);
        add("MROCE_MAX_SGE", Commands.MAX_SGE, 0);
        add("MROCE_MAX_INLINE", Commands.MAX_INLINE, 0);
        add("MROCE_MAX_CQ", Commands.MAX_CQ, 0);
        add("MROCE_MAX_CQE", Commands.MAX_CQE, 0);
        add("MROCE_MIN_CQE", Commands.MIN_CQE, 0);
        add("MROCE_MAX_MR", Commands.MAX_MR, 0);
        add("MROCE_MAX_PD", Commands.MAX_PD, 0);
        add("MROCE_MAX_RD_ATOMIC", Commands.MAX_RD_ATOMIC, 0);
        add("MROCE_MAX_MSG_SIZE", Commands.MAX_MSG_SIZE, 0);
        add("MROCE_MAX_PLANES", Commands.MAX_PLANES, 0);
        add("MROCE_QPN_INDEX_BITS", Commands.QPN_INDEX_BITS, 0);
        add("MROCE_OP_ALLOC_PD", Commands.ALLOC_PD, 0);
        add("MROCE_OP_DEALLOC_PD", Commands.DEALLOC_PD, 0);
        add("MROCE_OP_REG_MR", Commands.REG_MR, 0);
        add("MROCE_OP_DEREG_MR", Commands.DEREG_MR, 0);
        add("MROCE_OP_CREATE_CQ", Commands.CREATE_CQ, 0);
        add("MROCE_OP_RESIZE_CQ", Commands.RESIZE_CQ, 0);
        add("MROCE_OP_DESTROY_CQ", Commands.DESTROY_CQ, 0);
        add("MROCE_OP_CREATE_QP", Commands.CREATE_QP, 0);
        add("MROCE_OP_MODIFY_QP", Commands.MODIFY_QP, 0);
        add("MROCE_OP_QUERY_QP", Commands.QUERY_QP, 0);
        add("MROCE_OP_DESTROY_QP", Commands.DESTROY_QP, 0);
        add("MROCE_OP_COUNTERS", Commands.COUNTERS, 0);
        add("MROCE_DAEMON_NONE", Control.DAEMON_NONE, 0);
        add("MROCE_DAEMON_BUSY", Control.DAEMON_BUSY, 0);
        add("MROCE_DAEMON_WATCH", Control.DAEMON_WATCH, 0);
        add("MROCE_DAEMON_PATROL", Control.DAEMON_PATROL, 0);
        add("MROCE_STARTING", Control.STARTING, 0);
        add("MROCE_RUNNING", Control.RUNNING, 0);
        add("MROCE_FATAL", Control.FATAL, 0);
        add("MROCE_CLOSING", Control.CLOSING, 0);
        add("MROCE_CLOSED", Control.CLOSED_STATE, 0);
    }

    private Abi() {}

    /**
     * One line.
     *
     * @param size bytes, or the number
     * @param offset bytes from the start of the struct; 0 for a struct or a number
     */
    public record Entry(int size, int offset) {}

    private static void add(String name, int size, int offset) {
        TABLE.put(name, new Entry(size, offset));
    }

    /** Java's side of the contract, in the order of the header. */
    public static Map<String, Entry> table() {
        return Collections.unmodifiableMap(TABLE);
    }

    /**
     * Compares with the table that the library exports.
     *
     * @param table address of {@code struct mroce_abi_entry[]}, closed by an entry without a name
     * @return null when they agree, else a sentence for the user
     */
    public static @Nullable String compare(long table) {
        Map<String, Entry> theirs = new LinkedHashMap<>();
        for (long entry = table; AbiEntry.name(entry) != 0; entry += AbiEntry.BYTES) {
            theirs.put(CString.get(AbiEntry.name(entry), 128), new Entry(AbiEntry.size(entry), AbiEntry.offset(entry)));
        }
        return compare(theirs);
    }

    /** The same with the library's table already read. */
    public static @Nullable String compare(Map<String, Entry> theirs) {
        for (Map.Entry<String, Entry> line : TABLE.entrySet()) {
            Entry ours = line.getValue();
            Entry c = theirs.get(line.getKey());
            if (c == null) {
                return differ(line.getKey() + " is unknown to libmroce.so");
            }
            if (!c.equals(ours)) {
                return differ(line.getKey() + " has size " + c.size + " and offset " + c.offset
                        + " in libmroce.so, size " + ours.size + " and offset " + ours.offset + " in Java");
            }
        }
        for (String name : theirs.keySet()) {
            if (!TABLE.containsKey(name)) {
                return differ(name + " is unknown to the Java classes");
            }
        }
        return null;
    }

    private static String differ(String what) {
        return "libmroce.so and the jars beside it are of different builds: " + what + ". Build again: mroce build.";
    }
}
