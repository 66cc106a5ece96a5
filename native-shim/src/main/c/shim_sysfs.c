/* The sysfs tree that programs read behind libibverbs' back: made in a temporary directory of this process, removed at exit. A process that was
 * killed leaves its tree; every later start removes trees whose lock nobody holds.
 *
 *   mroce-sys-<pid>-XXXXXX/lock                    flock held while the process (or a child of it) lives
 *                     /infiniband/mroce0/...    and a symbolic link for each real device
 *                     /infiniband_verbs/uverbs0/...
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "shim.h"

static char root[256];
static const char *made;        /* points at root once the tree stands */
static int lock_fd = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static const char *temp_dir(void)
{
	const char *dir = secure_getenv("TMPDIR");

	if (dir && *dir == '/' && strlen(dir) < 160)
		return dir;
	/* Memory, where there is some: fifty small files cost 1 ms there and 9 ms on a disk. */
	return access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
}

/* Removes a tree. Links are not followed; nothing outside `path` is touched. */
static void remove_tree(int at, const char *path)
{
	int fd = syscall(SYS_openat, at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (struct dirent *e; (e = readdir(dir));) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (e->d_type == DT_DIR)
			remove_tree(fd, e->d_name);
		else
			unlinkat(fd, e->d_name, 0);
	}
	closedir(dir);
	unlinkat(at, path, AT_REMOVEDIR);
}

