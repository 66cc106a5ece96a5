/* The hot path: work requests into slots, completions out of them. Errors are those of the man pages; where a page is silent, those of rxe. */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "shim_verbs.h"

enum { EMPTY_POLLS_BEFORE_YIELD = 48 };

/* What a send opcode may carry. 0: not an opcode of RC here. */
enum { KNOWN = 1, INLINE_OK = 2, REMOTE = 4, ATOMIC = 8 };
static const uint8_t opcode_rules[16] = {
	[IBV_WR_RDMA_WRITE] = KNOWN | INLINE_OK | REMOTE,
	[IBV_WR_RDMA_WRITE_WITH_IMM] = KNOWN | INLINE_OK | REMOTE,
	[IBV_WR_SEND] = KNOWN | INLINE_OK,
	[IBV_WR_SEND_WITH_IMM] = KNOWN | INLINE_OK,
	[IBV_WR_RDMA_READ] = KNOWN | REMOTE,
	[IBV_WR_ATOMIC_CMP_AND_SWP] = KNOWN | ATOMIC,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = KNOWN | ATOMIC,
};

static int fill_inline(struct mroce_qp *qp, struct mroce_send_slot *slot, const struct ibv_send_wr *wr)
{
	uint8_t *out = (uint8_t *)(slot + 1);
	uint64_t length = 0;

	for (int i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *sge = &wr->sg_list[i];

		if (length + sge->length > qp->max_inline)
			return EINVAL;
		memcpy(out + length, (const void *)(uintptr_t)sge->addr, sge->length);
		length += sge->length;
	}
	slot->num_sge = 0;
	slot->length = (uint32_t)length;
	return 0;
}

static int fill_sges(struct mroce_send_slot *slot, const struct ibv_send_wr *wr)
{
	struct mroce_sge *out = (struct mroce_sge *)(slot + 1);
	uint64_t length = 0;

	for (int i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *sge = &wr->sg_list[i];

		out[i].addr = sge->addr;
		out[i].length = sge->length;
		out[i].lkey = sge->lkey;
		length += sge->length;
	}
	if (unlikely(length > MROCE_MAX_MSG_SIZE))
		return EINVAL;
	slot->num_sge = (uint16_t)wr->num_sge;
	slot->length = (uint32_t)length;
	return 0;
}

static int fill_send(struct mroce_qp *qp, struct mroce_send_slot *slot, const struct ibv_send_wr *wr)
{
	uint8_t rules = (unsigned)wr->opcode < sizeof(opcode_rules) ? opcode_rules[wr->opcode] : 0;
	unsigned flags = wr->send_flags;

	if (unlikely(!rules || (unsigned)wr->num_sge > qp->max_send_sge))
		return EINVAL;
	if (qp->sq_sig_all)
		flags |= IBV_SEND_SIGNALED;
	slot->wr_id = wr->wr_id;
	slot->opcode = (uint8_t)wr->opcode;
	slot->flags = flags & (IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_INLINE);
	slot->imm = wr->imm_data;
	if (rules & REMOTE) {
		slot->remote_addr = wr->wr.rdma.remote_addr;
		slot->rkey = wr->wr.rdma.rkey;
	} else if (rules & ATOMIC) {
		slot->remote_addr = wr->wr.atomic.remote_addr;
		slot->rkey = wr->wr.atomic.rkey;
		slot->compare_add = wr->wr.atomic.compare_add;
		slot->swap = wr->wr.atomic.swap;
	}
	if (flags & IBV_SEND_INLINE)
		return rules & INLINE_OK ? fill_inline(qp, slot, wr) : EINVAL;
	int error = fill_sges(slot, wr);
	if (unlikely(rules & ATOMIC) && !error) {
		if (slot->length != 8 || (slot->remote_addr & 7))
			return EINVAL;
	}
	return error;
}

void mroce_publish_sends(struct mroce_qp *qp, uint32_t tail)
{
	bool more = tail != qp->sq_tail;

	qp->sq_tail = tail;
	store_release(&qp->sq->tail, tail);
	mroce_unlock(&qp->send_lock);
	if (likely(more)) {
		mroce_doorbell(qp->id);
		mroce_drive();
	}
}

