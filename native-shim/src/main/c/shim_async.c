/* Asynchronous events. Java writes them into one ring for the process; the VM's thread hands them out to the contexts, each with a queue and an
 * eventfd of its own. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim_verbs.h"

struct mroce_async_node {
	struct mroce_async_node *next;
	struct ibv_async_event event;
	void *object; /* NULL: the device or a port */
};

static struct mroce_lock ring_lock; /* the consumer's side of the process' ring */

static bool is_of_cq(uint32_t type)
{
	return type == IBV_EVENT_CQ_ERR;
}

static bool is_of_qp(uint32_t type)
{
	return type == IBV_EVENT_QP_FATAL || type == IBV_EVENT_QP_REQ_ERR || type == IBV_EVENT_QP_ACCESS_ERR || type == IBV_EVENT_COMM_EST ||
		type == IBV_EVENT_SQ_DRAINED || type == IBV_EVENT_PATH_MIG || type == IBV_EVENT_PATH_MIG_ERR ||
		type == IBV_EVENT_QP_LAST_WQE_REACHED;
}

static void push(struct mroce_context *ctx, uint32_t type, void *object, uint32_t port)
{
	struct mroce_async_node *node = calloc(1, sizeof(*node));
	uint64_t one = 1;

	if (!node)
		return;
	node->event.event_type = (enum ibv_event_type)type;
	node->object = object;
	if (is_of_cq(type))
		node->event.element.cq = object;
	else if (is_of_qp(type))
		node->event.element.qp = object;
	else
		node->event.element.port_num = (int)port;
	mroce_lock(&ctx->lock);
	if (ctx->last)
		ctx->last->next = node;
	else
		ctx->first = node;
	ctx->last = node;
	/* Under the lock: whoever purges the node finds its permit. A write that fails: the program closed the fd. */
	ssize_t written = write(ctx->ibv->async_fd, &one, sizeof(one));
	mroce_unlock(&ctx->lock);
	(void)written;
}

void mroce_async_all(uint32_t type, uint32_t port)
{
	mroce_contexts_lock();
	for (struct mroce_context *ctx = mroce_contexts(); ctx; ctx = ctx->next)
		push(ctx, type, NULL, port);
	mroce_contexts_unlock();
}

void mroce_async_distribute(void)
{
	struct mroce_ring *ring = (struct mroce_ring *)(uintptr_t)mroce_boot.async_ring;

	mroce_lock(&ring_lock);
	for (uint32_t head = ring->head; head != load_acquire(&ring->tail);) {
		struct mroce_async_slot slot =
			*(struct mroce_async_slot *)mroce_ring_slot(ring, head, ring->entries - 1, sizeof(struct mroce_async_slot));

		if (is_of_qp(slot.event_type)) {
			struct mroce_qp *qp = to_qp((uintptr_t)slot.cookie);

			push(mroce_ctx(qp->ibv.context), slot.event_type, qp, 0);
		} else if (is_of_cq(slot.event_type)) {
			struct mroce_cq *cq = to_cq((uintptr_t)slot.cookie);

			push(mroce_ctx(cq->ibv.context), slot.event_type, cq, 0);
		} else {
			mroce_async_all(slot.event_type, slot.port);
		}
		store_release(&ring->head, ++head);
	}
	mroce_unlock(&ring_lock);
}

/* Purges the unread events of an object that Java has forgotten; answers how many had been read. */
uint32_t mroce_async_forget(struct mroce_context *ctx, void *object, uint32_t *reported)
{
	struct mroce_async_node **p, *prev = NULL;
	uint64_t permit;
	struct iovec io = { &permit, sizeof(permit) };
	unsigned purged = 0;

	mroce_async_distribute();
	mroce_lock(&ctx->lock);
	for (p = &ctx->first; *p;) {
		struct mroce_async_node *node = *p;

		if (node->object == object) {
			*p = node->next;
			free(node);
			purged++;
		} else {
			prev = node;
			p = &node->next;
		}
	}
	ctx->last = prev;
	uint32_t read_events = *reported;
	mroce_unlock(&ctx->lock);
	/* Their permits, or a program that polls the descriptor would be told of an event and then wait for it. */
	while (purged-- && preadv2(ctx->ibv->async_fd, &io, 1, -1, RWF_NOWAIT) == sizeof(permit))
		;
	return read_events;
}

void mroce_async_forget_all(struct mroce_context *ctx)
{
	mroce_lock(&ctx->lock);
	while (ctx->first) {
		struct mroce_async_node *node = ctx->first;

		ctx->first = node->next;
		free(node);
	}
	ctx->last = NULL;
	mroce_unlock(&ctx->lock);
}

EXPORT int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	FORWARD(mroce_owns(context), -1, "IBVERBS_1.1", ibv_get_async_event, context, event);
	struct mroce_context *ctx = mroce_ctx(context);
	uint64_t permit;

	for (;;) {
		if (load_relaxed(&mroce_forked)) {
			errno = EIO;
			return -1;
		}
		if (read(context->async_fd, &permit, sizeof(permit)) != sizeof(permit))
			return -1;
		mroce_lock(&ctx->lock);
		struct mroce_async_node *node = ctx->first;
		if (node) {
			ctx->first = node->next;
			if (!ctx->first)
				ctx->last = NULL;
			if (is_of_qp(node->event.event_type))
				to_qp(node->object)->async_reported++;
			else if (is_of_cq(node->event.event_type))
				to_cq(node->object)->async_reported++;
		}
		mroce_unlock(&ctx->lock);
		if (node) {
			*event = node->event;
			free(node);
			return 0;
		}
	}
}

EXPORT void ibv_ack_async_event(struct ibv_async_event *event)
{
	struct ibv_context *context = NULL;
	bool qp = is_of_qp(event->event_type), cq = is_of_cq(event->event_type);

	if (qp)
		context = event->element.qp->context;
	else if (cq)
		context = event->element.cq->context;
	if (!context || !mroce_owns(context)) { /* SRQ and WQ events are other devices', and port events need nothing */
		bool other = event->event_type == IBV_EVENT_SRQ_ERR || event->event_type == IBV_EVENT_SRQ_LIMIT_REACHED ||
			event->event_type == IBV_EVENT_WQ_FATAL;
		typeof(&ibv_ack_async_event) real =
			context || other ? REAL_SYMBOL(typeof(&ibv_ack_async_event), "ibv_ack_async_event", "IBVERBS_1.1") : NULL;

		if (real)
			real(event);
		return;
	}
	pthread_mutex_t *mutex = qp ? &event->element.qp->mutex : &event->element.cq->mutex;

	pthread_mutex_lock(mutex);
	if (qp) {
		event->element.qp->events_completed++;
		pthread_cond_signal(&event->element.qp->cond);
	} else {
		event->element.cq->async_events_completed++;
		pthread_cond_signal(&event->element.cq->cond);
	}
	pthread_mutex_unlock(mutex);
}
