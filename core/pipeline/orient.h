/* SPDX-License-Identifier: MIT */
/* orient.h - turning an image upright as its EXIF orientation says. */
#ifndef JAG_PIPELINE_ORIENT_H
#define JAG_PIPELINE_ORIENT_H

#include "jag/image.h"

/* Orientation 1..8 of `in` -> pixels of `out` that are upright; 5..8 exchange width and height. Same channels and
 * depth. `out` keeps its buffer for the next call. -ENOMEM, -EINVAL for another orientation. */
int jag_image_orient(const struct jag_image *in, unsigned orientation, struct jag_image *out);

#endif