int mroce_post_send(struct ibv_qp *ibv, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct mroce_qp *qp = to_qp(ibv);
	int error = 0;

	if (unlikely(load_relaxed(&mroce_forked))) {
		*bad = wr;
		return mroce_error(EIO);
	}
	mroce_lock(&qp->send_lock);
	if (unlikely(load_relaxed(&qp->state) < IBV_QPS_RTS || !wr)) {
		mroce_unlock(&qp->send_lock);
		*bad = wr;
		return mroce_error(EINVAL);
	}
	uint32_t tail = qp->sq_tail, head = load_acquire(&qp->sq->head);

	for (; wr; wr = wr->next) {
		if (unlikely(tail - head >= qp->sq_limit)) {
			head = load_acquire(&qp->sq->head);
			if (tail - head >= qp->sq_limit) {
				error = ENOMEM;
				break;
			}
		}
		error = fill_send(qp, mroce_ring_slot(qp->sq, tail, qp->sq_mask, qp->sq_stride), wr);
		if (unlikely(error))
			break;
		tail++;
	}
	mroce_publish_sends(qp, tail);
	if (unlikely(error)) {
		*bad = wr;
		errno = error;
	}
	return error;
}

static int fill_recv(struct mroce_qp *qp, struct mroce_recv_slot *slot, const struct ibv_recv_wr *wr)
{
	struct mroce_sge *out = (struct mroce_sge *)(slot + 1);
	uint64_t length = 0;

	if (unlikely((unsigned)wr->num_sge > qp->max_recv_sge))
		return EINVAL;
	for (int i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *sge = &wr->sg_list[i];

		out[i].addr = sge->addr;
		out[i].length = sge->length;
		out[i].lkey = sge->lkey;
		length += sge->length;
	}
	slot->wr_id = wr->wr_id;
	slot->num_sge = (uint32_t)wr->num_sge;
	/* More room than a message can need is room enough. */
	slot->length = length > UINT32_MAX ? UINT32_MAX : (uint32_t)length;
	return 0;
}

