/* ibv_wr_* and extended CQs: every builder, abort, errors that surface at wr_complete, and the readers of a completion. */
#include "test.h"

static struct ibv_pd *pd;
static struct ibv_mr *mr;
static char *buf;

int main(void)
{
	struct ibv_context *context = open_mroce();
	struct ibv_qp *qp[2];
	struct ibv_qp_ex *ex[2];
	struct ibv_cq_init_attr_ex cq_attr = { .cqe = 64, .wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP };
	struct ibv_poll_cq_attr poll = { 0 };

	CHECK(pd = ibv_alloc_pd(context));
	struct ibv_cq_ex *cq = ibv_create_cq_ex(context, &cq_attr);
	CHECK(cq && !cq->read_cvlan && !cq->read_flow_tag && cq->read_byte_len);
	CHECK(buf = calloc(1, 8192));
	CHECK(mr = ibv_reg_mr(pd, buf, 8192, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC));
	for (int i = 0; i < 2; i++) {
		struct ibv_qp_init_attr_ex attr = { .send_cq = ibv_cq_ex_to_cq(cq), .recv_cq = ibv_cq_ex_to_cq(cq), .cap = { 8, 8, 2, 2, 64 },
			.qp_type = IBV_QPT_RC, .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .pd = pd,
			.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND |
				IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
				IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD };

		CHECK(qp[i] = ibv_create_qp_ex(context, &attr));
		CHECK(ex[i] = ibv_qp_to_qp_ex(qp[i]));
	}
	ibv_wr_start(ex[0]); /* not connected yet */
	ex[0]->wr_id = 1;
	ibv_wr_send(ex[0]);
	SAME(ibv_wr_complete(ex[0]), EINVAL);
	connect_qp(qp[0], qp[1]->qp_num);
	connect_qp(qp[1], qp[0]->qp_num);

	uint64_t *word = (uint64_t *)(buf + 4096);
	*word = 5;
	strcpy(buf, "hello");
	for (int i = 0; i < 3; i++)
		SAME(post_recv(qp[1], 100 + (uint64_t)i, buf + 1024 + 64 * i, 64, mr->lkey), 0);
	ibv_wr_start(ex[0]);
	ex[0]->wr_id = 9;
	ex[0]->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(ex[0]);
	ibv_wr_set_sge(ex[0], mr->lkey, (uintptr_t)buf, 6);
	ibv_wr_abort(ex[0]); /* nothing of it is posted */

	ibv_wr_start(ex[0]);
	ex[0]->wr_flags = IBV_SEND_SIGNALED;
	ex[0]->wr_id = 10;
	ibv_wr_send(ex[0]);
	ibv_wr_set_inline_data(ex[0], "inline", 7);
	ex[0]->wr_id = 11;
	ibv_wr_send_imm(ex[0], 0x11223344);
	struct ibv_sge list[2] = { { (uintptr_t)buf, 2, mr->lkey }, { (uintptr_t)buf + 2, 4, mr->lkey } };
	ibv_wr_set_sge_list(ex[0], 2, list);
	ex[0]->wr_id = 12;
	ibv_wr_rdma_write_imm(ex[0], mr->rkey, (uintptr_t)buf + 2048, 7);
	struct ibv_data_buf bufs[2] = { { "ab", 2 }, { "c", 2 } };
	ibv_wr_set_inline_data_list(ex[0], 2, bufs);
	ex[0]->wr_id = 13;
	ibv_wr_rdma_write(ex[0], mr->rkey, (uintptr_t)buf + 3000);
	ibv_wr_set_sge(ex[0], mr->lkey, (uintptr_t)buf, 6);
	ex[0]->wr_id = 14;
	ibv_wr_rdma_read(ex[0], mr->rkey, (uintptr_t)buf);
	ibv_wr_set_sge(ex[0], mr->lkey, (uintptr_t)buf + 3100, 6);
	ex[0]->wr_id = 15;
	ibv_wr_atomic_fetch_add(ex[0], mr->rkey, (uintptr_t)word, 3);
	ibv_wr_set_sge(ex[0], mr->lkey, (uintptr_t)buf + 3200, 8);
	ex[0]->wr_id = 16;
	ibv_wr_atomic_cmp_swp(ex[0], mr->rkey, (uintptr_t)word, 8, 77);
	ibv_wr_set_sge(ex[0], mr->lkey, (uintptr_t)buf + 3208, 8);
	SAME(ibv_wr_complete(ex[0]), 0);

	static const enum ibv_wc_opcode opcodes[] = { IBV_WC_SEND, IBV_WC_SEND, IBV_WC_RDMA_WRITE, IBV_WC_RDMA_WRITE, IBV_WC_RDMA_READ,
		IBV_WC_FETCH_ADD, IBV_WC_COMP_SWAP };
	uint64_t next_send = 10, next_recv = 100, last_ts = 0;
	while (next_send < 17 || next_recv < 103) {
		int rc = ibv_start_poll(cq, &poll);

		if (rc == ENOENT)
			continue;
		SAME(rc, 0);
		do {
			SAME(cq->status, IBV_WC_SUCCESS);
			CHECK(ibv_wc_read_completion_ts(cq) >= last_ts);
			last_ts = ibv_wc_read_completion_ts(cq);
			if (ibv_wc_read_opcode(cq) & IBV_WC_RECV) {
				SAME(cq->wr_id, next_recv);
				SAME(ibv_wc_read_qp_num(cq), qp[1]->qp_num);
				if (next_recv == 100)
					SAME(ibv_wc_read_byte_len(cq), 7);
				else
					CHECK(ibv_wc_read_wc_flags(cq) & IBV_WC_WITH_IMM);
				if (next_recv == 101)
					SAME(ibv_wc_read_imm_data(cq), 0x11223344);
				if (next_recv == 102)
					SAME(ibv_wc_read_opcode(cq), IBV_WC_RECV_RDMA_WITH_IMM);
				next_recv++;
			} else {
				SAME(cq->wr_id, next_send);
				SAME(ibv_wc_read_opcode(cq), opcodes[next_send - 10]);
				next_send++;
			}
		} while (ibv_next_poll(cq) == 0);
		ibv_end_poll(cq);
	}
	SAME(strcmp(buf + 1024, "inline"), 0);
	SAME(strcmp(buf + 1024 + 64, "hello"), 0);
	SAME(strcmp(buf + 2048, "abc"), 0);
	SAME(strcmp(buf + 3000, "hello"), 0);
	SAME(strcmp(buf + 3100, "hello"), 0);
	SAME(*(uint64_t *)(buf + 3200), 5);
	SAME(*(uint64_t *)(buf + 3208), 8);
	SAME(*word, 77);

	poll.comp_mask = 1;
	SAME(ibv_start_poll(cq, &poll), EINVAL);
	poll.comp_mask = 0;
	SAME(ibv_start_poll(cq, &poll), ENOENT);
	ibv_wr_start(ex[0]); /* one bad request spoils its batch, and nothing of it goes out */
	ibv_wr_rdma_write(ex[0], mr->rkey, (uintptr_t)buf + 3000);
	ibv_wr_set_sge(ex[0], mr->lkey, (uintptr_t)buf, 6);
	ibv_wr_send(ex[0]);
	char big[4096];
	memset(big, 1, sizeof(big));
	ibv_wr_set_inline_data(ex[0], big, sizeof(big));
	SAME(ibv_wr_complete(ex[0]), EINVAL);
	ibv_wr_start(ex[0]);
	ibv_wr_atomic_fetch_add(ex[0], mr->rkey, (uintptr_t)word + 1, 3);
	SAME(ibv_wr_complete(ex[0]), EINVAL);
	ibv_wr_start(ex[0]);
	for (int i = 0; i < 100; i++)
		ibv_wr_send(ex[0]);
	SAME(ibv_wr_complete(ex[0]), ENOMEM);
	SAME(ibv_start_poll(cq, &poll), ENOENT);
	struct ibv_wc wc;
	ibv_wr_start(ex[0]);
	ex[0]->wr_id = 20;
	ibv_wr_rdma_write(ex[0], mr->rkey, (uintptr_t)buf + 3000);
	ibv_wr_set_sge(ex[0], mr->lkey, (uintptr_t)buf, 0);
	SAME(ibv_wr_complete(ex[0]), 0);
	wc = wait_wc(ibv_cq_ex_to_cq(cq)); /* the plain poll works on the same CQ */
	SAME(wc.wr_id, 20);
	SAME(*word, 77);
	return ok();
}
