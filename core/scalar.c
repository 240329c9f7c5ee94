/* SPDX-License-Identifier: MIT */
/* scalar.c - values of every dtype, and casts between them. */
#include "jag/scalar.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "smallfloat.h"

static struct jag_scalar of_int(int64_t i)
{
	return (struct jag_scalar){ .kind = JAG_SCALAR_INT, .i = i };
}

static struct jag_scalar of_real(double re)
{
	return (struct jag_scalar){ .kind = JAG_SCALAR_REAL, .re = re };
}

static struct jag_scalar of_complex(double re, double im)
{
	return (struct jag_scalar){ .kind = JAG_SCALAR_COMPLEX, .re = re, .im = im };
}

static bool parse_integer(const char *text, struct jag_scalar *out)
{
	char *end;
	int base = strncasecmp(text + (*text == '-' || *text == '+'), "0x", 2) ? 10 : 16;
	errno = 0;
	long long i = strtoll(text, &end, base);
	if (*end)
		return false;
	if (!errno) {
		*out = of_int(i);
		return true;
	}
	errno = 0;
	*out = (struct jag_scalar){ .kind = JAG_SCALAR_UINT, .u = strtoull(text, &end, base) };
	return !errno && *text != '-';
}

/* strtod, that does not take digits for infinity. *rest is what follows the number. */
static bool parse_real(const char *text, double *out, const char **rest)
{
	char *end;
	errno = 0;
	*out = strtod(text, &end);
	*rest = end;
	return end != text && !(errno == ERANGE && isinf(*out));
}

/* "1+2j", "2j": Python's spelling. */
static bool parse_complex(const char *text, struct jag_scalar *out)
{
	const char *rest;
	double first, second;
	if (!parse_real(text, &first, &rest))
		return false;
	second = first;
	bool both = *rest == '+' || *rest == '-';
	if (both && !parse_real(rest, &second, &rest))
		return false;
	*out = of_complex(both ? first : 0.0, second);
	return !strcasecmp(rest, "j");
}

int jag_scalar_parse(const char *text, struct jag_scalar *out)
{
	if (!*text || isspace((unsigned char)*text))
		return -EINVAL;
	if (!strcasecmp(text, "true") || !strcasecmp(text, "false")) {
		*out = of_int(tolower((unsigned char)*text) == 't');
		return 0;
	}
	if (parse_integer(text, out))
		return 0;
	const char *rest;
	double re;
	if (parse_real(text, &re, &rest) && !*rest) {
		*out = of_real(re);
		return 0;
	}
	return parse_complex(text, out) ? 0 : -EINVAL;
}

static int64_t load_int(const void *src, unsigned size, bool is_signed)
{
	uint64_t bits = 0;
	memcpy(&bits, src, size);
	if (is_signed && size < 8 && bits >> (8 * size - 1))
		bits |= UINT64_MAX << 8 * size;
	return (int64_t)bits;
}

static double load_real(enum jag_dtype dtype, const void *src)
{
	float single;
	double real;
	uint16_t bits = 0;
	switch (jag_dtype_info(dtype)->itemsize) {
	case 8:
		memcpy(&real, src, sizeof(real));
		return real;
	case 4:
		memcpy(&single, src, sizeof(single));
		return (double)single;
	default:
		memcpy(&bits, src, jag_dtype_info(dtype)->itemsize);
		return jag_smallfloat_decode(dtype, bits);
	}
}

/* The type of the two halves of a complex type. */
static enum jag_dtype half_of(enum jag_dtype dtype)
{
	return dtype == JAG_COMPLEX32 ? JAG_FLOAT16 : dtype == JAG_COMPLEX64 ? JAG_FLOAT32 : JAG_FLOAT64;
}

int jag_scalar_load(enum jag_dtype dtype, const void *src, struct jag_scalar *out)
{
	const struct jag_dtype_info *info = jag_dtype_info(dtype);
	if (!info->itemsize)
		return -EINVAL;
	switch (info->kind) {
	case JAG_KIND_BOOL:
	case JAG_KIND_INT:
		*out = of_int(load_int(src, info->itemsize, true));
		break;
	case JAG_KIND_UINT:
		*out = of_int(load_int(src, info->itemsize, false));
		if (out->i < 0)
			*out = (struct jag_scalar){ .kind = JAG_SCALAR_UINT, .u = (uint64_t)out->i };
		break;
	case JAG_KIND_FLOAT:
	case JAG_KIND_OPAQUE:
		if (dtype == JAG_FLOAT4_E2M1FN_X2)
			return -ENOTSUP;
		*out = of_real(load_real(dtype, src));
		break;
	case JAG_KIND_COMPLEX:
		*out = of_complex(load_real(half_of(dtype), src),
				  load_real(half_of(dtype), (const uint8_t *)src + info->itemsize / 2));
		break;
	}
	return 0;
}

