/* SPDX-License-Identifier: MIT */
/* resize.c - what the resize filter costs without a store around it: one planar 3x256x256 image to 32x32, one thread.
 *
 * usage: resize ROUNDS
 *
 * Tables and scratch memory are warm, as in a worker that has seen the size before. Prints the median nanoseconds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "jag/resize.h"

enum { SIDE = 256, SMALL = 32, ROUNDS_MAX = 100000 };

static uint8_t src[3 * SIDE * SIDE], dst[3 * SMALL * SMALL];
static uint64_t times[ROUNDS_MAX];

static int by_value(const void *a, const void *b)
{
	uint64_t x, y;
	x = *(const uint64_t *)a;
	y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int rounds = argc == 2 ? atoi(argv[1]) : 0;
	struct jag_resize_spec spec = { .height = SMALL, .width = SMALL };
	struct jag_pixels pixels = { JAG_UINT8, 3, JAG_LAYOUT_CHW, JAG_LAYOUT_CHW };
	struct jag_resize_plan plan;
	struct jag_resizer *resizer;
	if (rounds < 1 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: resize ROUNDS     (1 to %d)\n", ROUNDS_MAX);
		return 2;
	}
	for (size_t i = 0; i < sizeof(src); i++)
		src[i] = (uint8_t)(i * 2654435761u >> 13);
	if (jag_resize_plan(&spec, SIDE, SIDE, &plan) < 0 || jag_resizer_create(&resizer) < 0)
		return 1;
	for (int i = 0; i < rounds; i++) {
		uint64_t start = now_ns();
		if (jag_resize(resizer, &plan, &pixels, src, dst) < 0)
			return 1;
		times[i] = now_ns() - start;
	}
	jag_resizer_destroy(resizer);
	qsort(times, (size_t)rounds, sizeof(times[0]), by_value);
	printf("%" PRIu64 "\n", times[rounds / 2]);
	return 0;
}
