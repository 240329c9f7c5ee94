/* SPDX-License-Identifier: MIT */
/* shapes_file.h - a matrix of sizes from a file: .npy (integers of any type, [n, d] or [n]) or .csv (a row a line). */
#ifndef JAG_SHAPES_FILE_H
#define JAG_SHAPES_FILE_H

#include "jag/error.h"

struct jag_shapes {
	int64_t *values; /* row by row; the caller frees it */
	uint64_t count;
	unsigned rank;
};

/* -EINVAL with the line or what else is wrong; -ENOENT and so on. The kind is told by content. */
int jag_shapes_read(const char *path, struct jag_shapes *out, struct jag_error *err);

/* "3,224,224" -> sizes; at most `max`. Returns how many, or -EINVAL. */
int jag_sizes_parse(const char *text, int64_t *sizes, unsigned max);

#endif
