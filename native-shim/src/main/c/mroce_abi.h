/* The contract between C and Java: shared rings, the control block, command records, the boot record.
 * This header is the only truth. mroce_abi_table (shim_abi.c) exports every name with size and offset; the Java side compares it with
 * its own constants (io.metaroce.provider.slots) at start and refuses with a sentence when they differ.
 * All integers are in host order unless said otherwise. Numbers of states, opcodes, flags, masks and statuses are those of verbs.h. */
#ifndef MROCE_ABI_H
#define MROCE_ABI_H

#include <stdint.h>

#define MROCE_ABI_VERSION 1

/* Device limits, as ibv_query_device reports them. */
#define MROCE_MAX_QP 16382
#define MROCE_MAX_QP_WR 16384
#define MROCE_MAX_SGE 32
#define MROCE_MAX_INLINE 512
#define MROCE_MAX_CQ 16384
#define MROCE_MAX_CQE 1048576
#define MROCE_MIN_CQE 64 /* what a CQ has at least, whatever was asked for */
#define MROCE_MAX_MR 1048576
#define MROCE_MAX_PD 32768
#define MROCE_MAX_RD_ATOMIC 128
#define MROCE_MAX_MSG_SIZE 0x80000000u
#define MROCE_MAX_PLANES 8
#define MROCE_QPN_INDEX_BITS 14

/* ---- control block: one per process --------------------------------------------------------------------------- */
struct mroce_control {
	uint32_t turn;             /* 0 free, 1 held (CAS); one owner of the engine at a time */
	uint8_t pad0[60];
	uint32_t wanted;           /* control verbs that wait for the turn: pollers stand back while it is not 0; the waiters sleep on `turn` (futex word, 1) */
	uint8_t pad1[60];
	uint32_t daemon_state;     /* enum mroce_daemon_state */
	uint32_t armed_cqs;        /* CQs armed by req_notify and not fired: the daemon's fine tick */
	int32_t kick_fd;           /* the daemon's eventfd */
	uint32_t state;            /* enum mroce_process_state */
	uint8_t pad2[48];
	uint64_t daemon_wake_ns;   /* CLOCK_MONOTONIC at which the sleeping daemon wakes by itself */
	uint64_t next_deadline_ns; /* the engine's next timer, published at each release; UINT64_MAX none */
	uint8_t pad3[48];
	uint64_t last_drive_ns;    /* when an application thread last drove the engine (rx batch, timers, tx batch) */
	uint32_t closed;           /* futex word: 1 once FINAL and CLOSE were sent at exit */
	uint8_t pad4[52];
	uint64_t summary[4];       /* bit w%64 of summary[w/64]: leaf[w] has bits */
	uint8_t pad5[32];
	uint64_t leaf[256];        /* bit q%64 of leaf[q/64]: QP index q has new work requests */
};
enum mroce_daemon_state { MROCE_DAEMON_NONE, MROCE_DAEMON_BUSY, MROCE_DAEMON_WATCH, MROCE_DAEMON_PATROL };
enum mroce_process_state { MROCE_STARTING, MROCE_RUNNING, MROCE_FATAL, MROCE_CLOSING, MROCE_CLOSED };

/* ---- rings ---------------------------------------------------------------------------------------------------- */
/* Every ring is one block: this 256 B header, then `entries` slots of `stride` bytes. head and tail count for ever; slot = counter & (entries - 1). */
struct mroce_ring {
	uint32_t tail;             /* published (release) by the producer: the application for SQ and RQ, the engine for CQ, channel, async */
	uint8_t pad0[60];
	uint32_t head;             /* published (release) by the consumer */
	uint8_t pad1[60];
	uint32_t waiting;          /* RQ: 1 = a peer waits for a receive (RNR): ring the doorbell after posting. CQ: armed 0 no, 1 solicited, 2 any */
	uint32_t pending;          /* CQ: events appended to the channel and not yet taken */
	uint32_t overflow;         /* CQ: 1 once a CQE found the ring full */
	uint32_t entries;          /* a power of two; constant */
	uint32_t stride;           /* bytes a slot, a multiple of 16; constant */
	uint8_t pad2[108];
	/* slots follow */
};

/* SQ slot; stride = 48 + max(16 * max_send_sge, max_inline), rounded up to 64. */
struct mroce_send_slot {
	uint64_t wr_id;
	uint8_t opcode;            /* enum ibv_wr_opcode */
	uint8_t flags;             /* enum ibv_send_flags: FENCE 1, SIGNALED 2, SOLICITED 4, INLINE 8 */
	uint16_t num_sge;          /* 0 when INLINE */
	uint32_t imm;              /* imm_data as the program gave it (network order), or invalidate_rkey */
	uint32_t length;           /* bytes of the message */
	uint32_t rkey;
	uint64_t remote_addr;
	uint64_t compare_add;      /* atomics; UD: low half AH handle, high half remote QPN */
	uint64_t swap;             /* atomics; UD: low half Q_Key */
	/* at 48: struct mroce_sge[num_sge], or the inline bytes */
};
/* RQ slot; stride = 16 + 16 * max_recv_sge, rounded up to 64. Receive k of a QP stands in slot k & (entries - 1). */
struct mroce_recv_slot {
	uint64_t wr_id;
	uint32_t num_sge;
	uint32_t length;           /* sum of the SGE lengths */
	/* at 16: struct mroce_sge[num_sge] */
};
struct mroce_sge { uint64_t addr; uint32_t length; uint32_t lkey; };
/* CQ slot, stride 64: the first 48 bytes are struct ibv_wc. */
struct mroce_cqe {
	uint64_t wr_id;
	uint32_t status, opcode, vendor_err, byte_len;
	uint32_t imm;              /* network order, or the invalidated rkey */
	uint32_t qp_num, src_qp, wc_flags;
	uint16_t pkey_index, slid;
	uint8_t sl, dlid_path_bits;
	uint16_t pad0;
	uint64_t timestamp_ns;
	uint64_t qp_cookie;
};
/* Channel ring slot, stride 16: a CQ whose `pending` rose from 0. The consumer lowers `pending` by one for each event it takes and moves head only when it
 * reached 0. Async ring slot, stride 16. One eventfd permit (semaphore mode) per event in both. */