static double real_part(const struct jag_scalar *value)
{
	switch (value->kind) {
	case JAG_SCALAR_INT:
		return (double)value->i;
	case JAG_SCALAR_UINT:
		return (double)value->u;
	case JAG_SCALAR_REAL:
	case JAG_SCALAR_COMPLEX:
		break;
	}
	return value->re;
}

/* Two's complement bits; see the header for what lies outside. */
static uint64_t integer_bits(const struct jag_scalar *value)
{
	if (value->kind == JAG_SCALAR_INT)
		return (uint64_t)value->i;
	if (value->kind == JAG_SCALAR_UINT)
		return value->u;
	if (value->re >= -0x1p63 && value->re < 0x1p63)
		return (uint64_t)(int64_t)value->re;
	if (value->re >= 0x1p63 && value->re < 0x1p64)
		return (uint64_t)value->re;
	return UINT64_C(1) << 63;
}

static bool is_true(const struct jag_scalar *value)
{
	if (value->kind == JAG_SCALAR_INT || value->kind == JAG_SCALAR_UINT)
		return value->u != 0;
	return value->re != 0.0 || (value->kind == JAG_SCALAR_COMPLEX && value->im != 0.0);
}

static void store_real(double real, enum jag_dtype dtype, void *dst)
{
	float single = (float)real;
	uint16_t bits;
	switch (dtype) {
	case JAG_FLOAT64:
		memcpy(dst, &real, sizeof(real));
		return;
	case JAG_FLOAT32:
		memcpy(dst, &single, sizeof(single));
		return;
	default:
		bits = jag_smallfloat_encode(dtype, single);
		if (dtype == JAG_FLOAT4_E2M1FN_X2)
			bits = (uint16_t)(bits | bits << 4);
		memcpy(dst, &bits, jag_dtype_info(dtype)->itemsize);
	}
}

int jag_scalar_store(const struct jag_scalar *value, enum jag_dtype dtype, void *dst)
{
	const struct jag_dtype_info *info = jag_dtype_info(dtype);
	uint64_t bits;
	switch (info->kind) {
	case JAG_KIND_BOOL:
		*(uint8_t *)dst = is_true(value);
		break;
	case JAG_KIND_INT:
	case JAG_KIND_UINT:
		bits = integer_bits(value);
		memcpy(dst, &bits, info->itemsize);
		break;
	case JAG_KIND_FLOAT:
	case JAG_KIND_OPAQUE:
		store_real(real_part(value), dtype, dst);
		break;
	case JAG_KIND_COMPLEX:
		store_real(real_part(value), half_of(dtype), dst);
		store_real(value->kind == JAG_SCALAR_COMPLEX ? value->im : 0.0, half_of(dtype),
			   (uint8_t *)dst + info->itemsize / 2);
		break;
	}
	return info->itemsize ? 0 : -EINVAL;
}

/* The same number comes back. */
static bool integer_fits(const struct jag_scalar *value, enum jag_dtype dtype)
{
	uint8_t item[16] = { 0 };
	struct jag_scalar back = { 0 };
	if (value->kind == JAG_SCALAR_COMPLEX && value->im != 0.0)
		return false;
	jag_scalar_store(value, dtype, item);
	jag_scalar_load(dtype, item, &back);
	if (value->kind == JAG_SCALAR_INT || value->kind == JAG_SCALAR_UINT)
		return back.kind == value->kind && back.u == value->u;
	return real_part(&back) == value->re;
}

/* A finite number stays finite, and near. */
static bool real_fits(double real, enum jag_dtype dtype)
{
	uint8_t item[16] = { 0 };
	if (dtype == JAG_FLOAT4_E2M1FN_X2)
		return fabs(real) <= 6.0;
	store_real(real, dtype, item);
	double back = load_real(dtype, item);
	if (!isfinite(real))
		return isnan(real) ? isnan(back) : back == real;
	if (!isfinite(back))
		return false;
	/* float8_e8m0 has no zero and no sign; float8_e4m3fn stays at its largest number. */
	if (dtype == JAG_FLOAT8_E8M0FNU)
		return real > 0.0;
	return dtype != JAG_FLOAT8_E4M3FN || fabs(real) <= 464.0;
}

int jag_scalar_fits(const struct jag_scalar *value, enum jag_dtype dtype)
{
	bool fits = false;
	if (!jag_dtype_info(dtype)->itemsize)
		return -ERANGE;
	switch (jag_dtype_info(dtype)->kind) {
	case JAG_KIND_BOOL:
	case JAG_KIND_INT:
	case JAG_KIND_UINT:
		fits = integer_fits(value, dtype);
		break;
	case JAG_KIND_FLOAT:
	case JAG_KIND_OPAQUE:
		fits = real_fits(real_part(value), dtype) && (value->kind != JAG_SCALAR_COMPLEX || value->im == 0.0);
		break;
	case JAG_KIND_COMPLEX:
		fits = real_fits(real_part(value), half_of(dtype)) &&
		       (value->kind != JAG_SCALAR_COMPLEX || real_fits(value->im, half_of(dtype)));
		break;
	}
	return fits ? 0 : -ERANGE;
}
