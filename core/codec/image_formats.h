/* SPDX-License-Identifier: MIT */
/* image_formats.h - the decoders behind jag/image.h and what they share. Private to core/codec. */
#ifndef JAG_CODEC_IMAGE_FORMATS_H
#define JAG_CODEC_IMAGE_FORMATS_H

#include "jag/image.h"

/* A whole file to be decoded. `info` is what its own probe said and was checked against the limits. */
struct jag_image_source {
	const uint8_t *bytes;
	size_t nbytes;
	const struct jag_image_info *info;
	unsigned depth;     /* 8 or 16: of the pixels that are asked for; 16 only if the file has 16 */
	unsigned channels;  /* jag_image_native_channels(info) */
	unsigned scans_max; /* of a progressive JPEG; 0: no limit */
};

/* One file type. probe: as jag_image_probe() without the limits. decode: fills width * height * channels items. */
struct jag_image_format {
	enum jag_image_type type;
	int (*probe)(const uint8_t *bytes, size_t nbytes, struct jag_image_info *info, struct jag_error *err);
	int (*decode)(const struct jag_image_source *src, uint8_t *out, struct jag_error *err);
};

extern const struct jag_image_format jag_image_jpeg;
extern const struct jag_image_format jag_image_png;
extern const struct jag_image_format jag_image_pnm;

/* Channels that a decoder delivers: those of the file, a palette resolved, CMYK still four. */
static inline unsigned jag_image_native_channels(const struct jag_image_info *info)
{
	return info->cmyk ? 4 : info->channels;
}

/* Orientation 1..8 of the TIFF structure in an EXIF segment; 1 if it is absent or damaged. */
unsigned jag_exif_orientation(const uint8_t *tiff, size_t nbytes);

/* Pixels in place from one number of channels to another; the memory holds the larger of the two. CMYK is as Adobe
 * stores it, inverted, and becomes RGB first. depth 8 or 16 (native order). */
struct jag_conversion {
	unsigned from, to;
	unsigned depth;
	bool cmyk;
};
void jag_convert_pixels(const struct jag_conversion *how, uint8_t *pixels, size_t npixels);

/* The `decode` member of the image codecs: all of them read any image type. */
int jag_image_codec_decode(const void *bytes, size_t nbytes, const struct jag_shape *want, const struct jag_look *look,
			   struct jag_array *out, struct jag_error *err);

#endif
