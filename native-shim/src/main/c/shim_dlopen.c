/* dlopen("libibverbs.so*") answers this library, so that programs which look verbs up with dlvsym get them here. Every other call goes on as a
 * jump: glibc takes the caller from the return address (RUNPATH, namespaces). The Makefile checks that the compiler made it a jump. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "shim.h"

typedef void *(*dlopen_fn)(const char *, int);
static dlopen_fn next_dlopen;

__attribute__((constructor(101))) static void find_next(void)
{
	next_dlopen = (dlopen_fn)(uintptr_t)dlsym(RTLD_NEXT, "dlopen");
}

static bool is_libibverbs(const char *name)
{
	const char *slash = strrchr(name, '/');

	return strncmp(slash ? slash + 1 : name, "libibverbs.so", 13) == 0;
}

static __attribute__((noinline)) void *open_self(int flags)
{
	if (!next_dlopen)
		find_next();
	return next_dlopen(mroce_library_path(), flags & ~RTLD_DEEPBIND);
}

EXPORT void *dlopen(const char *name, int flags)
{
	if (unlikely(!next_dlopen))
		find_next();
	if (name && unlikely(is_libibverbs(name)))
		return open_self(flags);
	return next_dlopen(name, flags);
}
