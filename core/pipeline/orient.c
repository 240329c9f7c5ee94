/* SPDX-License-Identifier: MIT */
/* orient.c - the eight EXIF orientations. Each is a walk over the source with two steps: how far the source moves when
 * the result moves one pixel to the right, and one row down. */
#include "orient.h"

#include <errno.h>
#include <string.h>

struct walk {
	int64_t start, right, down; /* in pixels of the source */
};

/* w, h: of the source. */
static struct walk walk_of(unsigned orientation, int64_t w, int64_t h)
{
	switch (orientation) {
	case 2: /* mirrored left to right */
		return (struct walk){ w - 1, -1, w };
	case 3: /* turned by 180 degrees */
		return (struct walk){ w * h - 1, -1, -w };
	case 4: /* mirrored top to bottom */
		return (struct walk){ w * (h - 1), 1, -w };
	case 5: /* transposed */
		return (struct walk){ 0, w, 1 };
	case 6: /* to be turned clockwise */
		return (struct walk){ w * (h - 1), -w, 1 };
	case 7: /* transposed over the other diagonal */
		return (struct walk){ w * h - 1, -w, -1 };
	case 8: /* to be turned counterclockwise */
		return (struct walk){ w - 1, w, -1 };
	default:
		return (struct walk){ 0, 1, w };
	}
}

int jag_image_orient(const struct jag_image *in, unsigned orientation, struct jag_image *out)
{
	if (orientation < 1 || orientation > 8)
		return -EINVAL;
	size_t pixel = (size_t)in->channels * (in->depth > 8 ? 2 : 1);
	int rc = jag_buffer_reserve(&out->buf, in->buf.nbytes);
	if (rc)
		return rc;
	out->width = orientation >= 5 ? in->height : in->width;
	out->height = orientation >= 5 ? in->width : in->height;
	out->channels = in->channels;
	out->depth = in->depth;
	out->buf.nbytes = pixel * in->width * in->height;
	struct walk walk = walk_of(orientation, in->width, in->height);
	uint8_t *dst = out->buf.data;
	for (uint32_t y = 0; y < out->height; y++) {
		int64_t at = walk.start + (int64_t)y * walk.down;
		for (uint32_t x = 0; x < out->width; x++, at += walk.right, dst += pixel)
			memcpy(dst, in->buf.data + (size_t)at * pixel, pixel);
	}
	return 0;
}