struct mroce_channel_slot { uint64_t cq_cookie; uint64_t pad0; };
struct mroce_async_slot { uint64_t cookie; uint32_t event_type; uint32_t port; };

/* ---- commands: int command(uint32_t op, void *record): 0 or an errno -------------------------------------------- */
enum mroce_op {
	MROCE_OP_ALLOC_PD = 1, MROCE_OP_DEALLOC_PD, MROCE_OP_REG_MR, MROCE_OP_DEREG_MR,
	MROCE_OP_CREATE_CQ, MROCE_OP_RESIZE_CQ, MROCE_OP_DESTROY_CQ,
	MROCE_OP_CREATE_QP, MROCE_OP_MODIFY_QP, MROCE_OP_QUERY_QP, MROCE_OP_DESTROY_QP,
	MROCE_OP_COUNTERS
};
struct mroce_cmd_pd { uint32_t pd; uint32_t pad0; };
struct mroce_cmd_mr { uint32_t pd, access; uint64_t addr, length, iova; /* out: */ uint32_t lkey, rkey; /* DEREG takes lkey */ };
struct mroce_cmd_cq {
	uint32_t cq;               /* out of CREATE, in of the others */
	int32_t channel_fd;        /* -1: no channel */
	uint64_t ring;             /* RESIZE: the new ring; unread CQEs are moved into it */
	uint64_t channel_ring;
	uint64_t cookie;           /* struct ibv_cq * */
};
struct mroce_cmd_create_qp {
	uint32_t pd, qp_type, send_cq, recv_cq, srq, sq_sig_all;
	uint32_t max_send_sge, max_recv_sge, max_inline, pad0;
	uint64_t sq_ring, rq_ring;
	uint64_t cookie;           /* struct ibv_qp *, for async events */
	uint64_t sq_cookie;        /* put into each CQE of this QP as qp_cookie */
	/* out: */ uint32_t qp, qpn;
};
struct mroce_qp_attr {         /* struct ibv_qp_attr, flat */
	uint32_t qp_state, cur_qp_state, path_mtu, path_mig_state, qkey, rq_psn, sq_psn, dest_qp_num, qp_access_flags;
	uint32_t pkey_index, alt_pkey_index, en_sqd_async_notify, sq_draining, max_rd_atomic, max_dest_rd_atomic, min_rnr_timer;
	uint32_t port_num, timeout, retry_cnt, rnr_retry, alt_port_num, alt_timeout, rate_limit;
	uint32_t cap_send_wr, cap_recv_wr, cap_send_sge, cap_recv_sge, cap_inline;
	uint32_t ah_flow_label, ah_sgid_index, ah_hop_limit, ah_traffic_class, ah_dlid, ah_sl, ah_src_path_bits, ah_static_rate, ah_is_global, ah_port_num;
	uint8_t ah_dgid[16];
};
struct mroce_cmd_qp { uint32_t qp, attr_mask; struct mroce_qp_attr attr; /* in: MODIFY; out: QUERY */ };
struct mroce_cmd_counters { uint64_t buffer, length; /* "key value\n" text; out: length used */ };

/* ---- boot record: C fills the first part, calls io.metaroce.shim.Bridge.start(long boot), Java fills the second ---- */
struct mroce_plane {
	char ifname[16];
	uint32_t ifindex, mtu;
	uint8_t mac[8];
	uint8_t addr[16];          /* IPv6, or IPv4-mapped */
	uint64_t speed_mbps;
};
/* A struct is {"mroce_ring", size, 0}, a member {"mroce_ring.tail", size, offset}, a number {"MROCE_MAX_QP", value, 0}; padding is left out. */
struct mroce_abi_entry { const char *name; uint32_t size, offset; };
struct mroce_boot {
	uint32_t abi_version, num_planes;
	uint64_t abi_table;        /* struct mroce_abi_entry[], ends with name NULL */
	uint64_t control;          /* struct mroce_control * */
	uint64_t async_ring;       /* struct mroce_ring * with mroce_async_slot */
	int32_t async_fd;
	uint32_t num_gids;         /* entries of the GID table: pairs of one address, even index MetaRoCE, odd index RoCEv2; 0 and 1 are planes[0].addr */
	uint64_t fn_copy;          /* int (*)(void *dst, const void *src, uint64_t n): 0 or -EFAULT; never faults */
	uint64_t fn_cas;           /* int (*)(uint64_t *addr, uint64_t compare, uint64_t swap, uint64_t *old): 0 or -EFAULT */
	uint64_t fn_fetch_add;     /* int (*)(uint64_t *addr, uint64_t add, uint64_t *old) */
	uint64_t fn_store;         /* int (*)(void *dst, const void *src, uint64_t n): n <= 64, the last byte(s) stored with release order */
	struct mroce_plane planes[MROCE_MAX_PLANES];
	/* filled by Java: */
	uint64_t fn_drive;         /* int (*)(void): one duty cycle; the caller holds the turn; returns frames + CQEs moved, 0 idle */
	uint64_t fn_command;       /* int (*)(uint32_t op, void *record): takes the turn itself */
	uint32_t slot;             /* the claimed UDP slot */
	uint32_t pad1;
	char error[256];           /* why start() failed */
};

#endif
