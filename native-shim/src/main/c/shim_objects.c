/* Protection domains, memory regions, completion queues. Each verb checks what only C can know, and lets Java decide the rest. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim_verbs.h"

/* ---- PD ---- */

EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	FORWARD(mroce_owns(context), mroce_null(ENOSYS), "IBVERBS_1.1", ibv_alloc_pd, context);
	struct mroce_cmd_pd cmd = { 0 };
	int error = mroce_vm_start();
	struct ibv_pd *pd = error ? NULL : calloc(1, sizeof(*pd));

	if (!error)
		error = pd ? mroce_command(MROCE_OP_ALLOC_PD, &cmd) : ENOMEM;
	if (error) {
		free(pd);
		return mroce_null(error);
	}
	pd->context = context;
	pd->handle = cmd.pd;
	return pd;
}

EXPORT int ibv_dealloc_pd(struct ibv_pd *pd)
{
	FORWARD(mroce_owns(pd->context), ENOSYS, "IBVERBS_1.1", ibv_dealloc_pd, pd);
	struct mroce_cmd_pd cmd = { .pd = pd->handle };

	if (load_relaxed(&mroce_forked))
		return 0;
	int error = mroce_command(MROCE_OP_DEALLOC_PD, &cmd);
	if (!error)
		free(pd);
	return mroce_error(error);
}

/* ---- MR ---- */

/* Hardware pins the pages, so a range that is not mapped, or not writable though asked to be, is refused with EFAULT. */
static bool is_mapped(void *addr, size_t length, bool writable)
{
	enum { STEP = 64 << 20 };
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)addr & ~(page - 1), end = (uintptr_t)addr + length;
	unsigned char *seen = malloc(STEP / page);
	bool good = seen != NULL;
	uint64_t old;

	while (good && at < end) {
		size_t step = end - at < STEP ? end - at : STEP;

		good = mincore((void *)at, step, seen) == 0 || errno == EAGAIN;
		at += step;
	}
	free(seen);
	if (good && writable) { /* adding 0 tells, and changes nothing */
		good = mroce_guard_fetch_add((uint64_t *)((uintptr_t)addr & ~7ul), 0, &old) == 0 &&
			mroce_guard_fetch_add((uint64_t *)((end - 1) & ~7ul), 0, &old) == 0;
	}
	return good;
}

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned access)
{
	struct mroce_cmd_mr cmd = { .pd = pd->handle, .addr = (uintptr_t)addr, .length = length, .iova = iova };
	const unsigned changes = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
	const unsigned known = changes | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND | IBV_ACCESS_HUGETLB;

	access &= ~(unsigned)IBV_ACCESS_OPTIONAL_RANGE;
	if (access & (IBV_ACCESS_ZERO_BASED | IBV_ACCESS_ON_DEMAND))
		return mroce_null(EOPNOTSUPP);
	if ((access & ~known) || length == 0 || length >> 47 || (uintptr_t)addr + length < (uintptr_t)addr || iova + length < iova)
		return mroce_null(EINVAL); /* 2^47: no address space is larger */
	int error = mroce_vm_start(); /* also makes the guarded calls work */
	if (error)
		return mroce_null(error);
	if (!is_mapped(addr, length, access & changes))
		return mroce_null(EFAULT);
	cmd.access = access & ~(unsigned)(IBV_ACCESS_MW_BIND | IBV_ACCESS_HUGETLB);
	struct ibv_mr *mr = calloc(1, sizeof(*mr) + 64);

	error = mr ? mroce_command(MROCE_OP_REG_MR, &cmd) : ENOMEM;
	if (error) {
		free(mr);
		return mroce_null(error);
	}
	mr->context = pd->context;
	mr->pd = pd;
	mr->addr = addr;
	mr->length = length;
	mr->handle = cmd.lkey;
	mr->lkey = cmd.lkey;
	mr->rkey = cmd.rkey;
	return mr;
}

EXPORT struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	FORWARD(mroce_owns(pd->context), mroce_null(ENOSYS), "IBVERBS_1.1", ibv_reg_mr, pd, addr, length, access);
	return reg_mr(pd, addr, length, (uintptr_t)addr, (unsigned)access);
}

