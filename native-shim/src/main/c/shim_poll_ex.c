/* Extended completion queues: start_poll takes the CQ's lock when it found something, end_poll gives it back. */
#include "shim_verbs.h"

static bool look(struct mroce_cq *cq)
{
	mroce_lock(&cq->lock);
	if (!cq->paused && cq->head != load_acquire(&cq->ring->tail))
		return true;
	mroce_unlock(&cq->lock);
	return false;
}

static void show(struct mroce_cq *cq)
{
	cq->current = mroce_ring_slot(cq->ring, cq->polled_head, cq->mask, sizeof(struct mroce_cqe));
	cq->ex.wr_id = cq->current->wr_id;
	cq->ex.status = (enum ibv_wc_status)cq->current->status;
}

static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct mroce_cq *cq = to_cq(ex);

	if (load_relaxed(&mroce_forked))
		return EIO;
	if (attr->comp_mask)
		return EINVAL;
	if (!look(cq)) {
		mroce_idle_poll();
		if (!look(cq))
			return ENOENT;
	}
	mroce_busy_poll();
	cq->polled_head = cq->head;
	show(cq);
	return 0;
}

static int next_poll(struct ibv_cq_ex *ex)
{
	struct mroce_cq *cq = to_cq(ex);

	if (cq->polled_head + 1 == load_acquire(&cq->ring->tail))
		return ENOENT;
	cq->polled_head++;
	show(cq);
	return 0;
}

static void end_poll(struct ibv_cq_ex *ex)
{
	struct mroce_cq *cq = to_cq(ex);

	cq->head = cq->polled_head + 1;
	store_release(&cq->ring->head, cq->head);
	mroce_unlock(&cq->lock);
}

#define READER(type, name, field)                                                                                        \
	static type name(struct ibv_cq_ex *ex)                                                                               \
	{                                                                                                                    \
		return (type)to_cq(ex)->current->field;                                                                          \
	}
READER(enum ibv_wc_opcode, read_opcode, opcode)
READER(uint32_t, read_vendor_err, vendor_err)
READER(unsigned, read_wc_flags, wc_flags)
READER(uint32_t, read_byte_len, byte_len)
READER(__be32, read_imm_data, imm)
READER(uint32_t, read_qp_num, qp_num)
READER(uint32_t, read_src_qp, src_qp)
READER(uint32_t, read_slid, slid)
READER(uint8_t, read_sl, sl)
READER(uint8_t, read_dlid_path_bits, dlid_path_bits)
READER(uint64_t, read_completion_ts, timestamp_ns)

int mroce_fill_cq_ex(struct mroce_cq *cq, uint64_t flags)
{
	struct ibv_cq_ex *ex = &cq->ex;

	if (flags & ~(uint64_t)(IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP))
		return EOPNOTSUPP;
	cq->is_ex = true;
	ex->start_poll = start_poll;
	ex->next_poll = next_poll;
	ex->end_poll = end_poll;
	ex->read_opcode = read_opcode;
	ex->read_vendor_err = read_vendor_err;
	ex->read_wc_flags = read_wc_flags;
	if (flags & IBV_WC_EX_WITH_BYTE_LEN)
		ex->read_byte_len = read_byte_len;
	if (flags & IBV_WC_EX_WITH_IMM)
		ex->read_imm_data = read_imm_data;
	if (flags & IBV_WC_EX_WITH_QP_NUM)
		ex->read_qp_num = read_qp_num;
	if (flags & IBV_WC_EX_WITH_SRC_QP)
		ex->read_src_qp = read_src_qp;
	if (flags & IBV_WC_EX_WITH_SLID)
		ex->read_slid = read_slid;
	if (flags & IBV_WC_EX_WITH_SL)
		ex->read_sl = read_sl;
	if (flags & IBV_WC_EX_WITH_DLID_PATH_BITS)
		ex->read_dlid_path_bits = read_dlid_path_bits;
	if (flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		ex->read_completion_ts = read_completion_ts;
	return 0;
}
