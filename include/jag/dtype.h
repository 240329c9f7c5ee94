/* SPDX-License-Identifier: MIT */
/* dtype.h - the element types of a store: their names in tensordict's meta.json, sizes and NumPy descriptions
 * (numpy.lib.format's `descr`).
 *
 * Threads: constant, static memory only. */
#ifndef JAG_DTYPE_H
#define JAG_DTYPE_H

#include "jag/api.h"

/* The types that torch can store in a memory map. The numbers are not stored anywhere and may change. */
enum jag_dtype {
	JAG_DTYPE_NONE = 0, /* unknown, or refused (quantised and bit types) */
	JAG_BOOL,
	JAG_UINT8,
	JAG_INT8,
	JAG_UINT16,
	JAG_INT16,
	JAG_UINT32,
	JAG_INT32,
	JAG_UINT64,
	JAG_INT64,
	JAG_FLOAT16,
	JAG_BFLOAT16,
	JAG_FLOAT32,
	JAG_FLOAT64,
	JAG_COMPLEX32, /* pairs (re, im) of float16 */
	JAG_COMPLEX64,
	JAG_COMPLEX128,
	JAG_FLOAT8_E4M3FN,
	JAG_FLOAT8_E5M2,
	JAG_FLOAT8_E4M3FNUZ,
	JAG_FLOAT8_E5M2FNUZ,
	JAG_FLOAT8_E8M0FNU,
	JAG_FLOAT4_E2M1FN_X2, /* two values in each byte */
	JAG_DTYPE_COUNT
};

enum jag_dtype_kind {
	JAG_KIND_BOOL,
	JAG_KIND_UINT,
	JAG_KIND_INT,
	JAG_KIND_FLOAT, /* IEEE float16, float32, float64 */
	JAG_KIND_COMPLEX,
	JAG_KIND_OPAQUE /* no arithmetic here: bfloat16, float8, float4 */
};

struct jag_dtype_info {
	const char *torch;    /* "torch.uint8": the string of meta.json */
	const char *npy;      /* NumPy's descr for the little-endian bytes ("<u2", "|u1"); NULL: NumPy has none */
	const char *npy_bits; /* descr of an unsigned integer of the same size, for `-o bits`; NULL where npy is set */
	uint8_t itemsize;     /* bytes */
	enum jag_dtype_kind kind;
	bool loadable; /* false: tensordict writes it but its loader raises KeyError (float8, float4) */
};

/* The row of `dtype`; never NULL (JAG_DTYPE_NONE gives a row with itemsize 0). Static memory. */
JAG_API const struct jag_dtype_info *jag_dtype_info(enum jag_dtype dtype);

/* "torch.uint8" (or "uint8") -> JAG_UINT8; JAG_DTYPE_NONE if unknown. */
JAG_API enum jag_dtype jag_dtype_from_name(const char *name);

/* NumPy descr, any byte order ("<u2", ">u2", "=u2", "|u1", "|b1") -> dtype; *swap is set when the bytes are
 * big-endian and itemsize > 1. JAG_DTYPE_NONE if it is none of ours (objects, strings, records). */
JAG_API enum jag_dtype jag_dtype_from_npy(const char *descr, bool *swap);

#endif
