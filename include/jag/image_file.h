/* SPDX-License-Identifier: MIT */
/* image_file.h - image files on the disk: headers and pixels by path, and pixels as the planes of an element.
 *
 * Threads: no shared state. */
#ifndef JAG_IMAGE_FILE_H
#define JAG_IMAGE_FILE_H

#include "jag/image.h"

/* jag_image_probe() of the file at `path`, which is read as a whole. limits NULL: the defaults. Errors of that and of
 * jag_buffer_load(); `err` names the path. */
JAG_API int jag_image_probe_file(const char *path, const struct jag_image_limits *limits, struct jag_image_info *info,
				 struct jag_error *err);

/* jag_image_decode() of the file at `path`; the same. */
JAG_API int jag_image_decode_file(const char *path, enum jag_mode mode, unsigned depth,
				  const struct jag_image_limits *limits, struct jag_image *out, struct jag_error *err);

/* The pixels as [C, H, W] in dst, which must have exactly their bytes (-EINVAL); items as they are in the image. */
JAG_API int jag_image_planes(const struct jag_image *image, void *dst, size_t dst_nbytes);

#endif
