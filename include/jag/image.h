/* SPDX-License-Identifier: MIT */
/* image.h - image files in memory -> pixels: JPEG, PNG, PNM, told by content. Used by pack, by writes to image
 * elements and by resize. Pixels equal what the libraries themselves decode (libjpeg-turbo with its default, accurate
 * DCT and fancy upsampling; libpng), converted between modes by Pillow's formulas.
 *
 * Threads: no shared state.
 */
#ifndef JAG_IMAGE_H
#define JAG_IMAGE_H

#include "jag/buffer.h"
#include "jag/codec.h"
#include "jag/error.h"

enum jag_image_type { JAG_IMAGE_NONE, JAG_IMAGE_JPEG, JAG_IMAGE_PNG, JAG_IMAGE_PNM };

/* What channels come out. KEEP: as many as the file has (palette -> 3; CMYK -> 3; alpha, also that of a PNG's tRNS
 * chunk, is one more: gray + alpha -> 2). GRAY uses Pillow's L formula. RGB drops alpha as Pillow's convert("RGB")
 * does. */
enum jag_mode { JAG_MODE_RGB, JAG_MODE_GRAY, JAG_MODE_RGBA, JAG_MODE_KEEP };

/* From the header alone. */
struct jag_image_info {
	enum jag_image_type type;
	uint32_t width, height;
	unsigned channels;    /* in the file, palette and CMYK resolved as KEEP says */
	unsigned depth;       /* bits: 1, 2, 4, 8, 16 as in the file (a palette counts as 8) */
	unsigned orientation; /* EXIF 1..8; 1 if absent or not readable */
	bool cmyk;            /* CMYK or YCCK */
	bool palette, interlaced, progressive, alpha;
};

/* Refuse before anything is allocated. 0 in a field: no limit. */
struct jag_image_limits {
	uint64_t pixels; /* width * height; default JAG_IMAGE_PIXELS_DEFAULT */
	unsigned scans;  /* of a progressive JPEG; default 500 */
};
#define JAG_IMAGE_PIXELS_DEFAULT UINT64_C(178956970) /* Pillow's decompression bomb error */
#define JAG_IMAGE_SCANS_DEFAULT 500

/* Interleaved pixels [height, width, channels], rows without padding. 16 bit: native byte order.
 * `buf` owns the memory and is reused by the next decode into the same struct. */
struct jag_image {
	uint32_t width, height;
	unsigned channels;
	unsigned depth; /* 8 or 16 */
	struct jag_buffer buf;
};

/* JAG_IMAGE_NONE if the content is no image that we decode. Looks at magic bytes only. */
JAG_API enum jag_image_type jag_image_sniff(const void *bytes, size_t nbytes);

/* Header only. `nbytes` may be a prefix of the file: -EAGAIN asks for more bytes (the header did not fit).
 * -EINVAL not an image, or a broken header; -E2BIG over the limits. */
JAG_API int jag_image_probe(const void *bytes, size_t nbytes, const struct jag_image_limits *limits,
			    struct jag_image_info *info, struct jag_error *err);

/* The number of channels that a mode makes of such a file. */
JAG_API unsigned jag_mode_channels(enum jag_mode mode, const struct jag_image_info *info);

/* The whole file -> pixels. `depth` 8 reduces 16-bit files to their high byte (as libpng's strip_16 and Pillow do);
 * 16 keeps 16-bit files (and leaves 8-bit ones at 8, out->depth says). A file that ends early, or that the library
 * only warns about as corrupt data, is refused: nothing is guessed. Errors: -EINVAL, -E2BIG, -ENOMEM. */
JAG_API int jag_image_decode(const void *bytes, size_t nbytes, enum jag_mode mode, unsigned depth,
			     const struct jag_image_limits *limits, struct jag_image *out, struct jag_error *err);

/* Release its pixels; the struct is the caller's. Fine for {0}, and twice. */
JAG_API void jag_image_free(struct jag_image *image);

/* Interleaved <-> planar, npixels per plane, 1..4 channels (any count works), itemsize 1 or 2. No overlap.
 * Portable code with SIMD twins chosen at run time. `swap`: exchange the two bytes of each 16-bit item;
 * `reverse`: first and third channel change places (BGR), for channels >= 3. */
struct jag_permute {
	unsigned channels;
	unsigned itemsize;
	bool swap, reverse;
};
JAG_API void jag_interleave(const struct jag_permute *how, const uint8_t *const planes[], size_t npixels, uint8_t *out);
JAG_API void jag_deinterleave(const struct jag_permute *how, const uint8_t *in, size_t npixels,
			      uint8_t *const planes[]);

#endif
