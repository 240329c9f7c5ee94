/* SPDX-License-Identifier: MIT */
/* resize.h - images of one size from images of another: the arithmetic of sizes, and the antialiased triangle filter.
 *
 * On uint8 the filter is the one of torch's interpolate(mode="bilinear", antialias=True), which is what
 * torchvision.transforms.v2.Resize calls, and of Pillow's BILINEAR: the same sample positions, the same 16-bit integer
 * weights, columns first, rounded to 8 bits, then rows. uint16, float32 and bool are computed in float32 and rounded
 * (to even) where the type is an integer.
 *
 * Threads: plans are plain memory. A resizer belongs to one thread at a time; make one for each worker.
 */
#ifndef JAG_RESIZE_H
#define JAG_RESIZE_H

#include "jag/codec.h"
#include "jag/image.h"

/* No side of an image, given, wanted or in between, may be larger. */
#define JAG_RESIZE_SIDE_MAX (UINT32_C(1) << 24)

/* What size is wanted.
 * EXACT: height x width, see enum jag_fit.
 * SHORT: the shorter side becomes `side`, the longer one floor(side * longer / shorter), as torchvision's int size.
 * MAX:   the longer side becomes `side`, the shorter one floor(side * shorter / longer), at least 1; an image whose
 *        sides are all <= `side` stays as it is. */
enum jag_size_rule { JAG_SIZE_EXACT, JAG_SIZE_SHORT, JAG_SIZE_MAX };

/* How an image of another aspect ratio becomes height x width.
 * STRETCH: each axis is scaled on its own; the aspect ratio changes.
 * COVER:   scaled, keeping its aspect, to the smallest size that covers the target (the other side rounded down),
 *          then the middle is cut out. For a square target this is torchvision's Resize(S) and CenterCrop(S).
 * CONTAIN: scaled, keeping its aspect, to the largest size that fits into the target (the other side rounded down, at
 *          least 1), then centred on zeros; an odd rest goes to the right and the bottom. */
enum jag_fit { JAG_FIT_STRETCH, JAG_FIT_COVER, JAG_FIT_CONTAIN };

struct jag_resize_spec {
	enum jag_size_rule rule;
	uint32_t height, width; /* EXACT */
	uint32_t side;          /* SHORT, MAX */
	enum jag_fit fit;       /* EXACT only */
	bool no_antialias;      /* two taps for each axis, as torch's antialias=False */
};

/* One image's way to its size. scaled = the size the whole image is scaled to; the result shows the part of it that
 * starts at (crop_y, crop_x), placed at (pad_y, pad_x). */
struct jag_resize_plan {
	uint32_t in_height, in_width;
	uint32_t out_height, out_width;
	uint32_t scaled_height, scaled_width;
	uint32_t crop_y, crop_x;
	uint32_t pad_y, pad_x;
	bool no_antialias;
};

/* "32x48" (height x width), "short:256", "max:512" -> rule and numbers; fit and no_antialias are left alone.
 * -EINVAL: not of this form, zero, or beyond JAG_RESIZE_SIDE_MAX. */
JAG_API int jag_resize_parse(const char *text, struct jag_resize_spec *spec, struct jag_error *err);

/* "stretch", "cover", "contain". -EINVAL otherwise. */
JAG_API int jag_fit_parse(const char *text, enum jag_fit *fit, struct jag_error *err);

/* Sizes for one image. -EINVAL: a side is 0, or a side of the image, of the result or in between is beyond
 * JAG_RESIZE_SIDE_MAX. */
JAG_API int jag_resize_plan(const struct jag_resize_spec *spec, uint32_t height, uint32_t width,
			    struct jag_resize_plan *plan);

/* What the bytes of source and result are. */
struct jag_pixels {
	enum jag_dtype dtype;     /* JAG_UINT8, JAG_BOOL, JAG_UINT16, JAG_FLOAT32 */
	unsigned channels;        /* >= 1 */
	enum jag_layout from, to; /* CHW, HWC; PLANES counts as CHW. No padding between rows or planes. */
};

struct jag_resizer; /* opaque: filter tables of sizes seen before, and scratch memory */

/* -ENOMEM. */
JAG_API int jag_resizer_create(struct jag_resizer **out);
JAG_API void jag_resizer_destroy(struct jag_resizer *resizer); /* NULL is fine */

/* src: channels * in_height * in_width items; dst: channels * out_height * out_width items, every one is written.
 * No overlap. Errors: -EINVAL a dtype, layout or plan that is not possible; -ENOMEM. */
JAG_API int jag_resize(struct jag_resizer *resizer, const struct jag_resize_plan *plan, const struct jag_pixels *pixels,
		       const void *src, void *dst);

/* The same for a decoded image, whose size must be the plan's. dst_nbytes must be the size of the result (-EINVAL);
 * 16-bit images stay 16-bit. */
JAG_API int jag_resize_image(struct jag_resizer *resizer, const struct jag_resize_plan *plan,
			     const struct jag_image *image, enum jag_layout to, void *dst, size_t dst_nbytes);

/* A decoded image file ([H, W, C], see jag_array) takes the height and width that an element of this shape has under
 * this look, stretched; its channels and dtype stay. Nothing happens to arrays that are no uint8 or uint16 image, that
 * have the size already, or where the element is no image. -EINVAL: a side beyond JAG_RESIZE_SIDE_MAX; -ENOMEM. On
 * failure the array is as it was. */
JAG_API int jag_resize_array(struct jag_array *array, const struct jag_shape *element, const struct jag_look *look);

#endif
