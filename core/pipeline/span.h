/* SPDX-License-Identifier: MIT */
/* span.h - runs of items that lie one after another, each known by its first: which one holds item i? */
#ifndef JAG_SPAN_H
#define JAG_SPAN_H

#include <stddef.h>
#include <stdint.h>

/* `first` is the member of the first of `count` records, `stride` bytes each, that says where its run begins; it never
 * decreases from record to record. The index of the last one that begins at or before item `i`. */
static inline size_t jag_span_of(const uint64_t *first, size_t count, size_t stride, uint64_t i)
{
	size_t low = 0, high = count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		const void *begin = (const char *)first + middle * stride;
		if (*(const uint64_t *)begin <= i)
			low = middle;
		else
			high = middle;
	}
	return low;
}

#endif
