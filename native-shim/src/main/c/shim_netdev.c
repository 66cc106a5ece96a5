/* Network devices: what the kernel says about them, by ioctl and getifaddrs. No VM, no cache. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shim.h"

enum ibv_mtu mroce_ib_mtu(uint32_t netdev_mtu)
{
	/* Less GRH 40, UDP 8, BTH 12, XRC 4, AtomicETH 28, ICRC 4: the way every RoCE device of Linux counts. */
	uint32_t payload = netdev_mtu > 96 ? netdev_mtu - 96 : 0;

	if (payload >= 4096)
		return IBV_MTU_4096;
	if (payload >= 2048)
		return IBV_MTU_2048;
	if (payload >= 1024)
		return IBV_MTU_1024;
	return payload >= 512 ? IBV_MTU_512 : IBV_MTU_256;
}

void mroce_ib_speed(uint64_t mbps, uint8_t *width, uint8_t *speed)
{
	/* {up to Mbit/s, width code (1: 1X, 2: 4X), speed code (1 SDR, 8 FDR10, 32 EDR, 64 HDR, 128 NDR)} */
	static const struct { uint64_t mbps; uint8_t width, speed; } table[] = {
		{ 1000, 1, 1 }, { 10000, 1, 8 }, { 20000, 2, 2 }, { 25000, 1, 32 }, { 40000, 2, 8 },
		{ 50000, 1, 64 }, { 100000, 2, 32 }, { 200000, 2, 64 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (mbps <= table[i].mbps) {
			*width = table[i].width;
			*speed = table[i].speed;
			return;
		}
	}
	*width = 2;
	*speed = 128;
}

static void ask(int fd, const char *name, unsigned long what, struct ifreq *req)
{
	memset(req, 0, sizeof(*req));
	memcpy(req->ifr_name, name, strnlen(name, IFNAMSIZ - 1));
	if (ioctl(fd, what, req) < 0)
		memset(&req->ifr_ifru, 0, sizeof(req->ifr_ifru));
}

static uint64_t speed_of(int fd, const char *name)
{
	/* The kernel answers how many words its link mode masks have; a second call gives the speed. */
	struct { struct ethtool_link_settings head; uint32_t masks[3 * 127]; } link = { { .cmd = ETHTOOL_GLINKSETTINGS }, { 0 } };
	struct ifreq req;

	for (int i = 0; i < 2; i++) {
		memset(&req, 0, sizeof(req));
		memcpy(req.ifr_name, name, strnlen(name, IFNAMSIZ - 1));
		req.ifr_data = (void *)&link;
		if (ioctl(fd, SIOCETHTOOL, &req) < 0)
			return 0;
		if (link.head.link_mode_masks_nwords >= 0)
			break;
		link.head.link_mode_masks_nwords = -link.head.link_mode_masks_nwords;
		link.head.cmd = ETHTOOL_GLINKSETTINGS;
	}
	return link.head.speed == (uint32_t)SPEED_UNKNOWN ? 0 : link.head.speed;
}

static void fill_plane(int fd, const char *name, struct mroce_plane *plane, unsigned *flags)
{
	struct ifreq req;

	memset(plane, 0, sizeof(*plane));
	memcpy(plane->ifname, name, strnlen(name, IFNAMSIZ - 1));
	ask(fd, name, SIOCGIFINDEX, &req);
	plane->ifindex = req.ifr_ifindex;
	ask(fd, name, SIOCGIFMTU, &req);
	plane->mtu = req.ifr_mtu;
	ask(fd, name, SIOCGIFHWADDR, &req);
	memcpy(plane->mac, req.ifr_hwaddr.sa_data, 6);
	ask(fd, name, SIOCGIFFLAGS, &req);
	*flags = (unsigned short)req.ifr_flags;
	plane->speed_mbps = speed_of(fd, name);
}

static void mapped(uint8_t out[16], uint32_t ipv4)
{
	memset(out, 0, 10);
	out[10] = out[11] = 0xff;
	memcpy(out + 12, &ipv4, 4);
}

static bool global_ipv4(const struct ifaddrs *a)
{
	if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET)
		return false;
	uint32_t ip = ntohl(((struct sockaddr_in *)a->ifa_addr)->sin_addr.s_addr);

	return ip >> 24 != 127 && ip >> 16 != 0xa9fe; /* neither loopback nor link-local */
}

/* The lowest-ifindex UP netdev with a global IPv4 address, else lo. */
static void default_name(struct ifaddrs *all, char name[IFNAMSIZ])
{
	unsigned best = ~0u;

	strcpy(name, "lo");
	for (struct ifaddrs *a = all; a; a = a->ifa_next) {
		if (!(a->ifa_flags & IFF_UP) || (a->ifa_flags & IFF_LOOPBACK) || !global_ipv4(a))
			continue;
		unsigned index = if_nametoindex(a->ifa_name);

		if (index && index < best) {
			best = index;
			memset(name, 0, IFNAMSIZ);
			memcpy(name, a->ifa_name, strnlen(a->ifa_name, IFNAMSIZ - 1));
			char *colon = strchr(name, ':'); /* an alias label */
			if (colon)
				*colon = 0;
		}
	}
}

static bool same_netdev(const struct ifaddrs *a, const char *name)
{
	size_t n = strlen(name);

	return strncmp(a->ifa_name, name, n) == 0 && (a->ifa_name[n] == 0 || a->ifa_name[n] == ':');
}