/* True when the process that made the tree is gone. */
static bool is_dead(int tmp, const char *name)
{
	char path[300];
	struct stat st;

	if (fstatat(tmp, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return false;
	snprintf(path, sizeof(path), "%s/lock", name);
	int fd = openat(tmp, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0) /* made this moment, or left half made */
		return st.st_mtime + 60 < time(NULL);
	bool dead = flock(fd, LOCK_EX | LOCK_NB) == 0;
	close(fd);
	return dead;
}

static void sweep(void)
{
	int tmp = open(temp_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = tmp < 0 ? NULL : fdopendir(tmp);

	if (!dir) {
		if (tmp >= 0)
			close(tmp);
		return;
	}
	for (struct dirent *e; (e = readdir(dir));)
		if (strncmp(e->d_name, "mroce-sys-", 10) == 0 && is_dead(tmp, e->d_name))
			remove_tree(tmp, e->d_name);
	closedir(dir);
}

static void put(int at, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void put(int at, const char *path, const char *format, ...)
{
	char text[256];
	va_list args;
	int fd = openat(at, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		return;
	va_start(args, format);
	int n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (write(fd, text, n) < 0)
		mroce_say("cannot write %s", path);
	close(fd);
}

static void put_port(int at, const struct mroce_device_info *info)
{
	static const char *const dirs[] = { "ports", "ports/1", "ports/1/pkeys", "ports/1/gids", "ports/1/gid_attrs",
		"ports/1/gid_attrs/types", "ports/1/gid_attrs/ndevs", "ports/1/counters", "ports/1/hw_counters" };
	char path[64];
	uint64_t mbps = info->planes[0].speed_mbps;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		mkdirat(at, dirs[i], 0700);
	put(at, "ports/1/state", "%s\n", info->running ? "4: ACTIVE" : "1: DOWN");
	put(at, "ports/1/phys_state", "%s\n", info->running ? "5: LinkUp" : "3: Disabled");
	put(at, "ports/1/link_layer", "Ethernet\n");
	put(at, "ports/1/rate", "%llu Gb/sec\n", (unsigned long long)(mbps + 999) / 1000);
	put(at, "ports/1/lid", "0x0\n");
	put(at, "ports/1/sm_lid", "0x0\n");
	put(at, "ports/1/cap_mask", "0x%08x\n", IBV_PORT_IP_BASED_GIDS);
	put(at, "ports/1/pkeys/0", "0xffff\n");
	for (int i = 0; i < info->num_gids; i++) {
		const uint8_t *g = info->gids[i].raw;

		snprintf(path, sizeof(path), "ports/1/gids/%d", i);
		put(at, path, "%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x:%02x%02x\n", g[0], g[1], g[2], g[3], g[4],
		    g[5], g[6], g[7], g[8], g[9], g[10], g[11], g[12], g[13], g[14], g[15]);
		snprintf(path, sizeof(path), "ports/1/gid_attrs/types/%d", i);
		put(at, path, "RoCE v2\n");
		snprintf(path, sizeof(path), "ports/1/gid_attrs/ndevs/%d", i);
		put(at, path, "%s\n", info->planes[0].ifname);
	}
}

static void put_device(int at, const struct mroce_device_info *info)
{
	const uint8_t *g = (const uint8_t *)&info->guid;
	char target[64];

	for (int i = 0; i < 2; i++)
		put(at, i ? "sys_image_guid" : "node_guid", "%02x%02x:%02x%02x:%02x%02x:%02x%02x\n", g[0], g[1], g[2], g[3], g[4], g[5],
		    g[6], g[7]);
	put(at, "node_type", "1: CA\n");
	put(at, "node_desc", "MetaRoCE on %s\n", info->planes[0].ifname);
	put(at, "fw_ver", "0.1.0\n");
	put(at, "hca_type", "MetaRoCE\n");
	put(at, "board_id", "MetaRoCE\n");
	/* The netdev's own parent device where it has one (a veth has none). */
	snprintf(target, sizeof(target), "/sys/class/net/%s/device", info->planes[0].ifname);
	if (syscall(SYS_faccessat, AT_FDCWD, target, F_OK) == 0) {
		if (symlinkat(target, at, "device") < 0)
			return;
	} else {
		char name[64];

		mkdirat(at, "device", 0700);
		mkdirat(at, "device/net", 0700);
		snprintf(name, sizeof(name), "device/net/%s", info->planes[0].ifname);
		snprintf(target, sizeof(target), "/sys/class/net/%s", info->planes[0].ifname);
		if (symlinkat(target, at, name) < 0)
			return;
		put(at, "device/numa_node", "-1\n");
		put(at, "device/vendor", "0x4d52\n");
		put(at, "device/device", "0x0001\n");
	}
	put_port(at, info);
}

static void link_real(int at, const char *dir)
{
	char target[320], name[300];
	int fd = syscall(SYS_openat, AT_FDCWD, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *real = fd < 0 ? NULL : fdopendir(fd);

	if (!real)
		return;
	for (struct dirent *e; (e = readdir(real));) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(target, sizeof(target), "%s/%s", dir, e->d_name);
		snprintf(name, sizeof(name), "%s/%s", strrchr(dir, '/') + 1, e->d_name);
		if (symlinkat(target, at, name) < 0)
			continue;
	}
	closedir(real);
}

static bool make(const struct mroce_device_info *info)
{
	snprintf(root, sizeof(root), "%s/mroce-sys-%d-XXXXXX", temp_dir(), (int)getpid());
	if (!mkdtemp(root)) {
		mroce_say("cannot make a directory in %s (TMPDIR): %s", temp_dir(), strerror(errno));
		return false;
	}
	int at = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (at < 0)
		return false;
	/* The lock appears under its name only when it is held, or a sweeper could take the tree for a dead one. */
	lock_fd = openat(at, "lock.new", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (lock_fd < 0 || flock(lock_fd, LOCK_EX | LOCK_NB) < 0 || renameat(at, "lock.new", at, "lock") < 0)
		mroce_say("cannot lock %s: %s", root, strerror(errno));
	mkdirat(at, "infiniband", 0700);
	mkdirat(at, "infiniband/mroce0", 0700);
	mkdirat(at, "infiniband_verbs", 0700);
	mkdirat(at, "infiniband_verbs/uverbs0", 0700);
	put(at, "infiniband_verbs/abi_version", "6\n");
	put(at, "infiniband_verbs/uverbs0/ibdev", "mroce0\n");
	put(at, "infiniband_verbs/uverbs0/abi_version", "1\n");
	int device = openat(at, "infiniband/mroce0", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (device >= 0) {
		put_device(device, info);
		close(device);
	}
	link_real(at, "/sys/class/infiniband");
	link_real(at, "/sys/class/infiniband_verbs");
	close(at);
	return true;
}

const char *mroce_tree_if_made(void)
{
	return load_acquire(&made);
}

const char *mroce_tree(void)
{
	const char *tree = load_acquire(&made);

	if (tree || !mroce_device_present())
		return tree;
	int saved = errno;
	pthread_mutex_lock(&mutex);
	if (!made) {
		sweep();
		if (make(mroce_info()))
			store_release(&made, (const char *)root);
	}
	tree = made;
	pthread_mutex_unlock(&mutex);
	errno = saved;
	return tree;
}

void mroce_tree_remove(void)
{
	if (!made)
		return;
	store_release(&made, (const char *)NULL);
	remove_tree(AT_FDCWD, root);
	close(lock_fd);
	lock_fd = -1;
}

void mroce_tree_forget(void)
{
	store_release(&made, (const char *)NULL);
}

const char *mroce_redirect(const char *path, char *buffer, size_t size)
{
	static const char prefix[] = "/sys/class/infiniband";

	if (likely(!path || path[0] != '/' || path[1] != 's' || strncmp(path, prefix, sizeof(prefix) - 1) != 0))
		return path;
	const char *rest = path + sizeof(prefix) - 1;

	if (*rest != 0 && *rest != '/' && strncmp(rest, "_verbs", 6) != 0)
		return path;
	const char *tree = mroce_tree();

	if (!tree || (size_t)snprintf(buffer, size, "%s/infiniband%s", tree, rest) >= size)
		return path;
	return buffer;
}
