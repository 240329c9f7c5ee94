/* SPDX-License-Identifier: MIT */
/* shape.h - dtype and dimensions of one tensor, and the overflow-checked sizes that follow from them.
 *
 * Threads: no shared state. */
#ifndef JAG_SHAPE_H
#define JAG_SHAPE_H

#include "jag/dtype.h"

/* torch's own limit on the number of dimensions. */
#define JAG_MAX_RANK 64

/* Plain memory. dims[rank..] are unspecified. Dimensions are >= 0 in every shape that the library hands out. */
struct jag_shape {
	enum jag_dtype dtype;
	unsigned rank;
	int64_t dims[JAG_MAX_RANK];
};

/* A tensor in memory: C order, little-endian, no padding. Borrowed memory: the view owns nothing. */
struct jag_view {
	const struct jag_shape *shape;
	const uint8_t *data;
	uint64_t nbytes;
};

/* Number of scalars (1 for rank 0). -EOVERFLOW beyond 2^63-1, -EINVAL for a negative dimension or rank > 64. */
JAG_API int jag_shape_numel(const struct jag_shape *shape, uint64_t *numel);

/* Number of bytes; errors as jag_shape_numel. */
JAG_API int jag_shape_nbytes(const struct jag_shape *shape, uint64_t *nbytes);

/* Copies only the dimensions in use (a struct assignment would move 512 bytes). */
JAG_API void jag_shape_copy(struct jag_shape *dst, const struct jag_shape *src);

/* Same dtype, rank and dimensions. */
JAG_API bool jag_shape_equal(const struct jag_shape *a, const struct jag_shape *b);

/* "[3, 224, 224]" (Python's spelling), cut to fit; returns `text`. */
JAG_API char *jag_shape_text(const struct jag_shape *shape, char *text, size_t text_nbytes);

#endif
