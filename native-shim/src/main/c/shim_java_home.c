/* Finds a Java VM (22 or newer), the jars beside the library, and the AOT cache made for exactly these. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim_jvm.h"

enum { OLDEST_JAVA = 22 };
static char library_path[PATH_MAX], library_dir[PATH_MAX];

__attribute__((constructor(102))) static void find_library(void)
{
	Dl_info self;

	if (!dladdr((void *)(uintptr_t)find_library, &self) || !realpath(self.dli_fname, library_path))
		return;
	strcpy(library_dir, library_path);
	char *slash = strrchr(library_dir, '/');
	if (slash)
		*slash = 0;
}

const char *mroce_library_path(void)
{
	return library_path;
}

const char *mroce_library_dir(void)
{
	return library_dir;
}

static ssize_t read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = 0;
	return n;
}

/* The feature number of a JDK (25 for 25.0.1), 0 when it is none or has no libjvm.so. */
static int version_of(const char *home)
{
	char path[PATH_MAX], text[4096];

	snprintf(path, sizeof(path), "%s/lib/server/libjvm.so", home);
	if (access(path, R_OK) != 0)
		return 0;
	snprintf(path, sizeof(path), "%s/release", home);
	if (read_file(path, text, sizeof(text)) <= 0)
		return 0;
	const char *version = strstr(text, "JAVA_VERSION=\"");
	return version ? atoi(version + 14) : 0;
}

static void newest_of(const char *dir, char *best, size_t size, int *best_version)
{
	DIR *list = opendir(dir);
	char home[2048];

	if (!list)
		return;
	for (struct dirent *e; (e = readdir(list));) {
		if (e->d_name[0] == '.' || (size_t)snprintf(home, sizeof(home), "%s/%s", dir, e->d_name) >= sizeof(home))
			continue;
		int version = version_of(home);

		if (version > *best_version) {
			*best_version = version;
			snprintf(best, size, "%s", home);
		}
	}
	closedir(list);
}

static int find_home(char *home, size_t size, char *why, size_t why_size)
{
	const char *own = getenv("METAROCE_JAVA_HOME"), *general = getenv("JAVA_HOME");
	int best = 0;

	if (own && *own) {
		int version = version_of(own);

		if (version >= OLDEST_JAVA && strlen(own) < size) {
			snprintf(home, size, "%s", own);
			return 0;
		}
		if (version)
			snprintf(why, why_size, "METAROCE_JAVA_HOME=%s is Java %d, and %d or newer is needed", own, version, OLDEST_JAVA);
		else
			snprintf(why, why_size, "METAROCE_JAVA_HOME=%s holds no Java VM (lib/server/libjvm.so)", own);
		return ENODEV;
	}
	if (general && *general && strlen(general) < size && version_of(general) >= OLDEST_JAVA) {
		snprintf(home, size, "%s", general);
		return 0;
	}
	newest_of("/usr/lib/jvm", home, size, &best);
	if (best >= OLDEST_JAVA)
		return 0;
	if (best)
		snprintf(why, why_size, "Java %d or newer is needed, and the newest found is %d (%s); set METAROCE_JAVA_HOME", OLDEST_JAVA, best,
			 home);
	else
		snprintf(why, why_size, "no Java VM found; install JDK %d or newer and set METAROCE_JAVA_HOME", OLDEST_JAVA);
	return ENODEV;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_jar(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 4 && strcmp(e->d_name + n - 4, ".jar") == 0;
}

/* The class path, and a key that changes whenever a jar or the VM does. */
static int find_jars(struct mroce_java *java, char *key, size_t key_size, char *why, size_t why_size)
{
	char dir[PATH_MAX + 8];
	struct dirent **list;
	size_t used = 0, keyed = 0;
	struct stat st;

	snprintf(dir, sizeof(dir), "%s/lib", library_dir);
	int n = scandir(dir, &list, is_jar, by_name);
	java->class_path[0] = key[0] = 0;
	for (int i = 0; i < n; i++) {
		char path[2 * PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name);
		free(list[i]);
		if (stat(path, &st) < 0 || used + strlen(path) + 2 > sizeof(java->class_path))
			continue;
		used += snprintf(java->class_path + used, sizeof(java->class_path) - used, "%s%s", used ? ":" : "", path);
		if (keyed < key_size)
			keyed += snprintf(key + keyed, key_size - keyed, "%s %lld %lld.%09ld\n", path, (long long)st.st_size,
					  (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	}
	if (n >= 0)
		free(list);
	if (used == 0) {
		snprintf(why, why_size, "there are no jars in %s (build them, or keep lib/ beside the library)", dir);
		return ENODEV;
	}
	if (stat(java->libjvm, &st) == 0 && keyed < key_size)
		snprintf(key + keyed, key_size - keyed, "%s %lld %lld\n", java->libjvm, (long long)st.st_size, (long long)st.st_mtim.tv_sec);
	return 0;
}

/* A cache that is missing or made for other jars would cost more than none: the VM drops class sharing. So it is looked at first. */
static void find_cache(struct mroce_java *java, const char *key)
{
	static char kept[16384];
	char path[PATH_MAX + 32];
	const char *train = getenv("METAROCE_AOT_TRAIN");

	java->aot_cache[0] = 0;
	if (train && *train) {
		snprintf(path, sizeof(path), "%s.key", train);
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

		if (fd >= 0) {
			if (write(fd, key, strlen(key)) < 0)
				unlink(path);
			close(fd);
		}
		return;
	}
	snprintf(path, sizeof(path), "%s/lib/mroce.aot.key", library_dir);
	if (read_file(path, kept, sizeof(kept)) <= 0 || strcmp(kept, key) != 0)
		return;
	snprintf(path, sizeof(path), "%s/lib/mroce.aot", library_dir);
	if (access(path, R_OK) == 0)
		snprintf(java->aot_cache, sizeof(java->aot_cache), "%s", path);
}

int mroce_find_java(struct mroce_java *java, char *why, size_t why_size)
{
	static char key[16384];

	memset(java, 0, sizeof(*java));
	int error = find_home(java->home, sizeof(java->home), why, why_size);
	if (error)
		return error;
	snprintf(java->libjvm, sizeof(java->libjvm), "%s/lib/server/libjvm.so", java->home);
	error = find_jars(java, key, sizeof(key), why, why_size);
	if (error)
		return error;
	find_cache(java, key);
	return 0;
}
