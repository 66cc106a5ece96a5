/* A program takes memory away from under an MR. Work that needs it fails with a status, once as the local and once as the remote side; nothing
 * dies, and other queue pairs go on. The queue pairs that fail raise events which nobody reads: they go with the queue pair. */
#include "test.h"

#include <poll.h>
#include <sys/mman.h>

static struct ibv_pd *pd;

static void gone(int remote)
{
	struct end ends[2];
	const int all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	char *pages = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *good = calloc(1, 1 << 20);
	struct ibv_mr *bad_mr = ibv_reg_mr(pd, pages, 1 << 20, all), *good_mr = ibv_reg_mr(pd, good, 1 << 20, all);
	struct ibv_wc wc;

	CHECK(bad_mr && good_mr);
	make_pair(pd, ends, 16);
	SAME(post_write(ends[0].qp, 1, good, 1 << 20, good_mr->lkey, pages, bad_mr->rkey), 0);
	SAME(wait_wc(ends[0].cq).status, IBV_WC_SUCCESS);
	SAME(munmap(pages, 1 << 20), 0);
	if (remote)
		SAME(post_write(ends[0].qp, 2, good, 300000, good_mr->lkey, pages, bad_mr->rkey), 0);
	else
		SAME(post_write(ends[0].qp, 2, pages, 300000, bad_mr->lkey, good, good_mr->rkey), 0);
	wc = wait_wc(ends[0].cq);
	SAME(wc.wr_id, 2);
	SAME(wc.status, remote ? IBV_WC_REM_OP_ERR : IBV_WC_LOC_PROT_ERR);
	SAME(ibv_dereg_mr(bad_mr), 0);
	for (int i = 0; i < 2; i++) {
		SAME(ibv_destroy_qp(ends[i].qp), 0);
		SAME(ibv_destroy_cq(ends[i].cq), 0);
	}
	SAME(ibv_dereg_mr(good_mr), 0);
	free(good);
}

int main(void)
{
	CHECK(pd = ibv_alloc_pd(open_mroce()));
	for (int i = 0; i < 20; i++)
		gone(i & 1);
	struct pollfd async = { .fd = pd->context->async_fd, .events = POLLIN };
	SAME(poll(&async, 1, 0), 0);
	return ok();
}
