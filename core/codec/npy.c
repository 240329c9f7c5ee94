/* SPDX-License-Identifier: MIT */
/* npy.c - .npy: the header that NumPy writes, byte for byte, then the element's bytes. Reading foreign headers is
 * npy_decode.c.
 *
 *   \x93NUMPY | 1 | 0 | header length, u16 little-endian | dict literal, spaces, '\n' | data
 *
 * The length of all before the data is a multiple of 64. Version 1.0 always does: the longest header that 64
 * dimensions of 19 digits can need is far below JAG_HEADER_MAX, and that is below 65,536.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "codec/bytes.h"
#include "codec/codecs.h"
#include "codec/npy_decode.h"

#define PREFIX_NBYTES 10
#define ALIGN 64
#define GROWTH_DIGITS 21 /* NumPy leaves room to rewrite dimension 0 in place with up to so many digits */

static const char *const suffixes[] = { ".npy", NULL };

static const char *descr_of(enum jag_dtype dtype, const struct jag_look *look)
{
	const struct jag_dtype_info *info = jag_dtype_info(dtype);
	if (info->npy)
		return info->npy;
	return look->npy_bits ? info->npy_bits : NULL;
}

static const char *npy_suffix(const struct jag_shape *shape, const struct jag_look *look)
{
	uint64_t nbytes;
	if (jag_shape_nbytes(shape, &nbytes) || !descr_of(shape->dtype, look))
		return NULL;
	return suffixes[0];
}

/* Appends to `text` (used `at` of `size` bytes); the new length. Callers check it once, at the end. */
static size_t JAG_PRINTF(4, 5) put(char *text, size_t size, size_t at, const char *fmt, ...)
{
	va_list ap;
	if (at >= size)
		return at;
	va_start(ap, fmt);
	int n = vsnprintf(text + at, size - at, fmt, ap);
	va_end(ap);
	return n < 0 ? size : at + (size_t)n;
}

/* The dict literal with NumPy's room for growth, without the padding. Its length; >= size if it did not fit. */
static size_t write_dict(char *text, size_t size, const char *descr, const struct jag_shape *shape)
{
	size_t at = put(text, size, 0, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
	for (unsigned i = 0; i < shape->rank; i++)
		at = put(text, size, at, "%s%" PRId64, i ? ", " : "", shape->dims[i]);
	at = put(text, size, at, shape->rank == 1 ? ",), }" : "), }");
	if (shape->rank) {
		int digits = snprintf(NULL, 0, "%" PRId64, shape->dims[0]);
		at = put(text, size, at, "%*s", GROWTH_DIGITS - digits, "");
	}
	return at;
}

static int npy_live(const struct jag_shape *shape, const struct jag_look *look, struct jag_live *out)
{
	const char *descr = descr_of(shape->dtype, look);
	int rc = jag_live_init(shape, out);
	if (rc || !descr)
		return -EINVAL;
	char *dict = (char *)out->header + PREFIX_NBYTES;
	size_t used = write_dict(dict, sizeof(out->header) - PREFIX_NBYTES, descr, shape);
	/* One byte at least is padding's newline; NumPy adds a whole block where none would be needed. */
	size_t total = (PREFIX_NBYTES + used + 1) / ALIGN * ALIGN + ALIGN;
	if (total > sizeof(out->header))
		return -EINVAL;
	memcpy(out->header, "\x93NUMPY\x01\x00", 8);
	jag_put_le16(out->header + 8, (uint32_t)(total - PREFIX_NBYTES));
	memset(dict + used, ' ', total - PREFIX_NBYTES - used);
	out->header[total - 1] = '\n';
	out->header_nbytes = total;
	return 0;
}

const struct jag_codec jag_codec_npy = {
	.name = "npy",
	.format = JAG_FORMAT_NPY,
	.suffixes = suffixes,
	.suffix = npy_suffix,
	.live = npy_live,
	.decode = jag_npy_decode,
};