int mroce_post_recv(struct ibv_qp *ibv, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct mroce_qp *qp = to_qp(ibv);
	int error = 0;

	if (unlikely(load_relaxed(&mroce_forked))) {
		*bad = wr;
		return mroce_error(EIO);
	}
	mroce_lock(&qp->recv_lock);
	uint32_t state = load_relaxed(&qp->state);

	if (unlikely(state == IBV_QPS_RESET || !wr)) {
		mroce_unlock(&qp->recv_lock);
		*bad = wr;
		return mroce_error(EINVAL);
	}
	uint32_t tail = qp->rq_tail, head = load_acquire(&qp->rq->head);

	for (; wr; wr = wr->next) {
		if (unlikely(tail - head >= qp->rq_limit)) {
			head = load_acquire(&qp->rq->head);
			if (tail - head >= qp->rq_limit) {
				error = ENOMEM;
				break;
			}
		}
		error = fill_recv(qp, mroce_ring_slot(qp->rq, tail, qp->rq_mask, qp->rq_stride), wr);
		if (unlikely(error))
			break;
		tail++;
	}
	qp->rq_tail = tail;
	store_release(&qp->rq->tail, tail);
	/* The engine writes `waiting` and looks at the tail; this writes the tail and looks at `waiting`: one of the two sees the other. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	bool ring = load_relaxed(&qp->rq->waiting) || state == IBV_QPS_ERR;
	mroce_unlock(&qp->recv_lock);
	if (unlikely(ring)) {
		mroce_doorbell(qp->id);
		mroce_drive();
	}
	if (unlikely(error)) {
		*bad = wr;
		errno = error;
	}
	return error;
}

/* ---- completions ---- */

/* A thread that finds nothing gives its core away by sched_yield: where two spinners share a core, 8 ms become 3 us. On a busy machine a yield costs
 * the rest of the thread's slice, so that one which always yields runs a twentieth of its share. There (a yield comes back late) it sleeps for the
 * shortest time instead, more often the longer that goes on. */
enum { LATE_NS = 100000, LEAST_SLEEPS = 8, MOST_SLEEPS = 1024 };
struct idle {
	uint32_t empty, sleeps, next_sleeps;
};
static __thread struct idle idle __attribute__((tls_model("initial-exec")));

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static __attribute__((noinline)) void give_way(void)
{
	if (idle.sleeps) {
		idle.sleeps--;
		syscall(SYS_nanosleep, &(struct timespec){ 0, 1 }, NULL); /* no cancellation point */
		return;
	}
	uint64_t before = now_ns();

	sched_yield();
	if (likely(now_ns() - before < LATE_NS)) {
		idle.next_sleeps = LEAST_SLEEPS;
		return;
	}
	if (idle.next_sleeps < LEAST_SLEEPS)
		idle.next_sleeps = LEAST_SLEEPS;
	idle.sleeps = idle.next_sleeps;
	if (idle.next_sleeps < MOST_SLEEPS)
		idle.next_sleeps *= 2;
}

void mroce_busy_poll(void)
{
	idle.empty = 0;
}

void mroce_idle_poll(void)
{
	if (mroce_drive() > 0)
		idle.empty = 0;
	else if (++idle.empty >= EMPTY_POLLS_BEFORE_YIELD)
		give_way();
}

static int take(struct mroce_cq *cq, int max, struct ibv_wc *wc)
{
	int n = 0;

	mroce_lock(&cq->lock);
	if (likely(!cq->paused)) {
		uint32_t head = cq->head, tail = load_acquire(&cq->ring->tail);

		_Static_assert(sizeof(struct ibv_wc) == 48 && offsetof(struct mroce_cqe, dlid_path_bits) == offsetof(struct ibv_wc, dlid_path_bits),
			       "a CQE begins with an ibv_wc");
		for (; n < max && head != tail; n++, head++)
			memcpy(&wc[n], mroce_ring_slot(cq->ring, head, cq->mask, sizeof(struct mroce_cqe)), sizeof(struct ibv_wc));
		if (n) {
			cq->head = head;
			store_release(&cq->ring->head, head);
		}
	}
	mroce_unlock(&cq->lock);
	return n;
}

int mroce_poll_cq(struct ibv_cq *ibv, int max, struct ibv_wc *wc)
{
	struct mroce_cq *cq = to_cq(ibv);

	if (unlikely(load_relaxed(&mroce_forked)))
		return -1;
	if (unlikely(max <= 0))
		return 0;
	int n = take(cq, max, wc);

	if (n) {
		mroce_busy_poll();
		return n;
	}
	mroce_idle_poll();
	return take(cq, max, wc);
}

int mroce_req_notify_cq(struct ibv_cq *ibv, int solicited_only)
{
	struct mroce_cq *cq = to_cq(ibv);
	uint32_t want = solicited_only ? 1 : 2;

	if (unlikely(load_relaxed(&mroce_forked)))
		return mroce_error(EIO);
	mroce_lock(&cq->lock);
	while (unlikely(cq->paused)) { /* a resize exchanges the ring: what is armed in the old one may be overlooked */
		mroce_unlock(&cq->lock);
		sched_yield();
		mroce_lock(&cq->lock);
	}
	uint32_t armed = load_relaxed(&cq->ring->waiting);

	while (armed < want &&
	       !__atomic_compare_exchange_n(&cq->ring->waiting, &armed, want, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	if (armed == 0)
		__atomic_fetch_add(&mroce_ctl->armed_cqs, 1, __ATOMIC_SEQ_CST);
	mroce_unlock(&cq->lock);
	/* The engine writes CQEs and reads the word; this wrote the word, and the program polls again next. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (load_seq(&mroce_ctl->daemon_state) == MROCE_DAEMON_PATROL)
		mroce_kick();
	return 0;
}
