/* SPDX-License-Identifier: MIT */
/* copy.c - what copying a store with the library costs; its peer is cp -r, which does not wait for the disk either.
 *
 * usage: copy STORE TARGET      prints the nanoseconds */
#include <inttypes.h>
#include <stdio.h>

#include "clock.h"
#include "jag/map.h"

int main(int argc, char **argv)
{
	struct jag_error err = { 0 };
	if (argc != 3) {
		fprintf(stderr, "usage: copy STORE TARGET\n");
		return 2;
	}
	uint64_t start = now_ns();
	if (jag_copy_store(argv[1], argv[2], JAG_CREATE_NOSYNC, 0, NULL, &err)) {
		fprintf(stderr, "%s: %s\n", err.path, err.message);
		return 1;
	}
	printf("%" PRIu64 "\n", now_ns() - start);
	return 0;
}
