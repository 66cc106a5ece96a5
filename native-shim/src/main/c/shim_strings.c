/* Pure functions of libibverbs, for programs that look every verb up in this library: the real ones where there is a real library, own words else.
 * Also fork support and sysfs reading. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "shim_verbs.h"

#define NAMED(function, version, value, names)                                                                           \
	do {                                                                                                                 \
		typeof(&function) real = REAL_SYMBOL(typeof(&function), #function, version);                                     \
		if (real)                                                                                                        \
			return real(value);                                                                                          \
		return (unsigned)(value) < sizeof(names) / sizeof(names[0]) && names[value] ? names[value] : "unknown";          \
	} while (0)

EXPORT const char *ibv_node_type_str(enum ibv_node_type type)
{
	static const char *const names[] = { [IBV_NODE_CA] = "channel adapter", [IBV_NODE_SWITCH] = "switch", [IBV_NODE_ROUTER] = "router",
		[IBV_NODE_RNIC] = "RNIC", [IBV_NODE_USNIC] = "usNIC", [IBV_NODE_USNIC_UDP] = "usNIC over UDP" };

	NAMED(ibv_node_type_str, "IBVERBS_1.1", type, names);
}

EXPORT const char *ibv_port_state_str(enum ibv_port_state state)
{
	static const char *const names[] = { "no change", "down", "initialised", "armed", "active", "active, deferred" };

	NAMED(ibv_port_state_str, "IBVERBS_1.1", state, names);
}

EXPORT const char *ibv_event_type_str(enum ibv_event_type type)
{
	static const char *const names[] = { "CQ_ERR", "QP_FATAL", "QP_REQ_ERR", "QP_ACCESS_ERR", "COMM_EST", "SQ_DRAINED", "PATH_MIG",
		"PATH_MIG_ERR", "DEVICE_FATAL", "PORT_ACTIVE", "PORT_ERR", "LID_CHANGE", "PKEY_CHANGE", "SM_CHANGE", "SRQ_ERR",
		"SRQ_LIMIT_REACHED", "QP_LAST_WQE_REACHED", "CLIENT_REREGISTER", "GID_CHANGE", "WQ_FATAL" };

	NAMED(ibv_event_type_str, "IBVERBS_1.1", type, names);
}

EXPORT const char *ibv_wc_status_str(enum ibv_wc_status status)
{
	static const char *const names[] = { "SUCCESS", "LOC_LEN_ERR", "LOC_QP_OP_ERR", "LOC_EEC_OP_ERR", "LOC_PROT_ERR", "WR_FLUSH_ERR",
		"MW_BIND_ERR", "BAD_RESP_ERR", "LOC_ACCESS_ERR", "REM_INV_REQ_ERR", "REM_ACCESS_ERR", "REM_OP_ERR", "RETRY_EXC_ERR",
		"RNR_RETRY_EXC_ERR", "LOC_RDD_VIOL_ERR", "REM_INV_RD_REQ_ERR", "REM_ABORT_ERR", "INV_EECN_ERR", "INV_EEC_STATE_ERR", "FATAL_ERR",
		"RESP_TIMEOUT_ERR", "GENERAL_ERR", "TM_ERR", "TM_RNDV_INCOMPLETE" };

	NAMED(ibv_wc_status_str, "IBVERBS_1.1", status, names);
}

/* ---- rates: {enum ibv_rate, multiple of 2.5 Gbit/s (0: none), Mbit/s} ---- */

static const struct { int rate, mult, mbps; } rates[] = {
	{ IBV_RATE_2_5_GBPS, 1, 2500 }, { IBV_RATE_5_GBPS, 2, 5000 }, { IBV_RATE_10_GBPS, 4, 10000 }, { IBV_RATE_20_GBPS, 8, 20000 },
	{ IBV_RATE_30_GBPS, 12, 30000 }, { IBV_RATE_40_GBPS, 16, 40000 }, { IBV_RATE_60_GBPS, 24, 60000 }, { IBV_RATE_80_GBPS, 32, 80000 },
	{ IBV_RATE_120_GBPS, 48, 120000 }, { IBV_RATE_14_GBPS, 6, 14062 }, { IBV_RATE_56_GBPS, 22, 56250 }, { IBV_RATE_112_GBPS, 45, 112500 },
	{ IBV_RATE_168_GBPS, 67, 168750 }, { IBV_RATE_25_GBPS, 10, 25781 }, { IBV_RATE_100_GBPS, 40, 103125 }, { IBV_RATE_200_GBPS, 80, 206250 },
	{ IBV_RATE_300_GBPS, 120, 309375 }, { IBV_RATE_28_GBPS, 11, 28125 }, { IBV_RATE_50_GBPS, 20, 53125 }, { IBV_RATE_400_GBPS, 160, 425000 },
	{ IBV_RATE_600_GBPS, 240, 637500 }, { IBV_RATE_800_GBPS, 320, 850000 }, { IBV_RATE_1200_GBPS, 480, 1275000 },
};
enum { RATES = sizeof(rates) / sizeof(rates[0]) };

