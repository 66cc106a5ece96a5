/* The device: list, open, close and every query. No VM: the answers come from the netdevs. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

/* Providers of real devices read past an ibv_device and compare pointers (is it ours?): zeroes behind it. */
static struct { struct ibv_device device; uint8_t zeroes[4096]; } self;
static uint8_t zero_page[4096]; /* what verbs_context.priv of our contexts points at */
static struct mroce_device_info info;
static bool scanned, present, said;
static struct mroce_context *contexts;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t contexts_mutex = PTHREAD_MUTEX_INITIALIZER;

struct ibv_device *mroce_device(void)
{
	return &self.device;
}

const struct mroce_device_info *mroce_info(void)
{
	return &info;
}

void mroce_contexts_lock(void)
{
	pthread_mutex_lock(&contexts_mutex);
}

void mroce_contexts_unlock(void)
{
	pthread_mutex_unlock(&contexts_mutex);
}

struct mroce_context *mroce_contexts(void)
{
	return contexts;
}

static void copy_text(char *out, size_t size, const char *text)
{
	size_t n = strnlen(text, size - 1);

	memcpy(out, text, n);
	out[n] = 0;
}

static void scan_locked(void)
{
	char why[256];
	struct mroce_device_info fresh;
	int error = mroce_netdev_scan(&fresh, why, sizeof(why));

	scanned = true;
	present = error == 0;
	if (present) {
		info = fresh;
		self.device.node_type = IBV_NODE_CA;
		self.device.transport_type = IBV_TRANSPORT_IB;
		copy_text(self.device.name, sizeof(self.device.name), "mroce0");
		copy_text(self.device.dev_name, sizeof(self.device.dev_name), "uverbs0");
	} else if (!said) {
		said = true;
		mroce_say("no device: %s", why);
	}
}

/* The netdevs are read again at each listing until something uses them. */
static bool scan(bool again)
{
	pthread_mutex_lock(&mutex);
	if (!scanned || (again && !mroce_vm_running() && !contexts))
		scan_locked();
	bool result = present;
	pthread_mutex_unlock(&mutex);
	return result;
}

bool mroce_device_present(void)
{
	return scan(false);
}

void mroce_fill_plane_list(struct mroce_boot *boot)
{
	boot->num_planes = info.num_planes;
	boot->num_gids = (uint32_t)info.num_gids;
	memcpy(boot->planes, info.planes, sizeof(boot->planes));
}

/* ---- list ---- */

/* Whether the kernel has RDMA devices of its own. A bare system call: the libc functions are redirected. */
bool mroce_real_devices(void)
{
	return syscall(SYS_faccessat, AT_FDCWD, "/sys/class/infiniband", F_OK) == 0;
}

EXPORT struct ibv_device **ibv_get_device_list(int *num)
{
	struct ibv_device **real = NULL;
	int num_real = 0, count = 0;
	bool ours = scan(true);
	const char *tree = ours ? mroce_tree() : NULL;

	if (tree) {
		snprintf(self.device.ibdev_path, sizeof(self.device.ibdev_path), "%s/infiniband/%s", tree, self.device.name);
		snprintf(self.device.dev_path, sizeof(self.device.dev_path), "%s/infiniband_verbs/%s", tree, self.device.dev_name);
	}
	if (mroce_real_devices()) {
		typeof(&ibv_get_device_list) get = REAL_SYMBOL(typeof(&ibv_get_device_list), "ibv_get_device_list", "IBVERBS_1.1");

		if (get)
			real = get(&num_real);
	}
	/* One hidden element in front remembers the real library's list. */
	struct ibv_device **list = calloc(num_real + 3, sizeof(*list));

	if (!list) {
		errno = ENOMEM;
		return NULL;
	}
	list[0] = (struct ibv_device *)real;
	if (ours)
		list[1 + count++] = &self.device;
	for (int i = 0; real && i < num_real; i++)
		list[1 + count++] = real[i];
	if (num)
		*num = count;
	return list + 1;
}

EXPORT void ibv_free_device_list(struct ibv_device **list)
{
	if (!list)
		return;
	struct ibv_device **real = (struct ibv_device **)list[-1];

	if (real) {
		typeof(&ibv_free_device_list) release = REAL_SYMBOL(typeof(&ibv_free_device_list), "ibv_free_device_list", "IBVERBS_1.1");

		if (release)
			release(real);
	}
	free(list - 1);
}

EXPORT const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

EXPORT __be64 ibv_get_device_guid(struct ibv_device *device)
{
	FORWARD(mroce_owns_device(device), 0, "IBVERBS_1.1", ibv_get_device_guid, device);
	return info.guid;
}

EXPORT int ibv_get_device_index(struct ibv_device *device)
{
	FORWARD(mroce_owns_device(device), -1, "IBVERBS_1.9", ibv_get_device_index, device);
	return 0x6d30; /* far from the kernel's small numbers */
}

/* ---- open, close ---- */

