/* SPDX-License-Identifier: MIT */
/* checked.h - arithmetic on sizes that come from a store. Nothing read from a file is multiplied, added or used as a
 * bound without going through here; the compiler's overflow builtins do the work.
 *
 * All functions return 0 or -errno and leave the result alone when they fail. */
#ifndef JAG_CHECKED_H
#define JAG_CHECKED_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sizes are uint64_t, but no file offset, and so no size that makes sense, is above 2^63-1. */
#define JAG_SIZE_LIMIT ((uint64_t)INT64_MAX)

static inline int jag_checked_add(uint64_t a, uint64_t b, uint64_t *sum)
{
	uint64_t value;
	if (__builtin_add_overflow(a, b, &value) || value > JAG_SIZE_LIMIT)
		return -EOVERFLOW;
	*sum = value;
	return 0;
}

static inline int jag_checked_mul(uint64_t a, uint64_t b, uint64_t *product)
{
	uint64_t value;
	if (__builtin_mul_overflow(a, b, &value) || value > JAG_SIZE_LIMIT)
		return -EOVERFLOW;
	*product = value;
	return 0;
}

/* The product of dimensions; 1 for none. A zero anywhere makes it 0, also where the others alone would overflow.
 * -EINVAL for a negative dimension, -EOVERFLOW beyond 2^63-1. */
static inline int jag_checked_product(const int64_t *dims, unsigned rank, uint64_t *product)
{
	uint64_t value = 1;
	bool overflow = false, zero = false;
	for (unsigned k = 0; k < rank; k++) {
		if (dims[k] < 0)
			return -EINVAL;
		zero |= dims[k] == 0;
		overflow |= __builtin_mul_overflow(value, (uint64_t)dims[k], &value) || value > JAG_SIZE_LIMIT;
	}
	if (overflow && !zero)
		return -EOVERFLOW;
	*product = zero ? 0 : value;
	return 0;
}

/* Does [offset, offset + n) lie inside [0, size)? True for n = 0 at offset = size. */
static inline bool jag_range_inside(uint64_t offset, uint64_t n, uint64_t size)
{
	return offset <= size && n <= size - offset;
}

#endif
