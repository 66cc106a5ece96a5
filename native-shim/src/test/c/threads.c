/* 32 threads at once: pairs of their own, one queue pair and one CQ that all share, and objects made and destroyed all the while. */
#include "test.h"

enum { THREADS = 32, ROUNDS = 300, SHARED_ROUNDS = 50 };

static struct ibv_pd *pd;
static struct end shared[2];
static struct ibv_mr *mr;
static char *buf;
static uint32_t sent[THREADS], shared_done;
static pthread_barrier_t barrier;

static void own_traffic(int id)
{
	struct end ends[2];
	char *mine = calloc(1, 8192);
	struct ibv_mr *own = ibv_reg_mr(pd, mine, 8192, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);

	CHECK(own);
	make_pair(pd, ends, 16);
	for (int i = 0; i < ROUNDS; i++) {
		memset(mine + 4096, id * 7 + i, 512);
		SAME(post_recv(ends[1].qp, (uint64_t)i, mine, 512, own->lkey), 0);
		SAME(post_send(ends[0].qp, (uint64_t)i, mine + 4096, 512, own->lkey), 0);
		struct ibv_wc wc = wait_wc(ends[1].cq);
		SAME(wc.status, IBV_WC_SUCCESS);
		SAME(wc.wr_id, i);
		SAME(wc.byte_len, 512);
		SAME(memcmp(mine, mine + 4096, 512), 0);
		wc = wait_wc(ends[0].cq);
		SAME(wc.status, IBV_WC_SUCCESS);
		SAME(wc.wr_id, i);
		if (i % 50 == 0) {
			struct ibv_mr *extra = ibv_reg_mr(pd, mine, 100, 0);
			CHECK(extra);
			SAME(ibv_dereg_mr(extra), 0);
		}
	}
	for (int i = 0; i < 2; i++) {
		SAME(ibv_destroy_qp(ends[i].qp), 0);
		SAME(ibv_destroy_cq(ends[i].cq), 0);
	}
	SAME(ibv_dereg_mr(own), 0);
	free(mine);
}

/* Everybody posts to the same queue pair and polls the same CQ; each completion is seen by somebody, once. */
static void shared_traffic(int id)
{
	for (int i = 0; i < SHARED_ROUNDS;) {
		int error = post_write(shared[0].qp, (uint64_t)id, buf, 8, mr->lkey, buf + 4096, mr->rkey);

		CHECK(error == 0 || error == ENOMEM);
		i += error == 0;
		struct ibv_wc wc[4];
		int n = ibv_poll_cq(shared[0].cq, 4, wc);
		CHECK(n >= 0);
		for (int k = 0; k < n; k++) {
			SAME(wc[k].status, IBV_WC_SUCCESS);
			CHECK(wc[k].wr_id < THREADS);
			__atomic_fetch_add(&sent[wc[k].wr_id], 1, __ATOMIC_RELAXED);
			__atomic_fetch_add(&shared_done, 1, __ATOMIC_SEQ_CST);
		}
	}
	while (__atomic_load_n(&shared_done, __ATOMIC_SEQ_CST) < THREADS * SHARED_ROUNDS) {
		struct ibv_wc wc;
		int n = ibv_poll_cq(shared[0].cq, 1, &wc);
		CHECK(n >= 0);
		if (n) {
			SAME(wc.status, IBV_WC_SUCCESS);
			__atomic_fetch_add(&sent[wc.wr_id], 1, __ATOMIC_RELAXED);
			__atomic_fetch_add(&shared_done, 1, __ATOMIC_SEQ_CST);
		}
	}
}

static void *body(void *arg)
{
	int id = (int)(intptr_t)arg;

	pthread_barrier_wait(&barrier);
	own_traffic(id);
	shared_traffic(id);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	CHECK(pd = ibv_alloc_pd(open_mroce()));
	make_pair(pd, shared, 64);
	CHECK(buf = calloc(1, 8192));
	CHECK(mr = ibv_reg_mr(pd, buf, 8192, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		SAME(pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++)
		SAME(sent[i], SHARED_ROUNDS);
	SAME(shared_done, THREADS * SHARED_ROUNDS);
	for (int i = 0; i < 2; i++) {
		SAME(ibv_destroy_qp(shared[i].qp), 0);
		SAME(ibv_destroy_cq(shared[i].cq), 0);
	}
	SAME(ibv_dereg_mr(mr), 0);
	SAME(ibv_dealloc_pd(pd), 0);
	return ok();
}
