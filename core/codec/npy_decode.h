/* SPDX-License-Identifier: MIT */
/* npy_decode.h - .npy files of any writer -> array. Private to core/codec. */
#ifndef JAG_CODEC_NPY_DECODE_H
#define JAG_CODEC_NPY_DECODE_H

#include "jag/codec.h"

/* The `decode` member of the npy codec. Header versions 1 to 3, any byte order, Fortran order; never objects,
 * strings or records. The data must end where the file ends. */
int jag_npy_decode(const void *bytes, size_t nbytes, const struct jag_shape *want, const struct jag_look *look,
		   struct jag_array *out, struct jag_error *err);

#endif