EXPORT struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	FORWARD(mroce_owns_device(device), mroce_null(ENOSYS), "IBVERBS_1.1", ibv_open_device, device);
	if (load_relaxed(&mroce_forked)) {
		mroce_say("this process was forked from one that used the device already; open it in a program of its own");
		errno = ENODEV;
		return NULL;
	}
	struct mroce_context *ctx = calloc(1, sizeof(*ctx));
	int cmd_fd = eventfd(0, EFD_CLOEXEC);
	int async_fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);

	if (!ctx || cmd_fd < 0 || async_fd < 0) {
		int error = ctx ? errno : ENOMEM;

		free(ctx);
		if (cmd_fd >= 0)
			close(cmd_fd);
		if (async_fd >= 0)
			close(async_fd);
		errno = error;
		return NULL;
	}
	struct ibv_context *ibv = &ctx->vctx.context;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	ctx->ibv = ibv;
	ctx->vctx.sz = sizeof(ctx->vctx);
	ctx->vctx.priv = (struct verbs_ex_private *)zero_page;
	mroce_fill_ops(&ctx->vctx);
	ibv->device = device;
	ibv->cmd_fd = cmd_fd;
	ibv->async_fd = async_fd;
	ibv->num_comp_vectors = cpus > 0 ? (int)cpus : 1;
	ibv->abi_compat = __VERBS_ABI_IS_EXTENDED;
	pthread_mutex_init(&ibv->mutex, NULL);
	mroce_contexts_lock();
	ctx->next = contexts;
	contexts = ctx;
	mroce_contexts_unlock();
	return ibv;
}

EXPORT int ibv_close_device(struct ibv_context *context)
{
	FORWARD(mroce_owns(context), ENOSYS, "IBVERBS_1.1", ibv_close_device, context);
	struct mroce_context *ctx = mroce_ctx(context);

	mroce_contexts_lock();
	for (struct mroce_context **p = &contexts; *p; p = &(*p)->next) {
		if (*p == ctx) {
			*p = ctx->next;
			break;
		}
	}
	mroce_contexts_unlock();
	mroce_async_forget_all(ctx);
	close(context->async_fd);
	close(context->cmd_fd);
	pthread_mutex_destroy(&context->mutex);
	free(ctx);
	return 0;
}

EXPORT struct ibv_context *ibv_import_device(int cmd_fd)
{
	FORWARD(false, mroce_null(EOPNOTSUPP), "IBVERBS_1.10", ibv_import_device, cmd_fd);
}

/* ---- queries ---- */

static void fill_device_attr(struct ibv_device_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	copy_text(attr->fw_ver, sizeof(attr->fw_ver), "0.1.0");
	attr->node_guid = info.guid;
	attr->sys_image_guid = info.guid;
	attr->max_mr_size = ~0ull;
	attr->page_size_cap = 0xfffff000;
	attr->vendor_id = 0x4d5243; /* no registered vendor: perftest and pyverbs special-case those they know */
	attr->vendor_part_id = 1;
	attr->hw_ver = 1;
	attr->max_qp = MROCE_MAX_QP;
	attr->max_qp_wr = MROCE_MAX_QP_WR;
	attr->device_cap_flags = IBV_DEVICE_CURR_QP_STATE_MOD | IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_PORT_ACTIVE_EVENT |
		IBV_DEVICE_SYS_IMAGE_GUID;
	attr->max_sge = MROCE_MAX_SGE;
	attr->max_sge_rd = MROCE_MAX_SGE;
	attr->max_cq = MROCE_MAX_CQ;
	attr->max_cqe = MROCE_MAX_CQE;
	attr->max_mr = MROCE_MAX_MR;
	attr->max_pd = MROCE_MAX_PD;
	attr->max_qp_rd_atom = MROCE_MAX_RD_ATOMIC;
	attr->max_qp_init_rd_atom = MROCE_MAX_RD_ATOMIC;
	attr->max_res_rd_atom = MROCE_MAX_RD_ATOMIC * MROCE_MAX_QP;
	attr->atomic_cap = IBV_ATOMIC_HCA;
	attr->max_pkeys = 1;
	attr->local_ca_ack_delay = 15;
	attr->phys_port_cnt = 1;
}

EXPORT int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	FORWARD(mroce_owns(context), ENOSYS, "IBVERBS_1.1", ibv_query_device, context, attr);
	fill_device_attr(attr);
	return 0;
}

