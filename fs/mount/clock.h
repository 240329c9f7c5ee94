/* SPDX-License-Identifier: MIT */
/* clock.h - milliseconds for short memories; cheap, good to a few milliseconds. */
#ifndef JAG_MOUNT_CLOCK_H
#define JAG_MOUNT_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t jag_now_ms(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

#endif
