/* The contract of mroce_abi.h as a table: the Java side compares it with its own constants at start.
 * A struct is {name, size, 0}, a field {struct.field, size, offset}, a constant {name, value, 0}. */
#include <stddef.h>

#include "shim.h"

#define S(type) { #type, sizeof(struct type), 0 }
#define F(type, field) { #type "." #field, sizeof(((struct type *)0)->field), offsetof(struct type, field) }
#define C(name) { #name, (uint32_t)(name), 0 }

const struct mroce_abi_entry mroce_abi_table[] = {
	C(MROCE_ABI_VERSION), C(MROCE_MAX_QP), C(MROCE_MAX_QP_WR), C(MROCE_MAX_SGE), C(MROCE_MAX_INLINE), C(MROCE_MAX_CQ),
	C(MROCE_MAX_CQE), C(MROCE_MIN_CQE), C(MROCE_MAX_MR), C(MROCE_MAX_PD), C(MROCE_MAX_RD_ATOMIC), C(MROCE_MAX_MSG_SIZE),
	C(MROCE_MAX_PLANES), C(MROCE_QPN_INDEX_BITS),

	S(mroce_control), F(mroce_control, turn), F(mroce_control, wanted), F(mroce_control, daemon_state),
	F(mroce_control, armed_cqs), F(mroce_control, kick_fd), F(mroce_control, state), F(mroce_control, daemon_wake_ns),
	F(mroce_control, next_deadline_ns), F(mroce_control, last_drive_ns), F(mroce_control, closed),
	F(mroce_control, summary), F(mroce_control, leaf),
	C(MROCE_DAEMON_NONE), C(MROCE_DAEMON_BUSY), C(MROCE_DAEMON_WATCH), C(MROCE_DAEMON_PATROL),
	C(MROCE_STARTING), C(MROCE_RUNNING), C(MROCE_FATAL), C(MROCE_CLOSING), C(MROCE_CLOSED),

	S(mroce_ring), F(mroce_ring, tail), F(mroce_ring, head), F(mroce_ring, waiting), F(mroce_ring, pending),
	F(mroce_ring, overflow), F(mroce_ring, entries), F(mroce_ring, stride),

	S(mroce_send_slot), F(mroce_send_slot, wr_id), F(mroce_send_slot, opcode), F(mroce_send_slot, flags),
	F(mroce_send_slot, num_sge), F(mroce_send_slot, imm), F(mroce_send_slot, length), F(mroce_send_slot, rkey),
	F(mroce_send_slot, remote_addr), F(mroce_send_slot, compare_add), F(mroce_send_slot, swap),
	S(mroce_recv_slot), F(mroce_recv_slot, wr_id), F(mroce_recv_slot, num_sge), F(mroce_recv_slot, length),
	S(mroce_sge), F(mroce_sge, addr), F(mroce_sge, length), F(mroce_sge, lkey),
	S(mroce_cqe), F(mroce_cqe, wr_id), F(mroce_cqe, status), F(mroce_cqe, opcode), F(mroce_cqe, vendor_err),
	F(mroce_cqe, byte_len), F(mroce_cqe, imm), F(mroce_cqe, qp_num), F(mroce_cqe, src_qp), F(mroce_cqe, wc_flags),
	F(mroce_cqe, pkey_index), F(mroce_cqe, slid), F(mroce_cqe, sl), F(mroce_cqe, dlid_path_bits),
	F(mroce_cqe, timestamp_ns), F(mroce_cqe, qp_cookie),
	S(mroce_channel_slot), F(mroce_channel_slot, cq_cookie),
	S(mroce_async_slot), F(mroce_async_slot, cookie), F(mroce_async_slot, event_type), F(mroce_async_slot, port),

	C(MROCE_OP_ALLOC_PD), C(MROCE_OP_DEALLOC_PD), C(MROCE_OP_REG_MR), C(MROCE_OP_DEREG_MR), C(MROCE_OP_CREATE_CQ),
	C(MROCE_OP_RESIZE_CQ), C(MROCE_OP_DESTROY_CQ), C(MROCE_OP_CREATE_QP), C(MROCE_OP_MODIFY_QP), C(MROCE_OP_QUERY_QP),
	C(MROCE_OP_DESTROY_QP), C(MROCE_OP_COUNTERS),
	S(mroce_cmd_pd), F(mroce_cmd_pd, pd),
	S(mroce_cmd_mr), F(mroce_cmd_mr, pd), F(mroce_cmd_mr, access), F(mroce_cmd_mr, addr), F(mroce_cmd_mr, length),
	F(mroce_cmd_mr, iova), F(mroce_cmd_mr, lkey), F(mroce_cmd_mr, rkey),
	S(mroce_cmd_cq), F(mroce_cmd_cq, cq), F(mroce_cmd_cq, channel_fd), F(mroce_cmd_cq, ring), F(mroce_cmd_cq, channel_ring),
	F(mroce_cmd_cq, cookie),
	S(mroce_cmd_create_qp), F(mroce_cmd_create_qp, pd), F(mroce_cmd_create_qp, qp_type), F(mroce_cmd_create_qp, send_cq),
	F(mroce_cmd_create_qp, recv_cq), F(mroce_cmd_create_qp, srq), F(mroce_cmd_create_qp, sq_sig_all),
	F(mroce_cmd_create_qp, max_send_sge), F(mroce_cmd_create_qp, max_recv_sge), F(mroce_cmd_create_qp, max_inline),
	F(mroce_cmd_create_qp, sq_ring), F(mroce_cmd_create_qp, rq_ring), F(mroce_cmd_create_qp, cookie),
	F(mroce_cmd_create_qp, sq_cookie), F(mroce_cmd_create_qp, qp), F(mroce_cmd_create_qp, qpn),
	S(mroce_qp_attr), F(mroce_qp_attr, qp_state), F(mroce_qp_attr, cur_qp_state), F(mroce_qp_attr, path_mtu),
	F(mroce_qp_attr, path_mig_state), F(mroce_qp_attr, qkey), F(mroce_qp_attr, rq_psn), F(mroce_qp_attr, sq_psn),
	F(mroce_qp_attr, dest_qp_num), F(mroce_qp_attr, qp_access_flags), F(mroce_qp_attr, pkey_index),
	F(mroce_qp_attr, alt_pkey_index), F(mroce_qp_attr, en_sqd_async_notify), F(mroce_qp_attr, sq_draining),
	F(mroce_qp_attr, max_rd_atomic), F(mroce_qp_attr, max_dest_rd_atomic), F(mroce_qp_attr, min_rnr_timer),
	F(mroce_qp_attr, port_num), F(mroce_qp_attr, timeout), F(mroce_qp_attr, retry_cnt), F(mroce_qp_attr, rnr_retry),
	F(mroce_qp_attr, alt_port_num), F(mroce_qp_attr, alt_timeout), F(mroce_qp_attr, rate_limit),
	F(mroce_qp_attr, cap_send_wr), F(mroce_qp_attr, cap_recv_wr), F(mroce_qp_attr, cap_send_sge),
	F(mroce_qp_attr, cap_recv_sge), F(mroce_qp_attr, cap_inline), F(mroce_qp_attr, ah_flow_label),
	F(mroce_qp_attr, ah_sgid_index), F(mroce_qp_attr, ah_hop_limit), F(mroce_qp_attr, ah_traffic_class),
	F(mroce_qp_attr, ah_dlid), F(mroce_qp_attr, ah_sl), F(mroce_qp_attr, ah_src_path_bits), F(mroce_qp_attr, ah_static_rate),
	F(mroce_qp_attr, ah_is_global), F(mroce_qp_attr, ah_port_num), F(mroce_qp_attr, ah_dgid),
	S(mroce_cmd_qp), F(mroce_cmd_qp, qp), F(mroce_cmd_qp, attr_mask), F(mroce_cmd_qp, attr),
	S(mroce_cmd_counters), F(mroce_cmd_counters, buffer), F(mroce_cmd_counters, length),

	S(mroce_plane), F(mroce_plane, ifname), F(mroce_plane, ifindex), F(mroce_plane, mtu), F(mroce_plane, mac),
	F(mroce_plane, addr), F(mroce_plane, speed_mbps),
	S(mroce_boot), F(mroce_boot, abi_version), F(mroce_boot, num_planes), F(mroce_boot, abi_table), F(mroce_boot, control),
	F(mroce_boot, async_ring), F(mroce_boot, async_fd), F(mroce_boot, num_gids), F(mroce_boot, fn_copy), F(mroce_boot, fn_cas),
	F(mroce_boot, fn_fetch_add), F(mroce_boot, fn_store), F(mroce_boot, planes), F(mroce_boot, fn_drive),
	F(mroce_boot, fn_command), F(mroce_boot, slot), F(mroce_boot, error),
	{ NULL, 0, 0 },
};
