/* Verbs from threads with small stacks, from deep in a stack, and from a makecontext stack: the VM would end the process on each. */
#include "test.h"

#include <limits.h>
#include <sys/mman.h>
#include <ucontext.h>

static struct end ends[2];
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static char *buf;

static void round_trip(void)
{
	struct ibv_cq *cq = ibv_create_cq(pd->context, 10, NULL, NULL, 0); /* a command as well */

	CHECK(cq);
	SAME(ibv_destroy_cq(cq), 0);
	for (int i = 0; i < 50; i++) {
		SAME(post_recv(ends[1].qp, 7, buf, 100, mr->lkey), 0);
		SAME(post_send(ends[0].qp, 8, buf + 200, 100, mr->lkey), 0);
		SAME(wait_wc(ends[0].cq).status, IBV_WC_SUCCESS);
		SAME(wait_wc(ends[1].cq).status, IBV_WC_SUCCESS);
	}
}

static void *body(void *arg)
{
	size_t eat = (size_t)arg;
	volatile char *waste = eat ? __builtin_alloca(eat) : NULL;

	if (waste)
		for (size_t i = 0; i < eat; i += 1024)
			waste[i] = 1;
	round_trip();
	return NULL;
}

static void in_thread(size_t stack, size_t eat)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	SAME(pthread_attr_setstacksize(&attr, stack), 0);
	SAME(pthread_create(&thread, &attr, body, (void *)eat), 0);
	pthread_join(thread, NULL);
}

static ucontext_t here, there;

static void on_context(void)
{
	round_trip();
	swapcontext(&there, &here);
}

int main(void)
{
	CHECK(pd = ibv_alloc_pd(open_mroce()));
	make_pair(pd, ends, 16);
	CHECK(buf = calloc(1, 4096));
	CHECK(mr = ibv_reg_mr(pd, buf, 4096, IBV_ACCESS_LOCAL_WRITE));
	round_trip();
	in_thread(64 << 10, 0);
	in_thread(96 << 10, 0);
	in_thread(128 << 10, 0);
	in_thread(256 << 10, 0);
	in_thread(256 << 10, 150 << 10);
	in_thread(1 << 20, 0);
	in_thread(1 << 20, 900 << 10);
	body((void *)(size_t)(7 << 20)); /* the main thread, deep down */
	size_t size = 4 << 20;
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	SAME(getcontext(&there), 0);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = size;
	there.uc_link = &here;
	makecontext(&there, on_context, 0);
	SAME(swapcontext(&here, &there), 0);
	round_trip();
	return ok();
}
