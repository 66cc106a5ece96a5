/* What can be asked without a VM, compared with what the kernel says of the netdev named in argv[1]. */
#include "test.h"

#include <dirent.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

static int libjvm_is_loaded(void)
{
	char line[4096];
	int found = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	CHECK(maps);
	while (fgets(line, sizeof(line), maps))
		found |= strstr(line, "libjvm.so") != NULL;
	fclose(maps);
	return found;
}

static void read_text(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "r");

	CHECK(f);
	CHECK(fgets(text, (int)size, f));
	text[strcspn(text, "\n")] = 0;
	fclose(f);
}

static void sysfs(struct ibv_context *context, const char *ifname)
{
	char text[256], expected[64];
	union ibv_gid gid;
	struct stat st;
	const char *base = "/sys/class/infiniband/mroce0";
	char path[512];

	SAME(stat(base, &st), 0);
	snprintf(path, sizeof(path), "%s/ports/1/gid_attrs/ndevs/0", base);
	read_text(path, text, sizeof(text));
	SAME(strcmp(text, ifname), 0);
	snprintf(path, sizeof(path), "%s/ports/1/gid_attrs/types/0", base);
	read_text(path, text, sizeof(text));
	SAME(strcmp(text, "RoCE v2"), 0);
	SAME(ibv_query_gid(context, 1, 0, &gid), 0);
	snprintf(expected, sizeof(expected), "0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x", gid.raw[12], gid.raw[13], gid.raw[14], gid.raw[15]);
	snprintf(path, sizeof(path), "%s/ports/1/gids/0", base);
	read_text(path, text, sizeof(text));
	SAME(strcmp(text, expected), 0);
	snprintf(path, sizeof(path), "%s/ports/1/gids/0", context->device->ibdev_path); /* by its real name as well */
	read_text(path, text, sizeof(text));
	SAME(strcmp(text, expected), 0);
	DIR *dir = opendir("/sys/class/infiniband");
	int seen = 0;
	CHECK(dir);
	for (struct dirent *e; (e = readdir(dir));)
		seen += strcmp(e->d_name, "mroce0") == 0;
	closedir(dir);
	SAME(seen, 1);
}

int main(int argc, char **argv)
{
	struct ibv_device_attr attr;
	struct ibv_device_attr_ex ex;
	struct ibv_port_attr port;
	struct ibv_gid_entry entry, table[64];
	union ibv_gid gid;
	struct ifreq req = { 0 };
	__be16 pkey;

	SAME(argc, 2);
	struct ibv_context *context = open_mroce();
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	strncpy(req.ifr_name, argv[1], IFNAMSIZ - 1);
	SAME(ioctl(fd, SIOCGIFMTU, &req), 0);
	int mtu = req.ifr_mtu;
	SAME(ioctl(fd, SIOCGIFADDR, &req), 0);
	uint32_t ip = ((struct sockaddr_in *)&req.ifr_addr)->sin_addr.s_addr;

	SAME(ibv_query_device(context, &attr), 0);
	SAME(attr.phys_port_cnt, 1);
	SAME(attr.max_srq, 0);
	SAME(attr.max_ah, 0);
	SAME(attr.max_mw, 0);
	CHECK(attr.node_guid != 0 && attr.node_guid == ibv_get_device_guid(context->device));
	SAME(ioctl(fd, SIOCGIFHWADDR, &req), 0);
	if (req.ifr_hwaddr.sa_data[5] || req.ifr_hwaddr.sa_data[4]) {
		const uint8_t *m = (uint8_t *)req.ifr_hwaddr.sa_data, *g = (uint8_t *)&attr.node_guid;
		const uint8_t eui[8] = { m[0] ^ 2, m[1], m[2], 0xff, 0xfe, m[3], m[4], m[5] };

		SAME(memcmp(g, eui, 8), 0);
	}
	SAME(ibv_query_device_ex(context, NULL, &ex), 0);
	SAME(memcmp(&ex.orig_attr, &attr, sizeof(attr)), 0);
	struct ibv_query_device_ex_input input = { .comp_mask = 1 };
	SAME(ibv_query_device_ex(context, &input, &ex), EINVAL);

	SAME(ibv_query_port(context, 1, &port), 0);
	SAME(port.state, IBV_PORT_ACTIVE);
	SAME(port.link_layer, IBV_LINK_LAYER_ETHERNET);
	int payload = mtu - 96, largest = payload >= 4096 ? 5 : payload >= 2048 ? 4 : payload >= 1024 ? 3 : payload >= 512 ? 2 : 1;
	SAME(port.active_mtu, largest);
	SAME(ibv_query_port(context, 0, &port), EINVAL);
	SAME(ibv_query_port(context, 2, &port), EINVAL);

	CHECK(port.gid_tbl_len >= 2 || ibv_query_port(context, 1, &port) == 0);
	SAME(ibv_query_gid(context, 1, 0, &gid), 0);
	static const uint8_t mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
	SAME(memcmp(gid.raw, mapped, 12), 0);
	SAME(memcmp(gid.raw + 12, &ip, 4), 0);
	SAME(ibv_query_gid_ex(context, 1, 1, &entry, 0), 0); /* the same address speaks RoCEv2 */
	SAME(memcmp(entry.gid.raw, gid.raw, 16), 0);
	SAME(entry.gid_type, IBV_GID_TYPE_ROCE_V2);
	SAME(entry.ndev_ifindex, if_nametoindex(argv[1]));
	SAME(ibv_query_gid_table(context, table, 64, 0), port.gid_tbl_len);
	SAME(ibv_query_gid_ex(context, 1, (uint32_t)port.gid_tbl_len, &entry, 0), ENODATA);
	SAME(ibv_query_gid(context, 1, port.gid_tbl_len, &gid), -1);
	SAME(ibv_query_gid(context, 2, 0, &gid), -1);
	SAME(ibv_query_pkey(context, 1, 0, &pkey), 0);
	SAME(pkey, 0xffff);
	SAME(ibv_query_pkey(context, 1, 1, &pkey), -1);
	SAME(ibv_get_pkey_index(context, 1, 0xffff), 0);
	sysfs(context, argv[1]);
	SAME(libjvm_is_loaded(), 0);
	SAME(ibv_close_device(context), 0);
	return ok();
}
