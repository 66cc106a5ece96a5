/* Where the VM and the jars are (shim_java_home.c), for shim_jvm.c. */
#ifndef MROCE_SHIM_JVM_H
#define MROCE_SHIM_JVM_H

#include "shim.h"

struct mroce_java {
	char home[2048];
	char libjvm[2112];
	char class_path[16384];
	char aot_cache[4200]; /* empty: none that fits this VM and these jars */
};

/* 0, or an errno after a sentence was written to `why`. */
int mroce_find_java(struct mroce_java *java, char *why, size_t why_size);

#endif
