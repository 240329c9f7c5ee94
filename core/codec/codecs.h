/* SPDX-License-Identifier: MIT */
/* codecs.h - the rows of the registry, one from each format's file, and what the formats share. Private to
 * core/codec. */
#ifndef JAG_CODEC_CODECS_H
#define JAG_CODEC_CODECS_H

#include "jag/codec.h"

extern const struct jag_codec jag_codec_raw;
extern const struct jag_codec jag_codec_npy;
extern const struct jag_codec jag_codec_png;
extern const struct jag_codec jag_codec_jpg;
extern const struct jag_codec jag_codec_pnm;
extern const struct jag_codec jag_codec_pam;
extern const struct jag_codec jag_codec_txt;
extern const struct jag_codec jag_codec_wav;

/* The format whose magic number the bytes start with; JAG_FORMAT_DIR if none. */
enum jag_format jag_content_format(const void *bytes, size_t nbytes);

/* The element's nbytes as a live file without a header in the element's own order; the start of every `live`. */
int jag_live_init(const struct jag_shape *shape, struct jag_live *out);

#endif
