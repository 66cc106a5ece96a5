/* Children of a process without a VM may use the device; children of one with a VM get errors from every verb, and no hang. */
#include "test.h"

#include <sys/wait.h>

static void in_child(void (*body)(void *), void *arg)
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		alarm(120);
		body(arg);
		_exit(0);
	}
	SAME(waitpid(pid, &status, 0), pid);
	SAME(status, 0);
}

struct objects {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct end ends[2];
	struct ibv_mr *mr;
	char *buf;
};

static void whole_life(void *unused)
{
	struct ibv_context *context = open_mroce();
	struct ibv_pd *pd = ibv_alloc_pd(context);

	(void)unused;
	CHECK(pd);
	SAME(ibv_dealloc_pd(pd), 0);
	SAME(ibv_close_device(context), 0);
}

static void everything_fails(void *arg)
{
	struct objects *o = arg;
	struct ibv_wc wc;
	struct ibv_cq *cq;
	void *cq_context;
	struct ibv_async_event event;
	struct ibv_send_wr wr = { .wr_id = 1, .opcode = IBV_WR_SEND }, *bad = NULL;
	struct ibv_recv_wr rwr = { .wr_id = 1 }, *bad_recv = NULL;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	for (int i = 0; i < 30000; i++) { /* so many, for upcalls of a child hang after some thousands */
		SAME(ibv_post_send(o->ends[0].qp, &wr, &bad), EIO);
		CHECK(bad == &wr);
		SAME(ibv_post_recv(o->ends[0].qp, &rwr, &bad_recv), EIO);
		CHECK(bad_recv == &rwr);
		CHECK(ibv_poll_cq(o->ends[0].cq, 1, &wc) < 0);
		SAME(ibv_req_notify_cq(o->ends[0].cq, 0), EIO);
	}
	CHECK(ibv_alloc_pd(o->context) == NULL);
	SAME(errno, ENODEV);
	CHECK(ibv_create_cq(o->context, 1, NULL, NULL, 0) == NULL);
	SAME(errno, ENODEV);
	CHECK(ibv_reg_mr(o->pd, o->buf, 4096, 0) == NULL);
	CHECK(ibv_create_comp_channel(o->context) == NULL);
	CHECK(ibv_modify_qp(o->ends[0].qp, &attr, IBV_QP_STATE) != 0);
	SAME(ibv_get_cq_event(o->channel, &cq, &cq_context), -1);
	SAME(ibv_get_async_event(o->context, &event), -1);
	SAME(ibv_destroy_qp(o->ends[0].qp), 0);
	SAME(ibv_dereg_mr(o->mr), 0);
	SAME(ibv_destroy_cq(o->ends[0].cq), 0);
	SAME(ibv_dealloc_pd(o->pd), 0);
	int n;
	struct ibv_device **list = ibv_get_device_list(&n);
	CHECK(list && n >= 1);
	CHECK(ibv_open_device(list[0]) == NULL);
	SAME(errno, ENODEV);
	exit(0); /* the destructor as well */
}

/* What a thread of the VM holds at the fork is held for ever in the child: its exit must not want it. */
static void leaves(void *unused)
{
	(void)unused;
	exit(0);
}

static void exec_works(void *unused)
{
	(void)unused;
	execlp("true", "true", NULL);
	_exit(1);
}

int main(void)
{
	struct objects o;

	o.context = open_mroce(); /* opened and queried, nothing more: as pyverbs does before it forks */
	in_child(whole_life, NULL);
	in_child(whole_life, NULL);
	CHECK(o.pd = ibv_alloc_pd(o.context));
	CHECK(o.channel = ibv_create_comp_channel(o.context));
	make_pair(o.pd, o.ends, 16);
	CHECK(o.buf = calloc(1, 4096));
	CHECK(o.mr = ibv_reg_mr(o.pd, o.buf, 4096, IBV_ACCESS_LOCAL_WRITE));
	in_child(everything_fails, &o);
	for (int i = 0; i < 300; i++)
		in_child(leaves, NULL);
	in_child(exec_works, NULL);
	SAME(system("true"), 0);
	/* The parent goes on. */
	SAME(post_recv(o.ends[1].qp, 7, o.buf, 100, o.mr->lkey), 0);
	SAME(post_send(o.ends[0].qp, 8, o.buf + 200, 100, o.mr->lkey), 0);
	SAME(wait_wc(o.ends[0].cq).status, IBV_WC_SUCCESS);
	SAME(wait_wc(o.ends[1].cq).wr_id, 7);
	return ok();
}
