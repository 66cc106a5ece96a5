/* Completion channels: arming races, solicited events, acknowledgements, purging at destroy. */
#include "test.h"

#include <fcntl.h>
#include <poll.h>

static struct ibv_pd *pd;
static struct ibv_mr *mr;
static char *buf;

static struct ibv_comp_channel *channel;
static struct end ends[2];

enum { ROUNDS = 10000 };

/* The consumer does what the man page says: arm, poll again, sleep. A wake-up that is lost leaves it asleep, and the alarm ends the test. */
static void *consumer(void *unused)
{
	unsigned events = 0;
	struct ibv_cq *cq;
	void *cq_context;
	int got = 0;

	(void)unused;
	SAME(ibv_req_notify_cq(ends[1].cq, 0), 0);
	while (got < ROUNDS) {
		SAME(ibv_get_cq_event(channel, &cq, &cq_context), 0);
		CHECK(cq == ends[1].cq && cq_context == &ends[1]);
		events++;
		SAME(ibv_req_notify_cq(cq, 0), 0);
		struct ibv_wc wc;
		while (ibv_poll_cq(cq, 1, &wc) == 1) {
			SAME(wc.status, IBV_WC_SUCCESS);
			SAME(wc.wr_id, got);
			got++;
			SAME(post_recv(ends[1].qp, wc.wr_id + 16, buf, 64, mr->lkey), 0);
		}
	}
	ibv_ack_cq_events(ends[1].cq, events);
	return NULL;
}

static void arming(void)
{
	pthread_t thread;

	for (int i = 0; i < 16; i++)
		SAME(post_recv(ends[1].qp, (uint64_t)i, buf, 64, mr->lkey), 0);
	SAME(pthread_create(&thread, NULL, consumer, NULL), 0);
	for (int i = 0; i < ROUNDS; i++) {
		SAME(post_send(ends[0].qp, (uint64_t)i, buf + 128, 64, mr->lkey), 0);
		SAME(wait_wc(ends[0].cq).status, IBV_WC_SUCCESS);
	}
	pthread_join(thread, NULL);
}

static int readable(void)
{
	struct pollfd p = { .fd = channel->fd, .events = POLLIN };

	return poll(&p, 1, 0);
}

static void send_one(unsigned flags)
{
	struct ibv_sge sge = { (uintptr_t)buf, 8, mr->lkey };
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED | flags }, *bad;

	SAME(ibv_post_send(ends[0].qp, &wr, &bad), 0);
	SAME(wait_wc(ends[0].cq).status, IBV_WC_SUCCESS);
	SAME(wait_wc(ends[1].cq).status, IBV_WC_SUCCESS);
	SAME(post_recv(ends[1].qp, 1, buf, 64, mr->lkey), 0);
}

static void solicited(void)
{
	struct ibv_cq *cq;
	void *cq_context;

	SAME(fcntl(channel->fd, F_SETFL, fcntl(channel->fd, F_GETFL) | O_NONBLOCK), 0);
	while (ibv_get_cq_event(channel, &cq, &cq_context) == 0) /* the consumer left it armed */
		ibv_ack_cq_events(cq, 1);
	send_one(0);
	while (ibv_get_cq_event(channel, &cq, &cq_context) == 0)
		ibv_ack_cq_events(cq, 1);
	send_one(0); /* not armed: no event */
	SAME(readable(), 0);
	SAME(ibv_get_cq_event(channel, &cq, &cq_context), -1);
	SAME(errno, EAGAIN);
	SAME(ibv_req_notify_cq(ends[1].cq, 1), 0);
	send_one(0);
	SAME(readable(), 0); /* not solicited */
	send_one(IBV_SEND_SOLICITED);
	SAME(readable(), 1);
	send_one(IBV_SEND_SOLICITED); /* disarmed by the first */
	SAME(ibv_get_cq_event(channel, &cq, &cq_context), 0);
	SAME(ibv_get_cq_event(channel, &cq, &cq_context), -1);
	ibv_ack_cq_events(cq, 1);
	SAME(ibv_req_notify_cq(ends[1].cq, 1), 0);
	SAME(ibv_req_notify_cq(ends[1].cq, 0), 0); /* upward only */
	SAME(ibv_req_notify_cq(ends[1].cq, 1), 0);
	send_one(0);
	SAME(ibv_get_cq_event(channel, &cq, &cq_context), 0);
	ibv_ack_cq_events(cq, 1);
}

static void *acknowledger(void *arg)
{
	usleep(50000);
	__atomic_store_n((int *)arg, 1, __ATOMIC_SEQ_CST);
	ibv_ack_cq_events(ends[1].cq, 1);
	return NULL;
}

/* destroy_cq waits for the events that were read, and takes the unread ones away. */
static void destroying(void)
{
	struct ibv_cq *cq;
	void *cq_context;
	pthread_t thread;
	int acknowledged = 0;

	for (int i = 0; i < 2; i++) {
		SAME(ibv_req_notify_cq(ends[1].cq, 0), 0);
		send_one(0);
	}
	SAME(ibv_get_cq_event(channel, &cq, &cq_context), 0); /* one read, one not */
	SAME(ibv_destroy_comp_channel(channel), EBUSY);
	SAME(ibv_destroy_cq(ends[1].cq), EBUSY);
	SAME(ibv_destroy_qp(ends[1].qp), 0);
	SAME(ibv_destroy_qp(ends[0].qp), 0);
	SAME(pthread_create(&thread, NULL, acknowledger, &acknowledged), 0);
	SAME(ibv_destroy_cq(ends[1].cq), 0);
	SAME(__atomic_load_n(&acknowledged, __ATOMIC_SEQ_CST), 1);
	pthread_join(thread, NULL);
	SAME(readable(), 0);
	SAME(ibv_get_cq_event(channel, &cq, &cq_context), -1);
	SAME(errno, EAGAIN);
	SAME(ibv_destroy_comp_channel(channel), 0);
}

int main(void)
{
	alarm(280);
	CHECK(pd = ibv_alloc_pd(open_mroce()));
	CHECK(channel = ibv_create_comp_channel(pd->context));
	CHECK(buf = calloc(1, 4096));
	CHECK(mr = ibv_reg_mr(pd, buf, 4096, IBV_ACCESS_LOCAL_WRITE));
	CHECK(ends[0].cq = ibv_create_cq(pd->context, 64, NULL, NULL, 0));
	CHECK(ends[1].cq = ibv_create_cq(pd->context, 64, &ends[1], channel, 0));
	for (int i = 0; i < 2; i++)
		ends[i].qp = make_qp(pd, ends[i].cq, 32);
	connect_qp(ends[0].qp, ends[1].qp->qp_num);
	connect_qp(ends[1].qp, ends[0].qp->qp_num);
	arming();
	solicited();
	destroying();
	return ok();
}
