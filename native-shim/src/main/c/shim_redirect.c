/* libc functions that take a path, with /sys/class/infiniband and /sys/class/infiniband_verbs answered from the tree of shim_sysfs.c. One prefix
 * comparison for every other path; no lock, no allocation. Functions that take a mode are forwarded with it only when it was given. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim.h"

#define NEXT(name)                                                                                                       \
	({                                                                                                                   \
		static void *cached;                                                                                             \
		void *found = load_relaxed(&cached);                                                                             \
		if (unlikely(!found)) {                                                                                          \
			found = dlsym(RTLD_NEXT, #name);                                                                             \
			store_relaxed(&cached, found);                                                                               \
		}                                                                                                                \
		(typeof(&name))(uintptr_t) found;                                                                                \
	})
/* `path` inside the tree, or as it is. */
#define MOVED(path) mroce_redirect((path), moved, sizeof(moved))

/* Older entry points of glibc, and those that _FORTIFY_SOURCE calls; they have no prototypes in its headers. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int at, const char *path, int flags);
int __openat64_2(int at, const char *path, int flags);
int __xstat(int version, const char *path, struct stat *st);
int __xstat64(int version, const char *path, struct stat64 *st);
int __lxstat(int version, const char *path, struct stat *st);
int __lxstat64(int version, const char *path, struct stat64 *st);
char *__realpath_chk(const char *path, char *out, size_t size);
ssize_t __readlink_chk(const char *path, char *out, size_t size, size_t room);

static bool wants_mode(int flags)
{
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

/* The mode behind `flags`, the last named argument; 0 when none was given. */
#define GIVEN_MODE(flags)                                                                                                \
	({                                                                                                                   \
		mode_t mode = 0;                                                                                                 \
		if (wants_mode(flags)) {                                                                                         \
			va_list args;                                                                                                \
			va_start(args, flags);                                                                                       \
			mode = va_arg(args, mode_t);                                                                                 \
			va_end(args);                                                                                                \
		}                                                                                                                \
		mode;                                                                                                            \
	})

EXPORT int open(const char *path, int flags, ...)
{
	char moved[PATH_MAX];

	return NEXT(open)(MOVED(path), flags, GIVEN_MODE(flags));
}

EXPORT int open64(const char *path, int flags, ...)
{
	char moved[PATH_MAX];

	return NEXT(open64)(MOVED(path), flags, GIVEN_MODE(flags));
}

EXPORT int openat(int at, const char *path, int flags, ...)
{
	char moved[PATH_MAX];

	return NEXT(openat)(at, MOVED(path), flags, GIVEN_MODE(flags));
}

EXPORT int openat64(int at, const char *path, int flags, ...)
{
	char moved[PATH_MAX];

	return NEXT(openat64)(at, MOVED(path), flags, GIVEN_MODE(flags));
}

EXPORT int __open_2(const char *path, int flags)
{
	char moved[PATH_MAX];

	return NEXT(__open_2)(MOVED(path), flags);
}

EXPORT int __open64_2(const char *path, int flags)
{
	char moved[PATH_MAX];

	return NEXT(__open64_2)(MOVED(path), flags);
}

EXPORT int __openat_2(int at, const char *path, int flags)
{
	char moved[PATH_MAX];

	return NEXT(__openat_2)(at, MOVED(path), flags);
}

EXPORT int __openat64_2(int at, const char *path, int flags)
{
	char moved[PATH_MAX];

	return NEXT(__openat64_2)(at, MOVED(path), flags);
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
	char moved[PATH_MAX];

	return NEXT(fopen)(MOVED(path), mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode)
{
	char moved[PATH_MAX];

	return NEXT(fopen64)(MOVED(path), mode);
}

EXPORT DIR *opendir(const char *path)
{
	char moved[PATH_MAX];

	return NEXT(opendir)(MOVED(path));
}

EXPORT int scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *), int (*order)(const struct dirent **, const struct dirent **))
{
	char moved[PATH_MAX];

	return NEXT(scandir)(MOVED(path), list, filter, order);
}

EXPORT int scandir64(const char *path, struct dirent64 ***list, int (*filter)(const struct dirent64 *), int (*order)(const struct dirent64 **, const struct dirent64 **))
{
	char moved[PATH_MAX];

	return NEXT(scandir64)(MOVED(path), list, filter, order);
}

EXPORT int stat(const char *path, struct stat *st)
{
	char moved[PATH_MAX];

	return NEXT(stat)(MOVED(path), st);
}

EXPORT int stat64(const char *path, struct stat64 *st)
{
	char moved[PATH_MAX];

	return NEXT(stat64)(MOVED(path), st);
}

EXPORT int lstat(const char *path, struct stat *st)
{
	char moved[PATH_MAX];

	return NEXT(lstat)(MOVED(path), st);
}

EXPORT int lstat64(const char *path, struct stat64 *st)
{
	char moved[PATH_MAX];

	return NEXT(lstat64)(MOVED(path), st);
}

EXPORT int fstatat(int at, const char *path, struct stat *st, int flags)
{
	char moved[PATH_MAX];

	return NEXT(fstatat)(at, MOVED(path), st, flags);
}

EXPORT int fstatat64(int at, const char *path, struct stat64 *st, int flags)
{
	char moved[PATH_MAX];

	return NEXT(fstatat64)(at, MOVED(path), st, flags);
}

EXPORT int statx(int at, const char *path, int flags, unsigned int mask, struct statx *st)
{
	char moved[PATH_MAX];

	return NEXT(statx)(at, MOVED(path), flags, mask, st);
}

EXPORT int __xstat(int version, const char *path, struct stat *st)
{
	char moved[PATH_MAX];

	return NEXT(__xstat)(version, MOVED(path), st);
}

EXPORT int __xstat64(int version, const char *path, struct stat64 *st)
{
	char moved[PATH_MAX];

	return NEXT(__xstat64)(version, MOVED(path), st);
}

EXPORT int __lxstat(int version, const char *path, struct stat *st)
{
	char moved[PATH_MAX];

	return NEXT(__lxstat)(version, MOVED(path), st);
}

EXPORT int __lxstat64(int version, const char *path, struct stat64 *st)
{
	char moved[PATH_MAX];

	return NEXT(__lxstat64)(version, MOVED(path), st);
}

EXPORT int access(const char *path, int mode)
{
	char moved[PATH_MAX];

	return NEXT(access)(MOVED(path), mode);
}

EXPORT int faccessat(int at, const char *path, int mode, int flags)
{
	char moved[PATH_MAX];

	return NEXT(faccessat)(at, MOVED(path), mode, flags);
}

EXPORT ssize_t readlink(const char *path, char *out, size_t size)
{
	char moved[PATH_MAX];

	return NEXT(readlink)(MOVED(path), out, size);
}

EXPORT ssize_t readlinkat(int at, const char *path, char *out, size_t size)
{
	char moved[PATH_MAX];

	return NEXT(readlinkat)(at, MOVED(path), out, size);
}

EXPORT ssize_t __readlink_chk(const char *path, char *out, size_t size, size_t room)
{
	char moved[PATH_MAX];

	return NEXT(__readlink_chk)(MOVED(path), out, size, room);
}

EXPORT char *realpath(const char *path, char *out)
{
	char moved[PATH_MAX];

	return NEXT(realpath)(MOVED(path), out);
}

EXPORT char *__realpath_chk(const char *path, char *out, size_t size)
{
	char moved[PATH_MAX];

	return NEXT(__realpath_chk)(MOVED(path), out, size);
}
