/* The machine's own libibverbs, loaded when a device of its own is touched. Nothing here is linked against it. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "shim.h"

static void *real_library;
static bool looked;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *mroce_real_dlopen(const char *name, int flags)
{
	static void *(*next)(const char *, int);

	if (!next)
		next = (void *(*)(const char *, int))(uintptr_t)dlsym(RTLD_NEXT, "dlopen");
	return next ? next(name, flags) : NULL;
}

void *mroce_real(const char *name, const char *version)
{
	pthread_mutex_lock(&mutex);
	if (!looked) {
		real_library = mroce_real_dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
		looked = true;
	}
	pthread_mutex_unlock(&mutex);
	if (!real_library)
		return NULL;
	return version ? dlvsym(real_library, name, version) : dlsym(real_library, name);
}