int mroce_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			  struct ibv_device_attr_ex *attr, size_t size)
{
	struct ibv_device_attr_ex full;

	(void)context;
	if (input && input->comp_mask)
		return EINVAL;
	if (size < sizeof(attr->orig_attr))
		return EINVAL;
	memset(&full, 0, sizeof(full));
	fill_device_attr(&full.orig_attr);
	full.completion_timestamp_mask = ~0ull; /* CLOCK_MONOTONIC, nanoseconds */
	full.hca_core_clock = 1000000;          /* kHz */
	full.device_cap_flags_ex = full.orig_attr.device_cap_flags;
	full.phys_port_cnt_ex = 1;
	memset(attr, 0, size);
	memcpy(attr, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}

static void fill_port_attr(struct ibv_port_attr *attr)
{
	pthread_mutex_lock(&mutex);
	mroce_netdev_refresh(&info);
	struct mroce_device_info now = info;
	pthread_mutex_unlock(&mutex);

	memset(attr, 0, sizeof(*attr));
	attr->state = now.running ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
	attr->phys_state = now.running ? 5 : 3; /* LinkUp, Disabled */
	attr->max_mtu = IBV_MTU_4096;
	attr->active_mtu = mroce_ib_mtu(now.planes[0].mtu);
	attr->gid_tbl_len = now.num_gids;
	attr->port_cap_flags = IBV_PORT_IP_BASED_GIDS;
	attr->max_msg_sz = MROCE_MAX_MSG_SIZE;
	attr->pkey_tbl_len = 1;
	attr->max_vl_num = 1;
	uint64_t mbps = 0;
	for (uint32_t i = 0; i < now.num_planes; i++)
		mbps += now.planes[i].speed_mbps;
	mroce_ib_speed(mbps, &attr->active_width, &attr->active_speed);
	attr->link_layer = IBV_LINK_LAYER_ETHERNET;
	attr->flags = IBV_QPF_GRH_REQUIRED;
}

int mroce_query_port_ex(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
	struct ibv_port_attr full;

	(void)context;
	if (port != 1)
		return EINVAL;
	fill_port_attr(&full);
	memset(attr, 0, size);
	memcpy(attr, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}

EXPORT int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	FORWARD(mroce_owns(context), ENOSYS, "IBVERBS_1.1", ibv_query_port, context, port, attr);
	/* Callers of the symbol know the struct up to `flags` only. */
	return mroce_query_port_ex(context, port, (struct ibv_port_attr *)attr, offsetof(struct ibv_port_attr, flags) + 1);
}

EXPORT int ibv_query_port_speed(struct ibv_context *context, uint32_t port, uint64_t *speed)
{
	FORWARD(mroce_owns(context), ENOSYS, "IBVERBS_1.16", ibv_query_port_speed, context, port, speed);
	return EOPNOTSUPP;
}

static int fill_gid_entry(uint32_t port, uint32_t index, struct ibv_gid_entry *entry)
{
	if (port != 1)
		return EINVAL;
	if (index >= (uint32_t)info.num_gids)
		return ENODATA;
	memset(entry, 0, sizeof(*entry));
	entry->gid = info.gids[index];
	entry->gid_index = index;
	entry->port_num = 1;
	entry->gid_type = IBV_GID_TYPE_ROCE_V2;
	entry->ndev_ifindex = info.planes[0].ifindex;
	return 0;
}

EXPORT int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	FORWARD(mroce_owns(context), -1, "IBVERBS_1.1", ibv_query_gid, context, port, index, gid);
	struct ibv_gid_entry entry;

	if (index < 0 || fill_gid_entry(port, index, &entry)) {
		errno = EINVAL;
		return -1;
	}
	*gid = entry.gid;
	return 0;
}

EXPORT int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry, uint32_t flags,
		      size_t size)
{
	FORWARD(mroce_owns(context), ENOSYS, "IBVERBS_1.11", _ibv_query_gid_ex, context, port, index, entry, flags, size);
	struct ibv_gid_entry full;

	if (flags)
		return mroce_error(EOPNOTSUPP);
	int error = fill_gid_entry(port, index, &full);
	if (error)
		return mroce_error(error);
	memset(entry, 0, size);
	memcpy(entry, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}

EXPORT ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max, uint32_t flags, size_t size)
{
	FORWARD(mroce_owns(context), -ENOSYS, "IBVERBS_1.11", _ibv_query_gid_table, context, entries, max, flags, size);
	struct ibv_gid_entry full;
	size_t n = 0;

	if (flags || size == 0)
		return -mroce_error(flags ? EOPNOTSUPP : EINVAL);
	if (max < (size_t)info.num_gids)
		return -mroce_error(EINVAL);
	for (; n < (size_t)info.num_gids; n++) {
		char *out = (char *)entries + n * size;

		fill_gid_entry(1, n, &full);
		memset(out, 0, size);
		memcpy(out, &full, size < sizeof(full) ? size : sizeof(full));
	}
	return n;
}

/* Private to rdma-core, and used by ibv_devinfo and perftest: 0 InfiniBand or RoCE v1, 1 RoCE v2. */
EXPORT int ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned index, int *type)
{
	FORWARD(mroce_owns(context), -1, NULL, ibv_query_gid_type, context, port, index, type);
	if (port != 1 || index >= (unsigned)info.num_gids) {
		errno = EINVAL;
		return -1;
	}
	*type = 1;
	return 0;
}

EXPORT int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey)
{
	FORWARD(mroce_owns(context), -1, "IBVERBS_1.1", ibv_query_pkey, context, port, index, pkey);
	if (port != 1 || index != 0) {
		errno = EINVAL;
		return -1;
	}
	*pkey = 0xffff;
	return 0;
}

EXPORT int ibv_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey)
{
	FORWARD(mroce_owns(context), -1, "IBVERBS_1.5", ibv_get_pkey_index, context, port, pkey);
	if (port == 1 && pkey == 0xffff)
		return 0;
	errno = EINVAL;
	return -1;
}
