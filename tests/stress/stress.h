/* SPDX-License-Identifier: MIT */
/* stress.h - what the stress programs share: a seeded generator, and one way to give up. */
#ifndef JAG_STRESS_H
#define JAG_STRESS_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* splitmix64: short, and good enough to choose operations. */
static inline uint64_t stress_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* A number in [0, n); n > 0. */
static inline uint64_t stress_below(uint64_t *state, uint64_t n)
{
	return stress_random(state) % n;
}

/* The seed of a run that was given none: printed, so that the run can be repeated. */
static inline uint64_t stress_seed(const char *text)
{
	struct timespec now;

	if (text)
		return strtoull(text, NULL, 0);
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000003u + (uint64_t)now.tv_nsec;
}

static inline double stress_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((noreturn, format(printf, 1, 2))) static inline void stress_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

#endif
