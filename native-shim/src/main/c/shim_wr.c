/* ibv_wr_*: work requests built in place in the send ring. wr_start takes the send lock, wr_complete publishes, wr_abort forgets. Builders return
 * nothing, so the first error is kept and wr_complete answers it: then nothing of the batch is posted. */
#include <string.h>

#include "shim_verbs.h"

static struct mroce_qp *qp_of(struct ibv_qp_ex *ex)
{
	return to_qp(ex);
}

static void failed(struct mroce_qp *qp, int error)
{
	if (!qp->wr_error)
		qp->wr_error = error;
	qp->wr_slot = NULL;
}

static bool is_atomic(const struct mroce_send_slot *slot)
{
	return slot->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || slot->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/* The request before is complete now: an atomic must have somewhere to put the old value. */
static void finish(struct mroce_qp *qp)
{
	if (qp->wr_slot && is_atomic(qp->wr_slot) && qp->wr_slot->num_sge == 0)
		failed(qp, EINVAL);
}

static void wr_start(struct ibv_qp_ex *ex)
{
	struct mroce_qp *qp = qp_of(ex);

	qp->wr_error = 0;
	if (unlikely(load_relaxed(&mroce_forked)))
		return;
	mroce_lock(&qp->send_lock);
	qp->wr_tail = qp->sq_tail;
	qp->wr_slot = NULL;
	if (load_relaxed(&qp->state) < IBV_QPS_RTS)
		qp->wr_error = EINVAL;
}

static int wr_complete(struct ibv_qp_ex *ex)
{
	struct mroce_qp *qp = qp_of(ex);

	if (unlikely(load_relaxed(&mroce_forked)))
		return mroce_error(EIO);
	finish(qp);
	int error = qp->wr_error;

	mroce_publish_sends(qp, error ? qp->sq_tail : qp->wr_tail);
	return mroce_error(error);
}

static void wr_abort(struct ibv_qp_ex *ex)
{
	if (likely(!load_relaxed(&mroce_forked)))
		mroce_unlock(&qp_of(ex)->send_lock);
}

/* The next slot, or NULL when the batch has failed or the queue is full. */
static struct mroce_send_slot *begin(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode)
{
	struct mroce_qp *qp = qp_of(ex);

	if (unlikely(load_relaxed(&mroce_forked)))
		return NULL;
	finish(qp);
	if (unlikely(qp->wr_error))
		return NULL;
	if (unlikely(qp->wr_tail - load_acquire(&qp->sq->head) >= qp->sq_limit)) {
		failed(qp, ENOMEM);
		return NULL;
	}
	struct mroce_send_slot *slot = mroce_ring_slot(qp->sq, qp->wr_tail++, qp->sq_mask, qp->sq_stride);
	unsigned flags = ex->wr_flags & (IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED);

	slot->wr_id = ex->wr_id;
	slot->opcode = (uint8_t)opcode;
	slot->flags = (uint8_t)(flags | (qp->sq_sig_all ? IBV_SEND_SIGNALED : 0));
	slot->num_sge = 0;
	slot->imm = 0;
	slot->length = 0;
	qp->wr_slot = slot;
	return slot;
}

static void wr_send(struct ibv_qp_ex *ex)
{
	begin(ex, IBV_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *ex, __be32 imm)
{
	struct mroce_send_slot *slot = begin(ex, IBV_WR_SEND_WITH_IMM);

	if (slot)
		slot->imm = imm;
}

static struct mroce_send_slot *begin_remote(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t addr)
{
	struct mroce_send_slot *slot = begin(ex, opcode);

	if (slot) {
		slot->rkey = rkey;
		slot->remote_addr = addr;
	}
	return slot;
}

static void wr_rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	begin_remote(ex, IBV_WR_RDMA_WRITE, rkey, addr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, __be32 imm)
{
	struct mroce_send_slot *slot = begin_remote(ex, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, addr);

	if (slot)
		slot->imm = imm;
}

static void wr_rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	begin_remote(ex, IBV_WR_RDMA_READ, rkey, addr);
}

static void begin_atomic(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t addr, uint64_t compare_add, uint64_t swap)
{
	struct mroce_send_slot *slot = begin_remote(ex, opcode, rkey, addr);

	if (!slot)
		return;
	slot->compare_add = compare_add;
	slot->swap = swap;
	if (addr & 7)
		failed(qp_of(ex), EINVAL);
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t compare, uint64_t swap)
{
	begin_atomic(ex, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, addr, compare, swap);
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, uint64_t add)
{
	begin_atomic(ex, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, addr, add, 0);
}

/* ---- where the data is ---- */

static void wr_set_sge_list(struct ibv_qp_ex *ex, size_t num, const struct ibv_sge *list)
{
	struct mroce_qp *qp = qp_of(ex);
	struct mroce_send_slot *slot = qp->wr_slot;
	uint64_t length = 0;

	if (!slot)
		return;
	if (num > qp->max_send_sge) {
		failed(qp, EINVAL);
		return;
	}
	struct mroce_sge *out = (struct mroce_sge *)(slot + 1);

	for (size_t i = 0; i < num; i++) {
		out[i].addr = list[i].addr;
		out[i].length = list[i].length;
		out[i].lkey = list[i].lkey;
		length += list[i].length;
	}
	if (length > MROCE_MAX_MSG_SIZE || (is_atomic(slot) && length != 8)) {
		failed(qp, EINVAL);
		return;
	}
	slot->num_sge = (uint16_t)num;
	slot->length = (uint32_t)length;
}

static void wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	wr_set_sge_list(ex, 1, &sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *ex, size_t num, const struct ibv_data_buf *list)
{
	struct mroce_qp *qp = qp_of(ex);
	struct mroce_send_slot *slot = qp->wr_slot;
	size_t length = 0;

	if (!slot)
		return;
	if (is_atomic(slot) || slot->opcode == IBV_WR_RDMA_READ) {
		failed(qp, EINVAL);
		return;
	}
	for (size_t i = 0; i < num; i++) {
		if (list[i].length > qp->max_inline - length) {
			failed(qp, EINVAL);
			return;
		}
		memcpy((uint8_t *)(slot + 1) + length, list[i].addr, list[i].length);
		length += list[i].length;
	}
	slot->flags |= IBV_SEND_INLINE;
	slot->num_sge = 0;
	slot->length = (uint32_t)length;
}

static void wr_set_inline_data(struct ibv_qp_ex *ex, void *addr, size_t length)
{
	struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_data_list(ex, 1, &buf);
}

int mroce_fill_qp_ex(struct mroce_qp *qp, uint64_t ops)
{
	const uint64_t known = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND |
		IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
		IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
	struct ibv_qp_ex *ex = &qp->ex;

	if (ops & ~known)
		return EOPNOTSUPP;
	qp->has_ex = true;
	ex->wr_start = wr_start;
	ex->wr_complete = wr_complete;
	ex->wr_abort = wr_abort;
	ex->wr_set_sge = wr_set_sge;
	ex->wr_set_sge_list = wr_set_sge_list;
	ex->wr_set_inline_data = wr_set_inline_data;
	ex->wr_set_inline_data_list = wr_set_inline_data_list;
	if (ops & IBV_QP_EX_WITH_RDMA_WRITE)
		ex->wr_rdma_write = wr_rdma_write;
	if (ops & IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
		ex->wr_rdma_write_imm = wr_rdma_write_imm;
	if (ops & IBV_QP_EX_WITH_SEND)
		ex->wr_send = wr_send;
	if (ops & IBV_QP_EX_WITH_SEND_WITH_IMM)
		ex->wr_send_imm = wr_send_imm;
	if (ops & IBV_QP_EX_WITH_RDMA_READ)
		ex->wr_rdma_read = wr_rdma_read;
	if (ops & IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP)
		ex->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
	if (ops & IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
		ex->wr_atomic_fetch_add = wr_atomic_fetch_add;
	return 0;
}

EXPORT struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	FORWARD(mroce_owns(qp->context), mroce_null(ENOSYS), "IBVERBS_1.6", ibv_qp_to_qp_ex, qp);
	return to_qp(qp)->has_ex ? &to_qp(qp)->ex : NULL;
}
