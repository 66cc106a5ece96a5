/* At exit: no upcall, for exit may come in the middle of one. The daemon is asked to tell the peers, and gets 20 ms. */
#include <time.h>
#include <unistd.h>

#include "shim.h"

enum { BOUND_NS = 20000000 };

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void tell_peers(void)
{
	int64_t end = now_ns() + BOUND_NS, left;
	uint32_t running = MROCE_RUNNING;

	if (!__atomic_compare_exchange_n(&mroce_ctl->state, &running, MROCE_CLOSING, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return;
	mroce_kick();
	while (load_seq(&mroce_ctl->closed) == 0 && (left = end - now_ns()) > 0)
		mroce_futex_wait(&mroce_ctl->closed, 0, left);
}

__attribute__((destructor)) static void at_exit(void)
{
	if (!load_relaxed(&mroce_forked) && mroce_vm_running()) {
		tell_peers();
		if (mroce_vm_training())
			mroce_helper_finish();
	}
	mroce_tree_remove();
}
