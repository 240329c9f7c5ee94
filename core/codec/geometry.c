/* SPDX-License-Identifier: MIT */
/* geometry.c - reads a shape as an image under a layout. */
#include <errno.h>

#include "jag/codec.h"

/* PNG's limit on either side, and enough for all others. */
#define SIDE_MAX INT64_C(0x7fffffff)

static unsigned depth_of(enum jag_dtype dtype)
{
	if (dtype == JAG_UINT8)
		return 8;
	if (dtype == JAG_UINT16)
		return 16;
	return dtype == JAG_BOOL ? 1 : 0;
}

/* Which dimension is the height; width and channels follow from it. */
static int arrange(const struct jag_shape *shape, enum jag_layout layout, int64_t *height, int64_t *width,
		   int64_t *channels)
{
	const int64_t *d = shape->dims;
	if (layout == JAG_LAYOUT_CHW && shape->rank == 3) {
		*channels = d[0], *height = d[1], *width = d[2];
	} else if (layout == JAG_LAYOUT_HWC && shape->rank == 3) {
		*height = d[0], *width = d[1], *channels = d[2];
	} else if (layout == JAG_LAYOUT_PLANES && shape->rank == 2) {
		*height = d[0], *width = d[1], *channels = 1;
	} else {
		return -EINVAL;
	}
	return 0;
}

int jag_geometry(const struct jag_shape *shape, const struct jag_look *look, struct jag_geometry *out)
{
	int64_t height, width, channels;
	uint64_t nbytes;
	if (arrange(shape, look->layout, &height, &width, &channels))
		return -EINVAL;
	if (height < 1 || height > SIDE_MAX || width < 1 || width > SIDE_MAX || channels < 1 || channels > 4)
		return -EINVAL;
	if (!depth_of(shape->dtype) || jag_shape_nbytes(shape, &nbytes))
		return -EINVAL;
	*out = (struct jag_geometry){
		.width = (uint64_t)width,
		.height = (uint64_t)height,
		.channels = (unsigned)channels,
		.depth = depth_of(shape->dtype),
		.planar = look->layout == JAG_LAYOUT_CHW && channels > 1,
	};
	return 0;
}
