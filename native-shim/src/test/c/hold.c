/* Opens the device, says "ready", and ends when its input does. With an argument it is a shared object to load first. */
#include "test.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
	if (argc == 2)
		CHECK(dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL));
	struct ibv_context *context = open_mroce();

	printf("ready\n");
	fflush(stdout);
	if (getchar() == EOF && ibv_alloc_pd(context) == NULL) {
		printf("no PD: %s\n", strerror(errno));
		return errno == ENODEV ? 3 : 4;
	}
	return ok();
}
