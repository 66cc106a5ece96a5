/* A program that finds every verb by dlopen and dlvsym, as NCCL does: not linked against libibverbs. argv[1]: the file of public names, lines of
 * "VERSION name". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	char line[256], version[64], name[128];
	int missing = 0, foreign = 0, seen = 0;
	FILE *names = argc == 2 ? fopen(argv[1], "r") : NULL;
	void *handle = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL), *again = dlopen("/any/where/libibverbs.so", RTLD_LAZY);
	Dl_info info;

	if (!names || !handle || handle != again) {
		fprintf(stderr, "no handle: %s\n", dlerror());
		return 1;
	}
	if (dlopen("libnothing-of-this-name.so", RTLD_NOW)) /* every other name goes to the real dlopen */
		return 1;
	if (!dlopen("libm.so.6", RTLD_NOW))
		return 1;
	while (fgets(line, sizeof(line), names)) {
		if (line[0] == '#' || sscanf(line, "%63s %127s", version, name) != 2)
			continue;
		seen++;
		void *symbol = dlvsym(handle, name, version);
		if (!symbol) {
			fprintf(stderr, "missing: %s@%s\n", name, version);
			missing++;
		} else if (!dladdr(symbol, &info) || !strstr(info.dli_fname, "libmroce.so")) {
			fprintf(stderr, "not ours: %s@%s\n", name, version);
			foreign++;
		}
	}
	void **(*list)(int *) = (void **(*)(int *))dlvsym(handle, "ibv_get_device_list", "IBVERBS_1.1");
	int n = 0;
	if (!list || !list(&n) || n < 1)
		return 1;
	if (missing || foreign || seen < 70)
		return 1;
	printf("ok\n");
	return 0;
}
