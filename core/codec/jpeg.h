/* SPDX-License-Identifier: MIT */
/* jpeg.h - what the JPEG files of this folder share. Private to core/codec. */
#ifndef JAG_CODEC_JPEG_H
#define JAG_CODEC_JPEG_H

#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

#include "codec/image_formats.h"

/* libjpeg reports errors by a call that must not return: it jumps to `escape`. `base` must be first: the library
 * hands back a pointer to it. */
struct jag_jpeg_errors {
	struct jpeg_error_mgr base;
	jmp_buf escape;
	int code; /* -errno of what went wrong */
	char message[JMSG_LENGTH_MAX];
};

/* Installs the handlers; returns what cinfo->err must point to. Warnings about corrupt data are errors. */
struct jpeg_error_mgr *jag_jpeg_errors_init(struct jag_jpeg_errors *errors);

int jag_jpeg_probe(const uint8_t *bytes, size_t nbytes, struct jag_image_info *info, struct jag_error *err);

#endif
