/* SPDX-License-Identifier: MIT */
/* smallfloat.h - the float types that C has not: 16 bits and less. */
#ifndef JAG_SMALLFLOAT_H
#define JAG_SMALLFLOAT_H

#include "jag/dtype.h"

/* True for float16, bfloat16, float8 and float4 (one of its two values). */
bool jag_smallfloat(enum jag_dtype dtype);

/* The bits of the nearest value, ties to even; overflow as in jag_scalar_store(). */
uint16_t jag_smallfloat_encode(enum jag_dtype dtype, float value);

double jag_smallfloat_decode(enum jag_dtype dtype, uint16_t bits);

#endif