EXPORT struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access)
{
	FORWARD(mroce_owns(pd->context), mroce_null(ENOSYS), "IBVERBS_1.7", ibv_reg_mr_iova, pd, addr, length, iova, access);
	return reg_mr(pd, addr, length, iova, (unsigned)access);
}

EXPORT struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned access)
{
	FORWARD(mroce_owns(pd->context), mroce_null(ENOSYS), "IBVERBS_1.8", ibv_reg_mr_iova2, pd, addr, length, iova, access);
	return reg_mr(pd, addr, length, iova, access);
}

EXPORT int ibv_dereg_mr(struct ibv_mr *mr)
{
	FORWARD(mroce_owns(mr->context), ENOSYS, "IBVERBS_1.1", ibv_dereg_mr, mr);
	struct mroce_cmd_mr cmd = { .pd = mr->pd->handle, .lkey = mr->lkey, .rkey = mr->rkey };

	if (load_relaxed(&mroce_forked))
		return 0;
	int error = mroce_command(MROCE_OP_DEREG_MR, &cmd);
	if (!error)
		free(mr);
	return mroce_error(error);
}

/* ---- CQ ---- */

/*
 * Never fewer than MROCE_MIN_CQE: a sender that looks at its CQ once a message (ib_send_lat -e, with a CQ of 1) finds several completions
 * there when the acknowledgement of the one before was lost.
 */
static uint32_t cq_entries(uint32_t cqe)
{
	return mroce_pow2(cqe < MROCE_MIN_CQE ? MROCE_MIN_CQE : cqe);
}

static struct mroce_cq *create_cq(struct ibv_context *context, uint32_t cqe, void *cq_context, struct ibv_comp_channel *channel,
				  uint32_t vector, bool ex, uint64_t wc_flags)
{
	struct mroce_cmd_cq cmd = { .channel_fd = channel ? channel->fd : -1 };

	if (cqe == 0 || cqe > MROCE_MAX_CQE || vector >= (uint32_t)context->num_comp_vectors)
		return mroce_null(EINVAL);
	int error = mroce_vm_start();
	if (error)
		return mroce_null(error);
	struct mroce_cq *cq = aligned_alloc(64, sizeof(*cq));

	if (!cq)
		return mroce_null(ENOMEM);
	memset(cq, 0, sizeof(*cq));
	error = ex ? mroce_fill_cq_ex(cq, wc_flags) : 0;
	uint32_t entries = cq_entries(cqe);
	if (!error && !(cq->ring = mroce_ring_new(entries, sizeof(struct mroce_cqe))))
		error = ENOMEM;
	if (!error) {
		cmd.ring = (uintptr_t)cq->ring;
		cmd.channel_ring = channel ? (uintptr_t)to_channel(channel)->ring : 0;
		cmd.cookie = (uintptr_t)cq;
		error = mroce_command(MROCE_OP_CREATE_CQ, &cmd);
	}
	if (error) {
		mroce_ring_free(cq->ring);
		free(cq);
		return mroce_null(error);
	}
	cq->id = cmd.cq;
	cq->mask = entries - 1;
	cq->ibv.context = context;
	cq->ibv.channel = channel;
	cq->ibv.cq_context = cq_context;
	cq->ibv.handle = cmd.cq;
	cq->ibv.cqe = (int)entries;
	pthread_mutex_init(&cq->ibv.mutex, NULL);
	pthread_cond_init(&cq->ibv.cond, NULL);
	if (channel) {
		pthread_mutex_lock(&context->mutex);
		channel->refcnt++;
		pthread_mutex_unlock(&context->mutex);
	}
	return cq;
}

EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel, int vector)
{
	FORWARD(mroce_owns(context), mroce_null(ENOSYS), "IBVERBS_1.1", ibv_create_cq, context, cqe, cq_context, channel, vector);
	if (cqe < 0 || vector < 0)
		return mroce_null(EINVAL);
	return (struct ibv_cq *)create_cq(context, (uint32_t)cqe, cq_context, channel, (uint32_t)vector, false, 0);
}

