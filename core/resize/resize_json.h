/* SPDX-License-Identifier: MIT */
/* resize_json.h - what a store says about how its images were resized. */
#ifndef JAG_RESIZE_JSON_H
#define JAG_RESIZE_JSON_H

#include "jag/resize.h"

/* Append ,"size":"32x32","fit":"stretch","antialias":true to an object's text. -ENOMEM. */
int jag_resize_spec_json(const struct jag_resize_spec *spec, struct jag_buffer *out);

#endif
