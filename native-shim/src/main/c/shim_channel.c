/* Completion channels: a ring of CQs that have events, written by the engine, and an eventfd with one permit for each event. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim_verbs.h"

EXPORT struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	FORWARD(mroce_owns(context), mroce_null(ENOSYS), "IBVERBS_1.0", ibv_create_comp_channel, context);
	int error = mroce_vm_start();

	if (error)
		return mroce_null(error);
	struct mroce_channel *channel = calloc(1, sizeof(*channel));

	if (!channel)
		return mroce_null(ENOMEM);
	channel->ring = mroce_ring_new(2 * MROCE_MAX_CQ, sizeof(struct mroce_channel_slot));
	channel->ibv.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	if (!channel->ring || channel->ibv.fd < 0) {
		error = channel->ring ? errno : ENOMEM;
		mroce_ring_free(channel->ring);
		free(channel);
		return mroce_null(error);
	}
	channel->ibv.context = context;
	return &channel->ibv;
}

EXPORT int ibv_destroy_comp_channel(struct ibv_comp_channel *ibv)
{
	FORWARD(mroce_owns(ibv->context), ENOSYS, "IBVERBS_1.0", ibv_destroy_comp_channel, ibv);
	struct mroce_channel *channel = to_channel(ibv);

	if (load_relaxed(&mroce_forked))
		return 0;
	pthread_mutex_lock(&ibv->context->mutex);
	int users = ibv->refcnt;
	pthread_mutex_unlock(&ibv->context->mutex);
	if (users)
		return mroce_error(EBUSY);
	close(ibv->fd);
	mroce_ring_free(channel->ring);
	free(channel);
	return 0;
}

static struct mroce_channel_slot *slot_at(struct mroce_ring *ring, uint32_t counter)
{
	return mroce_ring_slot(ring, counter, ring->entries - 1, sizeof(struct mroce_channel_slot));
}

/* One event, or NULL when what the permit was for has been purged, or `paused` when a resize exchanges the ring of the CQ that is next. Lock held. */
static struct mroce_cq *pop(struct mroce_ring *ring, bool *paused)
{
	uint32_t head = ring->head, tail = load_acquire(&ring->tail);

	for (; head != tail; head++) {
		struct mroce_cq *cq = to_cq((uintptr_t)slot_at(ring, head)->cq_cookie);

		if (!cq) /* purged */
			continue;
		*paused = cq->paused;
		if (unlikely(*paused))
			return NULL;
		/* The engine appends the CQ again when it finds `pending` at 0, so the slot goes with the last event. */
		if (__atomic_sub_fetch(&cq->ring->pending, 1, __ATOMIC_ACQ_REL) == 0)
			head++;
		store_release(&ring->head, head);
		cq->comp_reported++;
		return cq;
	}
	store_release(&ring->head, head);
	return NULL;
}

EXPORT int ibv_get_cq_event(struct ibv_comp_channel *ibv, struct ibv_cq **cq, void **cq_context)
{
	FORWARD(mroce_owns(ibv->context), -1, "IBVERBS_1.1", ibv_get_cq_event, ibv, cq, cq_context);
	struct mroce_channel *channel = to_channel(ibv);
	uint64_t permit;

	for (;;) {
		if (load_relaxed(&mroce_forked)) {
			errno = EIO;
			return -1;
		}
		if (read(ibv->fd, &permit, sizeof(permit)) != sizeof(permit))
			return -1; /* EAGAIN, EINTR: as the program set the fd up */
		struct mroce_cq *found;
		bool paused = false;

		do {
			if (unlikely(paused))
				sched_yield();
			paused = false;
			mroce_lock(&channel->lock);
			found = pop(channel->ring, &paused);
			mroce_unlock(&channel->lock);
		} while (unlikely(paused));
		if (found) {
			*cq = &found->ibv;
			*cq_context = found->ibv.cq_context;
			return 0;
		}
	}
}

EXPORT void ibv_ack_cq_events(struct ibv_cq *cq, unsigned events)
{
	if (unlikely(!mroce_owns(cq->context))) {
		typeof(&ibv_ack_cq_events) real = REAL_SYMBOL(typeof(&ibv_ack_cq_events), "ibv_ack_cq_events", "IBVERBS_1.1");

		if (real)
			real(cq, events);
		return;
	}
	pthread_mutex_lock(&cq->mutex);
	cq->comp_events_completed += events;
	pthread_cond_signal(&cq->cond);
	pthread_mutex_unlock(&cq->mutex);
}

/* Purges the unread events of a CQ that Java has forgotten; answers how many had been read. */
uint32_t mroce_channel_forget(struct mroce_channel *channel, struct mroce_cq *cq)
{
	struct mroce_ring *ring = channel->ring;
	uint64_t permit;
	struct iovec io = { &permit, sizeof(permit) };

	mroce_lock(&channel->lock);
	for (uint32_t at = ring->head, tail = load_acquire(&ring->tail); at != tail; at++)
		if (slot_at(ring, at)->cq_cookie == (uintptr_t)cq)
			slot_at(ring, at)->cq_cookie = 0;
	uint32_t unread = __atomic_exchange_n(&cq->ring->pending, 0, __ATOMIC_ACQ_REL), read_events = cq->comp_reported;
	mroce_unlock(&channel->lock);
	/* Their permits, without blocking even where the program reads the fd blockingly. A racing reader may have got one: it looks again. */
	while (unread-- && preadv2(channel->ibv.fd, &io, 1, -1, RWF_NOWAIT) == sizeof(permit))
		;
	return read_events;
}
