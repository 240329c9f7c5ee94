/* SPDX-License-Identifier: MIT */
/* image.c - image files -> pixels: the type told by content, limits checked before anything is allocated, the file
 * type's decoder, conversion to the mode asked for. */
#include "jag/image.h"

#include <errno.h>
#include <inttypes.h>

#include "checked.h"
#include "codec/codecs.h"
#include "codec/image_formats.h"

static const struct jag_image_format *const formats[] = { &jag_image_jpeg, &jag_image_png, &jag_image_pnm };

static const struct jag_image_format *format_of(enum jag_image_type type)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i]->type == type)
			return formats[i];
	return NULL;
}

enum jag_image_type jag_image_sniff(const void *bytes, size_t nbytes)
{
	switch (jag_content_format(bytes, nbytes)) {
	case JAG_FORMAT_JPG:
		return JAG_IMAGE_JPEG;
	case JAG_FORMAT_PNG:
		return JAG_IMAGE_PNG;
	case JAG_FORMAT_PNM:
	case JAG_FORMAT_PAM:
		return JAG_IMAGE_PNM;
	default:
		return JAG_IMAGE_NONE;
	}
}

/* The defaults that the header of the library names. */
static struct jag_image_limits limits_or_default(const struct jag_image_limits *limits)
{
	if (limits)
		return *limits;
	return (struct jag_image_limits){ JAG_IMAGE_PIXELS_DEFAULT, JAG_IMAGE_SCANS_DEFAULT };
}

int jag_image_probe(const void *bytes, size_t nbytes, const struct jag_image_limits *limits,
		    struct jag_image_info *info, struct jag_error *err)
{
	const struct jag_image_limits max = limits_or_default(limits);
	const struct jag_image_format *format = format_of(jag_image_sniff(bytes, nbytes));
	if (!format)
		return jag_error_set(err, -EINVAL, NULL, 0, "neither JPEG nor PNG nor PNM");
	*info = (struct jag_image_info){ .type = format->type, .orientation = 1 };
	int rc = format->probe(bytes, nbytes, info, err);
	if (rc)
		return rc;
	uint64_t pixels = (uint64_t)info->width * info->height;
	if (max.pixels && pixels > max.pixels)
		return jag_error_set(err, -E2BIG, NULL, 0, "%" PRIu32 "x%" PRIu32 " pixels, the limit is %" PRIu64,
				     info->width, info->height, max.pixels);
	return 0;
}

unsigned jag_mode_channels(enum jag_mode mode, const struct jag_image_info *info)
{
	switch (mode) {
	case JAG_MODE_RGB:
		return 3;
	case JAG_MODE_GRAY:
		return 1;
	case JAG_MODE_RGBA:
		return 4;
	case JAG_MODE_KEEP:
	default:
		return info->channels;
	}
}

/* Memory for `channels` items a pixel. What was there is not kept, so growing does not copy it. */
static int prepare(struct jag_image *out, const struct jag_image_info *info, unsigned channels, unsigned depth)
{
	uint64_t nbytes;
	if (jag_checked_mul((uint64_t)info->width * info->height, (uint64_t)channels * (depth / 8), &nbytes) ||
	    nbytes > SIZE_MAX)
		return -E2BIG;
	out->buf.nbytes = 0;
	if (out->buf.capacity < nbytes)
		jag_buffer_free(&out->buf);
	return jag_buffer_reserve(&out->buf, (size_t)nbytes);
}

static int decode(const struct jag_image_source *src, enum jag_mode mode, struct jag_image *out, struct jag_error *err)
{
	const struct jag_image_info *info = src->info;
	const struct jag_conversion how = { src->channels, jag_mode_channels(mode, info), src->depth, info->cmyk };
	size_t npixels = (size_t)info->width * info->height;
	int rc = prepare(out, info, how.from > how.to ? how.from : how.to, src->depth);
	if (rc)
		return jag_error_set(err, rc, NULL, 0, "no memory for %" PRIu32 "x%" PRIu32 " pixels", info->width,
				     info->height);
	const struct jag_image_format *format = format_of(info->type);
	rc = format ? format->decode(src, out->buf.data, err) : -EINVAL;
	if (rc)
		return rc;
	jag_convert_pixels(&how, out->buf.data, npixels);
	out->width = info->width;
	out->height = info->height;
	out->channels = how.to;
	out->depth = src->depth;
	out->buf.nbytes = npixels * how.to * (src->depth / 8);
	return 0;
}

int jag_image_decode(const void *bytes, size_t nbytes, enum jag_mode mode, unsigned depth,
		     const struct jag_image_limits *limits, struct jag_image *out, struct jag_error *err)
{
	const struct jag_image_limits max = limits_or_default(limits);
	struct jag_image_info info = { 0 };
	int rc = jag_image_probe(bytes, nbytes, limits, &info, err);
	if (rc == -EAGAIN)
		return jag_error_set(err, -EINVAL, NULL, nbytes, "the file ends inside its header");
	if (rc)
		return rc;
	const struct jag_image_source src = {
		.bytes = bytes,
		.nbytes = nbytes,
		.info = &info,
		.depth = depth == 16 && info.depth == 16 ? 16 : 8,
		.channels = jag_image_native_channels(&info),
		.scans_max = max.scans,
	};
	return decode(&src, mode, out, err);
}

void jag_image_free(struct jag_image *image)
{
	jag_buffer_free(&image->buf);
}

/* Elements are refused by size before anything is decoded. */
static int check_size(const struct jag_image_info *info, const struct jag_shape *want, const struct jag_look *look,
		      struct jag_error *err)
{
	struct jag_geometry g;
	char text[128];
	if (jag_geometry(want, look, &g))
		return jag_error_set(err, -EINVAL, NULL, 0, "got an image for %s, which is not shown as one",
				     jag_shape_text(want, text, sizeof(text)));
	if (g.width != info->width || g.height != info->height)
		return jag_error_set(err, -EINVAL, NULL, 0,
				     "expected an image %" PRIu64 " wide and %" PRIu64 " high, got %" PRIu32
				     " wide and %" PRIu32 " high",
				     g.width, g.height, info->width, info->height);
	return 0;
}

int jag_image_codec_decode(const void *bytes, size_t nbytes, const struct jag_shape *want, const struct jag_look *look,
			   struct jag_array *out, struct jag_error *err)
{
	struct jag_image image = { .buf = out->data };
	struct jag_image_info info = { 0 };
	int rc = 0;
	if (want) {
		rc = jag_image_probe(bytes, nbytes, NULL, &info, err);
		if (rc == 0)
			rc = check_size(&info, want, look, err);
		if (rc == -EAGAIN)
			rc = jag_error_set(err, -EINVAL, NULL, nbytes, "the file ends inside its header");
	}
	if (rc == 0)
		rc = jag_image_decode(bytes, nbytes, JAG_MODE_KEEP, 16, NULL, &image, err);
	out->data = image.buf;
	if (rc)
		return rc;
	out->image = true;
	out->shape.dtype = image.depth == 16 ? JAG_UINT16 : JAG_UINT8;
	out->shape.rank = 3;
	out->shape.dims[0] = image.height;
	out->shape.dims[1] = image.width;
	out->shape.dims[2] = image.channels;
	return 0;
}
