/* Ends in the middle of things; argv[1] is how. Seven threads are posting and polling at that moment. */
#include "test.h"

#include <signal.h>

static struct ibv_pd *pd;
static uint32_t rounds;

static void *worker(void *unused)
{
	struct end ends[2];
	char *buf = calloc(1, 4096);
	struct ibv_mr *mr = ibv_reg_mr(pd, buf, 4096, IBV_ACCESS_LOCAL_WRITE);

	(void)unused;
	make_pair(pd, ends, 16);
	for (;;) {
		SAME(post_recv(ends[1].qp, 7, buf, 100, mr->lkey), 0);
		SAME(post_send(ends[0].qp, 8, buf + 200, 100, mr->lkey), 0);
		struct ibv_wc wc;
		while (ibv_poll_cq(ends[1].cq, 1, &wc) == 0)
			;
		while (ibv_poll_cq(ends[0].cq, 1, &wc) == 0)
			;
		__atomic_fetch_add(&rounds, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void *exiter(void *arg)
{
	exit((int)(intptr_t)arg);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	SAME(argc, 2);
	CHECK(pd = ibv_alloc_pd(open_mroce()));
	for (int i = 0; i < 7; i++)
		SAME(pthread_create(&thread, NULL, worker, NULL), 0);
	while (__atomic_load_n(&rounds, __ATOMIC_SEQ_CST) < 2000)
		usleep(1000);
	if (strcmp(argv[1], "return") == 0)
		return 41;
	if (strcmp(argv[1], "exit") == 0)
		exit(42);
	if (strcmp(argv[1], "_exit") == 0)
		_exit(43);
	if (strcmp(argv[1], "thread") == 0) {
		pthread_create(&thread, NULL, exiter, (void *)44);
		pthread_join(thread, NULL);
	}
	if (strcmp(argv[1], "abort") == 0)
		abort();
	if (strcmp(argv[1], "kill") == 0)
		kill(getpid(), SIGKILL);
	return 2;
}
