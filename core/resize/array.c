/* SPDX-License-Identifier: MIT */
/* array.c - a decoded image that was written to an element of another size. */
#include "jag/resize.h"

#include <errno.h>

static bool side_possible(int64_t side)
{
	return side >= 1 && side <= (int64_t)JAG_RESIZE_SIDE_MAX;
}

static int resize(const struct jag_array *array, const struct jag_resize_plan *plan, struct jag_buffer *out)
{
	struct jag_pixels pixels = { array->shape.dtype, (unsigned)array->shape.dims[2], JAG_LAYOUT_HWC,
				     JAG_LAYOUT_HWC };
	struct jag_shape shape;
	struct jag_resizer *resizer = NULL;
	uint64_t nbytes;
	jag_shape_copy(&shape, &array->shape);
	shape.dims[0] = plan->out_height;
	shape.dims[1] = plan->out_width;
	int rc = jag_shape_nbytes(&shape, &nbytes);
	if (!rc && nbytes > SIZE_MAX)
		rc = -ENOMEM;
	if (!rc)
		rc = jag_buffer_reserve(out, (size_t)nbytes);
	if (!rc)
		rc = jag_resizer_create(&resizer);
	if (!rc)
		rc = jag_resize(resizer, plan, &pixels, array->data.data, out->data);
	jag_resizer_destroy(resizer);
	out->nbytes = rc ? 0 : (size_t)nbytes;
	return rc;
}

int jag_resize_array(struct jag_array *array, const struct jag_shape *element, const struct jag_look *look)
{
	const struct jag_shape *shape = &array->shape;
	struct jag_geometry want;
	if (!array->image || shape->rank != 3 || (shape->dtype != JAG_UINT8 && shape->dtype != JAG_UINT16) ||
	    jag_geometry(element, look, &want))
		return 0;
	if (shape->dims[0] == (int64_t)want.height && shape->dims[1] == (int64_t)want.width)
		return 0;
	if (!side_possible(shape->dims[0]) || !side_possible(shape->dims[1]) || !side_possible((int64_t)want.height) ||
	    !side_possible((int64_t)want.width) || shape->dims[2] < 1)
		return -EINVAL;
	struct jag_resize_spec spec = { .height = (uint32_t)want.height, .width = (uint32_t)want.width };
	struct jag_resize_plan plan;
	struct jag_buffer out = { 0 };
	int rc = jag_resize_plan(&spec, (uint32_t)shape->dims[0], (uint32_t)shape->dims[1], &plan);
	if (!rc)
		rc = resize(array, &plan, &out);
	if (rc) {
		jag_buffer_free(&out);
		return rc;
	}
	jag_buffer_free(&array->data);
	array->data = out;
	array->shape.dims[0] = plan.out_height;
	array->shape.dims[1] = plan.out_width;
	return 0;
}
