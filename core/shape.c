/* SPDX-License-Identifier: MIT */
/* shape.c - sizes, copies and the spelling of jag/shape.h. */
#include "jag/shape.h"

#include <stdio.h>
#include <string.h>

#include "checked.h"

int jag_shape_numel(const struct jag_shape *shape, uint64_t *numel)
{
	if (shape->rank > JAG_MAX_RANK)
		return -EINVAL;
	return jag_checked_product(shape->dims, shape->rank, numel);
}

int jag_shape_nbytes(const struct jag_shape *shape, uint64_t *nbytes)
{
	uint64_t numel;
	int rc = jag_shape_numel(shape, &numel);
	return rc ? rc : jag_checked_mul(numel, jag_dtype_info(shape->dtype)->itemsize, nbytes);
}

void jag_shape_copy(struct jag_shape *dst, const struct jag_shape *src)
{
	dst->dtype = src->dtype;
	dst->rank = src->rank;
	memcpy(dst->dims, src->dims, src->rank * sizeof(src->dims[0]));
}

bool jag_shape_equal(const struct jag_shape *a, const struct jag_shape *b)
{
	return a->dtype == b->dtype && a->rank == b->rank &&
	       memcmp(a->dims, b->dims, a->rank * sizeof(a->dims[0])) == 0;
}

char *jag_shape_text(const struct jag_shape *shape, char *text, size_t text_nbytes)
{
	size_t used = 0;
	if (text_nbytes == 0)
		return text;
	for (unsigned k = 0; k <= shape->rank; k++) {
		int n;
		if (k == shape->rank)
			n = snprintf(text + used, text_nbytes - used, k ? "]" : "[]");
		else
			n = snprintf(text + used, text_nbytes - used, "%s%lld", k ? ", " : "[",
				     (long long)shape->dims[k]);
		if (n < 0 || (size_t)n >= text_nbytes - used)
			break;
		used += (size_t)n;
	}
	return text;
}