struct ibv_cq_ex *mroce_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	if (attr->comp_mask & ~(uint32_t)(IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD))
		return mroce_null(EINVAL);
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD) && attr->parent_domain)
		return mroce_null(EOPNOTSUPP);
	/* Single-threaded is a promise of the program that costs nothing to ignore; ignoring an overrun is not offered. */
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) && (attr->flags & ~(uint32_t)IBV_CREATE_CQ_ATTR_SINGLE_THREADED))
		return mroce_null(EOPNOTSUPP);
	return (struct ibv_cq_ex *)create_cq(context, attr->cqe, attr->cq_context, attr->channel, attr->comp_vector, true, attr->wc_flags);
}

EXPORT int ibv_resize_cq(struct ibv_cq *ibv, int cqe)
{
	FORWARD(mroce_owns(ibv->context), ENOSYS, "IBVERBS_1.1", ibv_resize_cq, ibv, cqe);
	struct mroce_cq *cq = to_cq(ibv);

	if (load_relaxed(&mroce_forked))
		return mroce_error(EIO);
	if (cqe <= 0 || cqe > MROCE_MAX_CQE)
		return mroce_error(EINVAL);
	uint32_t entries = cq_entries((uint32_t)cqe);
	struct mroce_ring *ring = mroce_ring_new(entries, sizeof(struct mroce_cqe)), *old = NULL;
	struct mroce_cmd_cq cmd = { .cq = cq->id, .ring = (uintptr_t)ring, .cookie = (uintptr_t)cq };

	if (!ring)
		return mroce_error(ENOMEM);
	/* Polls, arming and readers of events stand still while Java moves the CQEs; the locks themselves are not held across the command. */
	struct mroce_channel *channel = ibv->channel ? to_channel(ibv->channel) : NULL;

	if (channel)
		mroce_lock(&channel->lock);
	mroce_lock(&cq->lock);
	bool busy = cq->paused;
	cq->paused = true;
	mroce_unlock(&cq->lock);
	if (channel)
		mroce_unlock(&channel->lock);
	if (busy) {
		mroce_ring_free(ring);
		return mroce_error(EBUSY);
	}
	int error = mroce_command(MROCE_OP_RESIZE_CQ, &cmd);

	if (channel)
		mroce_lock(&channel->lock);
	mroce_lock(&cq->lock);
	if (!error) {
		old = cq->ring;
		cq->ring = ring;
		cq->mask = entries - 1;
		cq->head = load_acquire(&ring->head);
		ibv->cqe = (int)entries;
	}
	cq->paused = false;
	mroce_unlock(&cq->lock);
	if (channel)
		mroce_unlock(&channel->lock);
	mroce_ring_free(error ? ring : old);
	return mroce_error(error);
}

EXPORT int ibv_destroy_cq(struct ibv_cq *ibv)
{
	FORWARD(mroce_owns(ibv->context), ENOSYS, "IBVERBS_1.1", ibv_destroy_cq, ibv);
	struct mroce_cq *cq = to_cq(ibv);
	struct mroce_cmd_cq cmd = { .cq = cq->id, .channel_fd = -1, .cookie = (uintptr_t)cq };
	struct ibv_comp_channel *channel = ibv->channel;

	if (load_relaxed(&mroce_forked))
		return 0;
	int error = mroce_command(MROCE_OP_DESTROY_CQ, &cmd);
	if (error)
		return mroce_error(error);
	/* From here on Java writes nothing of this CQ. Unread events go; those that were read must be acknowledged. */
	uint32_t comp = channel ? mroce_channel_forget(to_channel(channel), cq) : 0;
	uint32_t async = mroce_async_forget(mroce_ctx(ibv->context), cq, &cq->async_reported);

	pthread_mutex_lock(&ibv->mutex);
	while (ibv->comp_events_completed != comp || ibv->async_events_completed != async)
		pthread_cond_wait(&ibv->cond, &ibv->mutex);
	pthread_mutex_unlock(&ibv->mutex);
	if (channel) {
		pthread_mutex_lock(&ibv->context->mutex);
		channel->refcnt--;
		pthread_mutex_unlock(&ibv->context->mutex);
	}
	pthread_mutex_destroy(&ibv->mutex);
	pthread_cond_destroy(&ibv->cond);
	mroce_ring_free(cq->ring);
	free(cq);
	return 0;
}
