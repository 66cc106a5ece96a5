/* For the programs of this directory: plain verbs programs, linked against the machine's libibverbs, run under LD_PRELOAD. They end with 0 and the
 * line "ok", or say what failed. */
#ifndef MROCE_TEST_H
#define MROCE_TEST_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition)                                                                                                 \
	do {                                                                                                                 \
		if (!(condition)) {                                                                                              \
			fprintf(stderr, "%s:%d: not so: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno);                    \
			_exit(1);                                                                                                    \
		}                                                                                                                \
	} while (0)
#define SAME(a, b)                                                                                                       \
	do {                                                                                                                 \
		long long left = (long long)(a), right = (long long)(b);                                                         \
		if (left != right) {                                                                                             \
			fprintf(stderr, "%s:%d: %s is %lld, not %s = %lld\n", __FILE__, __LINE__, #a, left, #b, right);              \
			_exit(1);                                                                                                    \
		}                                                                                                                \
	} while (0)

struct end {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

static inline struct ibv_context *open_mroce(void)
{
	int n;
	struct ibv_device **list = ibv_get_device_list(&n);
	struct ibv_context *context = NULL;

	CHECK(list);
	for (int i = 0; i < n; i++)
		if (strcmp(ibv_get_device_name(list[i]), "mroce0") == 0)
			CHECK(context = ibv_open_device(list[i]));
	CHECK(context);
	ibv_free_device_list(list);
	return context;
}

static inline struct ibv_qp *make_qp(struct ibv_pd *pd, struct ibv_cq *cq, uint32_t depth)
{
	struct ibv_qp_init_attr init = { .send_cq = cq, .recv_cq = cq, .cap = { depth, depth, 2, 2, 64 }, .qp_type = IBV_QPT_RC };
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	CHECK(qp);
	return qp;
}

static inline void connect_qp(struct ibv_qp *qp, uint32_t peer)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC };

	SAME(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), 0);
	memset(&a, 0, sizeof(a));
	a.qp_state = IBV_QPS_RTR;
	a.path_mtu = IBV_MTU_1024;
	a.dest_qp_num = peer;
	a.max_dest_rd_atomic = 4;
	a.min_rnr_timer = 1;
	a.ah_attr.is_global = 1;
	a.ah_attr.port_num = 1;
	a.ah_attr.grh.hop_limit = 64;
	SAME(ibv_query_gid(qp->context, 1, 0, &a.ah_attr.grh.dgid), 0);
	SAME(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER), 0);
	memset(&a, 0, sizeof(a));
	a.qp_state = IBV_QPS_RTS;
	a.timeout = 14;
	a.retry_cnt = 7;
	a.rnr_retry = 7;
	a.max_rd_atomic = 4;
	SAME(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
		IBV_QP_MAX_QP_RD_ATOMIC), 0);
}

/* Two queue pairs of this process, joined. */
static inline void make_pair(struct ibv_pd *pd, struct end ends[2], uint32_t depth)
{
	for (int i = 0; i < 2; i++) {
		CHECK(ends[i].cq = ibv_create_cq(pd->context, 2 * (int)depth, NULL, NULL, 0));
		ends[i].qp = make_qp(pd, ends[i].cq, depth);
	}
	connect_qp(ends[0].qp, ends[1].qp->qp_num);
	connect_qp(ends[1].qp, ends[0].qp->qp_num);
}

static inline int post_send(struct ibv_qp *qp, uint64_t wr_id, void *buf, uint32_t length, uint32_t lkey)
{
	struct ibv_sge sge = { (uintptr_t)buf, length, lkey };
	struct ibv_send_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED }, *bad;

	return ibv_post_send(qp, &wr, &bad);
}

static inline int post_write(struct ibv_qp *qp, uint64_t wr_id, void *buf, uint32_t length, uint32_t lkey, void *to, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)buf, length, lkey };
	struct ibv_send_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)to, rkey } }, *bad;

	return ibv_post_send(qp, &wr, &bad);
}

static inline int post_recv(struct ibv_qp *qp, uint64_t wr_id, void *buf, uint32_t length, uint32_t lkey)
{
	struct ibv_sge sge = { (uintptr_t)buf, length, lkey };
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_recv(qp, &wr, &bad);
}

static inline struct ibv_wc wait_wc(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int n;

	while ((n = ibv_poll_cq(cq, 1, &wc)) == 0)
		;
	SAME(n, 1);
	return wc;
}

static inline int ok(void)
{
	printf("ok\n");
	return 0;
}

#endif