/* The plane's address: the first IPv4, else the first global IPv6, else the link-local one. */
static bool find_address(struct ifaddrs *all, struct mroce_plane *plane)
{
	int found = 0;

	for (struct ifaddrs *a = all; a; a = a->ifa_next) {
		if (!a->ifa_addr || !same_netdev(a, plane->ifname))
			continue;
		if (a->ifa_addr->sa_family == AF_INET) {
			mapped(plane->addr, ((struct sockaddr_in *)a->ifa_addr)->sin_addr.s_addr);
			return true;
		}
		if (a->ifa_addr->sa_family == AF_INET6) {
			const struct in6_addr *ip = &((struct sockaddr_in6 *)a->ifa_addr)->sin6_addr;
			int rank = IN6_IS_ADDR_LINKLOCAL(ip) ? 1 : 2;

			if (rank > found) {
				memcpy(plane->addr, ip, 16);
				found = rank;
			}
		}
	}
	return found > 0;
}

static void add_gid(struct mroce_device_info *info, const uint8_t addr[16])
{
	for (int i = 0; i < info->num_gids; i++)
		if (memcmp(info->gids[i].raw, addr, 16) == 0)
			return;
	if (info->num_gids + 2 <= (int)(sizeof(info->gids) / sizeof(info->gids[0]))) {
		memcpy(info->gids[info->num_gids++].raw, addr, 16);
		memcpy(info->gids[info->num_gids++].raw, addr, 16);
	}
}

static void find_gids(struct ifaddrs *all, struct mroce_device_info *info)
{
	uint8_t addr[16];

	add_gid(info, info->planes[0].addr);
	for (int pass = 0; pass < 3; pass++) { /* IPv4, global IPv6, link-local */
		for (struct ifaddrs *a = all; a; a = a->ifa_next) {
			if (!a->ifa_addr || !same_netdev(a, info->planes[0].ifname))
				continue;
			if (a->ifa_addr->sa_family == AF_INET && pass == 0) {
				mapped(addr, ((struct sockaddr_in *)a->ifa_addr)->sin_addr.s_addr);
				add_gid(info, addr);
			} else if (a->ifa_addr->sa_family == AF_INET6) {
				const struct in6_addr *ip = &((struct sockaddr_in6 *)a->ifa_addr)->sin6_addr;

				if ((IN6_IS_ADDR_LINKLOCAL(ip) ? 2 : 1) == pass)
					add_gid(info, ip->s6_addr);
			}
		}
	}
}

/* EUI-64 of the MAC; a netdev without one (lo) gets a locally administered number made of its address. */
static __be64 guid_of(const struct mroce_plane *plane)
{
	static const uint8_t none[6];
	uint8_t b[8];
	uint64_t guid;

	if (memcmp(plane->mac, none, 6) == 0) {
		const uint8_t local[8] = { 0x02, plane->addr[12], plane->addr[13], 0xff, 0xfe, 0, plane->addr[14], plane->addr[15] };
		memcpy(b, local, 8);
	} else {
		const uint8_t eui[8] = { plane->mac[0] ^ 2, plane->mac[1], plane->mac[2], 0xff, 0xfe, plane->mac[3], plane->mac[4], plane->mac[5] };
		memcpy(b, eui, 8);
	}
	memcpy(&guid, b, 8);
	return (__be64)guid;
}

static int scan_names(char *names, struct ifaddrs *all, int fd, struct mroce_device_info *info, char *why, size_t why_size)
{
	char *save = NULL;

	for (char *name = strtok_r(names, ", ", &save); name; name = strtok_r(NULL, ", ", &save)) {
		unsigned flags;

		if (strlen(name) >= IFNAMSIZ || if_nametoindex(name) == 0) {
			snprintf(why, why_size, "METAROCE_IFACE names \"%s\", and there is no such network device here (see: ip link)", name);
			return ENODEV;
		}
		if (info->num_planes == MROCE_MAX_PLANES) {
			snprintf(why, why_size, "METAROCE_IFACE names more than %d network devices", MROCE_MAX_PLANES);
			return EINVAL;
		}
		struct mroce_plane *plane = &info->planes[info->num_planes];

		fill_plane(fd, name, plane, &flags);
		if (!find_address(all, plane)) {
			snprintf(why, why_size, "network device \"%s\" has no IP address (see: ip addr)", name);
			return EADDRNOTAVAIL;
		}
		if (info->num_planes++ == 0)
			info->running = (flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING);
	}
	if (info->num_planes == 0) {
		snprintf(why, why_size, "METAROCE_IFACE is empty");
		return ENODEV;
	}
	return 0;
}

int mroce_netdev_scan(struct mroce_device_info *info, char *why, size_t why_size)
{
	const char *wanted = getenv("METAROCE_IFACE");
	char names[256] = "";
	struct ifaddrs *all = NULL;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memset(info, 0, sizeof(*info));
	if (fd < 0 || getifaddrs(&all) < 0) {
		int error = errno;

		snprintf(why, why_size, "cannot read the network devices: %s", strerror(error));
		if (fd >= 0)
			close(fd);
		return error;
	}
	if (wanted && *wanted)
		memcpy(names, wanted, strnlen(wanted, sizeof(names) - 1));
	else
		default_name(all, names);
	int error = scan_names(names, all, fd, info, why, why_size);
	if (!error) {
		find_gids(all, info);
		info->guid = guid_of(&info->planes[0]);
	}
	freeifaddrs(all);
	close(fd);
	return error;
}

void mroce_netdev_refresh(struct mroce_device_info *info)
{
	struct mroce_plane now;
	unsigned flags;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	fill_plane(fd, info->planes[0].ifname, &now, &flags);
	if (now.ifindex) {
		info->planes[0].mtu = now.mtu;
		info->planes[0].speed_mbps = now.speed_mbps;
	}
	info->running = now.ifindex && (flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING);
	close(fd);
}
