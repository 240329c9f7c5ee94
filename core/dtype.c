/* SPDX-License-Identifier: MIT */
/* dtype.c - the table of element types of jag/dtype.h. */
#include "jag/dtype.h"

#include <string.h>

/* tensordict's loader has no entry for the float8 and float4 types, although its writer accepts them.
 * complex32 has no NumPy type either; its bits are those of a uint32. */
static const struct jag_dtype_info dtypes[JAG_DTYPE_COUNT] = {
	[JAG_DTYPE_NONE] = { "", NULL, NULL, 0, JAG_KIND_OPAQUE, false },
	[JAG_BOOL] = { "torch.bool", "|b1", NULL, 1, JAG_KIND_BOOL, true },
	[JAG_UINT8] = { "torch.uint8", "|u1", NULL, 1, JAG_KIND_UINT, true },
	[JAG_INT8] = { "torch.int8", "|i1", NULL, 1, JAG_KIND_INT, true },
	[JAG_UINT16] = { "torch.uint16", "<u2", NULL, 2, JAG_KIND_UINT, true },
	[JAG_INT16] = { "torch.int16", "<i2", NULL, 2, JAG_KIND_INT, true },
	[JAG_UINT32] = { "torch.uint32", "<u4", NULL, 4, JAG_KIND_UINT, true },
	[JAG_INT32] = { "torch.int32", "<i4", NULL, 4, JAG_KIND_INT, true },
	[JAG_UINT64] = { "torch.uint64", "<u8", NULL, 8, JAG_KIND_UINT, true },
	[JAG_INT64] = { "torch.int64", "<i8", NULL, 8, JAG_KIND_INT, true },
	[JAG_FLOAT16] = { "torch.float16", "<f2", NULL, 2, JAG_KIND_FLOAT, true },
	[JAG_BFLOAT16] = { "torch.bfloat16", NULL, "<u2", 2, JAG_KIND_OPAQUE, true },
	[JAG_FLOAT32] = { "torch.float32", "<f4", NULL, 4, JAG_KIND_FLOAT, true },
	[JAG_FLOAT64] = { "torch.float64", "<f8", NULL, 8, JAG_KIND_FLOAT, true },
	[JAG_COMPLEX32] = { "torch.complex32", NULL, "<u4", 4, JAG_KIND_COMPLEX, true },
	[JAG_COMPLEX64] = { "torch.complex64", "<c8", NULL, 8, JAG_KIND_COMPLEX, true },
	[JAG_COMPLEX128] = { "torch.complex128", "<c16", NULL, 16, JAG_KIND_COMPLEX, true },
	[JAG_FLOAT8_E4M3FN] = { "torch.float8_e4m3fn", NULL, "|u1", 1, JAG_KIND_OPAQUE, false },
	[JAG_FLOAT8_E5M2] = { "torch.float8_e5m2", NULL, "|u1", 1, JAG_KIND_OPAQUE, false },
	[JAG_FLOAT8_E4M3FNUZ] = { "torch.float8_e4m3fnuz", NULL, "|u1", 1, JAG_KIND_OPAQUE, false },
	[JAG_FLOAT8_E5M2FNUZ] = { "torch.float8_e5m2fnuz", NULL, "|u1", 1, JAG_KIND_OPAQUE, false },
	[JAG_FLOAT8_E8M0FNU] = { "torch.float8_e8m0fnu", NULL, "|u1", 1, JAG_KIND_OPAQUE, false },
	[JAG_FLOAT4_E2M1FN_X2] = { "torch.float4_e2m1fn_x2", NULL, "|u1", 1, JAG_KIND_OPAQUE, false },
};

static const char prefix[] = "torch.";

const struct jag_dtype_info *jag_dtype_info(enum jag_dtype dtype)
{
	if ((unsigned)dtype >= JAG_DTYPE_COUNT)
		dtype = JAG_DTYPE_NONE;
	return &dtypes[dtype];
}

enum jag_dtype jag_dtype_from_name(const char *name)
{
	size_t skip = strncmp(name, prefix, sizeof(prefix) - 1) == 0 ? 0 : sizeof(prefix) - 1;
	for (int i = JAG_DTYPE_NONE + 1; i < JAG_DTYPE_COUNT; i++) {
		if (strcmp(dtypes[i].torch + skip, name) == 0)
			return (enum jag_dtype)i;
	}
	return JAG_DTYPE_NONE;
}

enum jag_dtype jag_dtype_from_npy(const char *descr, bool *swap)
{
	*swap = false;
	if (!descr[0] || !strchr("<>=|", descr[0]))
		return JAG_DTYPE_NONE;
	for (int i = JAG_DTYPE_NONE + 1; i < JAG_DTYPE_COUNT; i++) {
		const char *npy = dtypes[i].npy;
		if (!npy || strcmp(npy + 1, descr + 1) != 0)
			continue;
		/* '|' says "order does not apply"; on a wider type it says nothing that can be trusted. */
		if (descr[0] == '|' && dtypes[i].itemsize > 1)
			return JAG_DTYPE_NONE;
		*swap = descr[0] == '>' && dtypes[i].itemsize > 1;
		return (enum jag_dtype)i;
	}
	return JAG_DTYPE_NONE;
}
