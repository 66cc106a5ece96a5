/* A child of a process whose VM runs has no VM threads: it must never enter Java, and the rings are not mapped there (MADV_DONTFORK). Everything
 * that looks at a ring looks at mroce_forked first. A child of a process that only listed or opened devices starts a VM of its own. */
#include "shim.h"

uint32_t mroce_forked;

static void in_child(void)
{
	if (mroce_vm_touched())
		store_relaxed(&mroce_forked, 1);
	mroce_tree_forget();
}

__attribute__((constructor(103))) static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, in_child);
}
