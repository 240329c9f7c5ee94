/* SPDX-License-Identifier: MIT */
/* element_set.c - storing a value of another dtype or a smaller shape into an element: cast and broadcast, block by
 * block. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jag/map.h"

#define BLOCK_ITEMS 8192

/* A walk over the element's items in order, and where each comes from. */
struct walk {
	const struct jag_shape *shape; /* of the element */
	int64_t index[JAG_MAX_RANK];
	int64_t step[JAG_MAX_RANK]; /* items of the value for one step in each dimension; 0 where it is repeated */
	int64_t at;                 /* item of the value */
};

/* Dimensions are aligned at the last one. -EINVAL if a size of the value is neither 1 nor the element's. */
static int begin(struct walk *walk, const struct jag_shape *shape, const struct jag_shape *value)
{
	int64_t items = 1;
	*walk = (struct walk){ .shape = shape };
	if (value->rank > shape->rank)
		return -EINVAL;
	for (unsigned k = 0; k < value->rank; k++) {
		unsigned from = value->rank - 1 - k, to = shape->rank - 1 - k;
		if (value->dims[from] != 1 && value->dims[from] != shape->dims[to])
			return -EINVAL;
		walk->step[to] = value->dims[from] == 1 ? 0 : items;
		items *= value->dims[from];
	}
	return 0;
}

static void next(struct walk *walk)
{
	for (unsigned k = walk->shape->rank; k-- > 0;) {
		walk->at += walk->step[k];
		if (++walk->index[k] < walk->shape->dims[k])
			return;
		walk->at -= walk->step[k] * walk->shape->dims[k];
		walk->index[k] = 0;
	}
}

static int cast_block(struct walk *walk, const struct jag_view *value, uint8_t *out, size_t items)
{
	enum jag_dtype from = value->shape->dtype, to = walk->shape->dtype;
	size_t from_size = jag_dtype_info(from)->itemsize, to_size = jag_dtype_info(to)->itemsize;
	for (size_t i = 0; i < items; i++, next(walk)) {
		const uint8_t *src = value->data + (size_t)walk->at * from_size;
		struct jag_scalar scalar;
		if (from == to) {
			memcpy(out + i * to_size, src, to_size);
			continue;
		}
		int rc = jag_scalar_load(from, src, &scalar);
		if (!rc)
			rc = jag_scalar_store(&scalar, to, out + i * to_size);
		if (rc)
			return rc;
	}
	return 0;
}

static int set_blocks(const struct jag_element *element, const struct jag_view *value, struct walk *walk)
{
	size_t size = jag_dtype_info(element->shape.dtype)->itemsize;
	uint8_t *block = malloc(BLOCK_ITEMS * size);
	int rc = block ? 0 : -ENOMEM;
	for (uint64_t at = 0; at < element->nbytes && !rc;) {
		uint64_t left = (element->nbytes - at) / size;
		size_t items = left < BLOCK_ITEMS ? (size_t)left : BLOCK_ITEMS;
		rc = cast_block(walk, value, block, items);
		if (!rc)
			rc = jag_element_write(element, block, items * size, at);
		at += items * size;
	}
	free(block);
	return rc;
}

int jag_element_set(const struct jag_element *element, const struct jag_view *value, struct jag_error *err)
{
	char have[96], want[96];
	struct walk walk;
	uint64_t nbytes;
	int rc = jag_shape_nbytes(value->shape, &nbytes);
	if (!rc && nbytes != value->nbytes)
		rc = -EINVAL;
	if (!rc)
		rc = begin(&walk, &element->shape, value->shape);
	if (rc)
		return jag_error_set(err, -EINVAL, jag_element_path(element), 0,
				     "a value of the shape %s does not fit %s",
				     jag_shape_text(value->shape, have, sizeof(have)),
				     jag_shape_text(&element->shape, want, sizeof(want)));
	if (value->shape->dtype == JAG_FLOAT4_E2M1FN_X2 && element->shape.dtype != value->shape->dtype)
		return jag_error_set(err, -EINVAL, jag_element_path(element), 0,
				     "float4 cannot be cast to other types");
	if (jag_shape_equal(value->shape, &element->shape))
		rc = jag_element_write(element, value->data, (size_t)value->nbytes, 0);
	else
		rc = set_blocks(element, value, &walk);
	return rc ? jag_error_set(err, rc, jag_element_path(element), 0, "cannot write: %s", strerror(-rc)) : 0;
}