EXPORT int ibv_rate_to_mult(enum ibv_rate rate)
{
	for (int i = 0; i < RATES; i++)
		if (rates[i].rate == (int)rate)
			return rates[i].mult;
	return -1;
}

EXPORT enum ibv_rate mult_to_ibv_rate(int mult)
{
	for (int i = 0; i < RATES; i++)
		if (rates[i].mult == mult)
			return (enum ibv_rate)rates[i].rate;
	return IBV_RATE_MAX;
}

EXPORT int ibv_rate_to_mbps(enum ibv_rate rate)
{
	for (int i = 0; i < RATES; i++)
		if (rates[i].rate == (int)rate)
			return rates[i].mbps;
	return -1;
}

EXPORT enum ibv_rate mbps_to_ibv_rate(int mbps)
{
	for (int i = 0; i < RATES; i++)
		if (rates[i].mbps == mbps)
			return (enum ibv_rate)rates[i].rate;
	return IBV_RATE_MAX;
}

/* ---- fork ---- */

/* Our device pins no pages, so copy-on-write cannot harm it; a real device may need the real library to prepare. */
EXPORT int ibv_fork_init(void)
{
	if (!mroce_real_devices())
		return 0;
	typeof(&ibv_fork_init) real = REAL_SYMBOL(typeof(&ibv_fork_init), "ibv_fork_init", "IBVERBS_1.1");

	return real ? real() : 0;
}

EXPORT enum ibv_fork_status ibv_is_fork_initialized(void)
{
	if (!mroce_real_devices())
		return IBV_FORK_UNNEEDED;
	typeof(&ibv_is_fork_initialized) real = REAL_SYMBOL(typeof(&ibv_is_fork_initialized), "ibv_is_fork_initialized", "IBVERBS_1.13");

	return real ? real() : IBV_FORK_UNNEEDED;
}

int ibv_dontfork_range(void *base, size_t size);
int ibv_dofork_range(void *base, size_t size);

EXPORT int ibv_dontfork_range(void *base, size_t size)
{
	FORWARD(!mroce_real_devices(), 0, "IBVERBS_1.1", ibv_dontfork_range, base, size);
	return 0;
}

EXPORT int ibv_dofork_range(void *base, size_t size)
{
	FORWARD(!mroce_real_devices(), 0, "IBVERBS_1.1", ibv_dofork_range, base, size);
	return 0;
}

/* ---- sysfs ---- */

const char *ibv_get_sysfs_path(void);
int ibv_read_sysfs_file(const char *dir, const char *file, char *buf, size_t size);
void ibv_register_driver(const char *name, void *init);

EXPORT const char *ibv_get_sysfs_path(void)
{
	typeof(&ibv_get_sysfs_path) real = REAL_SYMBOL(typeof(&ibv_get_sysfs_path), "ibv_get_sysfs_path", "IBVERBS_1.0");

	return real ? real() : "/sys";
}

/* The file's text without its newline; its length, or -1. */
EXPORT int ibv_read_sysfs_file(const char *dir, const char *file, char *buf, size_t size)
{
	char path[512];

	if (size == 0 || (size_t)snprintf(path, sizeof(path), "%s/%s", dir, file) >= sizeof(path))
		return -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC); /* redirected where it is ours */
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return -1;
	if (n > 0 && buf[n - 1] == '\n')
		buf[--n] = 0;
	else if ((size_t)n < size)
		buf[n] = 0;
	else
		return -1;
	return (int)n;
}

/* Drivers of real devices belong to the real library. */
EXPORT void ibv_register_driver(const char *name, void *init)
{
	typeof(&ibv_register_driver) real = REAL_SYMBOL(typeof(&ibv_register_driver), "ibv_register_driver", "IBVERBS_1.1");

	if (real)
		real(name, init);
}
