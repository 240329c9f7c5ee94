/* SPDX-License-Identifier: MIT */
/* image_file.c - decoding by path, for programs that have files and no bytes. */
#include "jag/image_file.h"

#include <errno.h>
#include <string.h>

static const struct jag_image_limits defaults = { JAG_IMAGE_PIXELS_DEFAULT, JAG_IMAGE_SCANS_DEFAULT };

/* The record of a decoder knows no path. */
static int named(int rc, const char *path, const struct jag_error *why, struct jag_error *err)
{
	if (!rc)
		return 0;
	return jag_error_set(err, rc, path, why->offset, "%s", *why->message ? why->message : strerror(-rc));
}

int jag_image_probe_file(const char *path, const struct jag_image_limits *limits, struct jag_image_info *info,
			 struct jag_error *err)
{
	struct jag_buffer file = { 0 };
	struct jag_error why = { 0 };
	int rc = jag_buffer_load(&file, path);
	if (!rc)
		rc = jag_image_probe(file.data, file.nbytes, limits ? limits : &defaults, info, &why);
	/* More bytes are asked for, but this was all. */
	if (rc == -EAGAIN)
		rc = jag_error_set(&why, -EINVAL, NULL, 0, "the file ends inside its header");
	jag_buffer_free(&file);
	return named(rc, path, &why, err);
}

int jag_image_decode_file(const char *path, enum jag_mode mode, unsigned depth, const struct jag_image_limits *limits,
			  struct jag_image *out, struct jag_error *err)
{
	struct jag_buffer file = { 0 };
	struct jag_error why = { 0 };
	int rc = jag_buffer_load(&file, path);
	if (!rc)
		rc = jag_image_decode(file.data, file.nbytes, mode, depth, limits ? limits : &defaults, out, &why);
	jag_buffer_free(&file);
	return named(rc, path, &why, err);
}

int jag_image_planes(const struct jag_image *image, void *dst, size_t dst_nbytes)
{
	struct jag_permute how = { .channels = image->channels, .itemsize = image->depth > 8 ? 2 : 1 };
	size_t pixels = (size_t)image->width * image->height, plane = pixels * how.itemsize;
	uint8_t *planes[4];
	if (image->channels < 1 || image->channels > 4 || dst_nbytes != plane * image->channels)
		return -EINVAL;
	for (unsigned c = 0; c < image->channels; c++)
		planes[c] = (uint8_t *)dst + c * plane;
	jag_deinterleave(&how, image->buf.data, pixels, planes);
	return 0;
}
