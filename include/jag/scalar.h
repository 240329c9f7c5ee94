/* SPDX-License-Identifier: MIT */
/* scalar.h - one value of any dtype: from text, from and to the bytes of a store, cast as torch casts.
 *
 * Threads: no shared state.
 */
#ifndef JAG_SCALAR_H
#define JAG_SCALAR_H

#include "jag/dtype.h"

enum jag_scalar_kind {
	JAG_SCALAR_INT,  /* `i` */
	JAG_SCALAR_UINT, /* `u`: beyond INT64_MAX */
	JAG_SCALAR_REAL, /* `re` */
	JAG_SCALAR_COMPLEX
};

struct jag_scalar {
	enum jag_scalar_kind kind;
	union {
		int64_t i;
		uint64_t u;
		double re;
	};
	double im; /* COMPLEX */
};

/* "3", "-1", "0xff", "0.5", "1e-3", "inf", "nan", "true", "1+2j", "-2j". -EINVAL if it is none of these, or a
 * number so large that a double would be infinite. */
JAG_API int jag_scalar_parse(const char *text, struct jag_scalar *out);

/* One item (itemsize bytes, little-endian). -ENOTSUP for float4, which has two values in a byte. */
JAG_API int jag_scalar_load(enum jag_dtype dtype, const void *src, struct jag_scalar *out);

/* One item of `dtype`, cast as tensordict does when it sets a value: fractions are cut towards zero, integers wrap,
 * what is too large for a float becomes infinite (saturates in float8_e4m3fn and float4, becomes NaN in the fnuz
 * types), everything but zero is true, the imaginary part is dropped. Where C leaves the result open (a float beyond
 * all integers, NaN to integer) it is 0 in types of up to 32 bits, the smallest number in the others. float4 gets the
 * value twice. `dst` has room for 16 bytes. -EINVAL for an unknown dtype. */
JAG_API int jag_scalar_store(const struct jag_scalar *value, enum jag_dtype dtype, void *dst);

/* 0 if `dtype` can hold the value: integers exactly, floats rounded but not overflown. Else -ERANGE. */
JAG_API int jag_scalar_fits(const struct jag_scalar *value, enum jag_dtype dtype);

#endif
