/* SPDX-License-Identifier: MIT */
/* txt_number.c - numbers <-> text, exactly: what is written reads back to the same bits.
 *
 * Integers never pass through floating point. A float is written with as few digits as read back to the same value;
 * float16 and bfloat16 are widened (exact) and rounded back to nearest even. Infinities and NaN are "inf" and "nan"
 * with their sign; the payload of a NaN is not kept. Complex numbers are "(re+imj)". All forms are what numpy.loadtxt
 * reads; what is read may also be an integer written as a float ("7.0e+00", numpy.savetxt's default), True and False.
 */
#include "codec/txt_number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The floating types as their bits: what rounding and printing need to know. */
struct float_type {
	unsigned mantissa, exponent; /* bits */
	int digits;                  /* at which printing starts: any so long decimal survives */
};

static const struct float_type half = { 10, 5, 3 }, brain = { 7, 8, 2 }, single = { 23, 8, 6 }, wide = { 52, 11, 15 };

static const struct float_type *float_type(enum jag_dtype dtype)
{
	switch (dtype) {
	case JAG_FLOAT16:
	case JAG_COMPLEX32:
		return &half;
	case JAG_BFLOAT16:
		return &brain;
	case JAG_FLOAT32:
	case JAG_COMPLEX64:
		return &single;
	case JAG_FLOAT64:
	case JAG_COMPLEX128:
		return &wide;
	default:
		return NULL;
	}
}

bool jag_number_is_text(enum jag_dtype dtype)
{
	enum jag_dtype_kind kind = jag_dtype_info(dtype)->kind;
	return float_type(dtype) || kind == JAG_KIND_BOOL || kind == JAG_KIND_UINT || kind == JAG_KIND_INT;
}

static size_t nbytes_of(const struct float_type *f)
{
	return (f->mantissa + f->exponent + 1) / 8;
}

/* float16 and bfloat16 -> double, by their fields. */
static double widen(const struct float_type *f, uint16_t bits)
{
	int bias = (1 << (f->exponent - 1)) - 1, top = (1 << f->exponent) - 1;
	int exponent = bits >> f->mantissa & top;
	int mantissa = bits & ((1 << f->mantissa) - 1);
	double value;
	if (exponent == top)
		value = mantissa ? (double)NAN : (double)INFINITY;
	else if (exponent)
		value = ldexp(mantissa | 1 << f->mantissa, exponent - bias - (int)f->mantissa);
	else
		value = ldexp(mantissa, 1 - bias - (int)f->mantissa);
	return copysign(value, bits >> 15 ? -1.0 : 1.0);
}

/* double -> float16 or bfloat16, nearest even; false if a finite value becomes infinite. */
static bool narrow(const struct float_type *f, double value, uint16_t *bits)
{
	int bias = (1 << (f->exponent - 1)) - 1, top = (1 << f->exponent) - 1;
	int exponent, result;
	double magnitude = fabs(value);
	if (isnan(value)) {
		result = top << f->mantissa | 1 << (f->mantissa - 1);
	} else if (isinf(value)) {
		result = top << f->mantissa;
	} else {
		frexp(magnitude, &exponent);
		/* The exponent of the unit in the last place: that of the subnormals at least. */
		int unit = exponent - 1 - (int)f->mantissa, least = 1 - bias - (int)f->mantissa;
		if (magnitude == 0 || unit < least)
			unit = least;
		/* Units fill the fields by themselves: a carry out of the mantissa is the next exponent. */
		double units = rint(ldexp(magnitude, -unit));
		result = (int)units + ((unit - least) << f->mantissa);
		if (result >= top << f->mantissa)
			return false;
	}
	*bits = (uint16_t)(result | (signbit(value) ? 1 << 15 : 0));
	return true;
}

static double load_float(const struct float_type *f, const uint8_t *p)
{
	uint16_t bits;
	float value32;
	double value64;
	switch (nbytes_of(f)) {
	case 8:
		memcpy(&value64, p, 8);
		return value64;
	case 4:
		memcpy(&value32, p, 4);
		return (double)value32;
	default:
		memcpy(&bits, p, 2);
		return widen(f, bits);
	}
}

/* Text -> item; *end is where the number ended. -EINVAL: none there, or too large. */
static int parse_float(const struct float_type *f, const char *text, char **end, uint8_t *p)
{
	/* strtod also takes white space, hexadecimal and NaN payloads, which no other reader of these files does. */
	const char *start = text + (*text == '+' || *text == '-');
	size_t word = strspn(start, "0123456789.eE+-infatyINFATY");
	if (!isdigit((unsigned char)*start) && *start != '.' && !strchr("iInN", *start))
		return -EINVAL;
	uint16_t bits;
	bool infinite = *start == 'i' || *start == 'I';
	float value32 = nbytes_of(f) == 4 ? strtof(text, end) : 0;
	double value64 = nbytes_of(f) == 4 ? (double)value32 : strtod(text, end);
	if (*end == text || *end > start + word || (isinf(value64) && !infinite))
		return -EINVAL;
	switch (nbytes_of(f)) {
	case 8:
		memcpy(p, &value64, 8);
		return 0;
	case 4:
		memcpy(p, &value32, 4);
		return 0;
	default:
		if (!narrow(f, value64, &bits))
			return -EINVAL;
		memcpy(p, &bits, 2);
		return 0;
	}
}

/* Room for 40 bytes. */
static int format_float(const struct float_type *f, const uint8_t *p, char *text)
{
	double value = load_float(f, p);
	if (!isfinite(value))
		return snprintf(text, 40, "%s%s", signbit(value) ? "-" : "", isnan(value) ? "nan" : "inf");
	int n = 0;
	/* At most three more digits are needed than always survive. */
	for (int digits = f->digits; digits <= f->digits + 3; digits++) {
		uint8_t back[8];
		char *end;
		n = snprintf(text, 40, "%.*g", digits, value);
		if (parse_float(f, text, &end, back) == 0 && memcmp(back, p, nbytes_of(f)) == 0)
			break;
	}
	return n;
}

static int format_int(const struct jag_dtype_info *info, const uint8_t *item, char *text)
{
	uint64_t bits = 0;
	memcpy(&bits, item, info->itemsize);
	if (info->kind == JAG_KIND_BOOL)
		return snprintf(text, JAG_NUMBER_MAX, "%d", bits != 0);
	if (info->kind == JAG_KIND_UINT)
		return snprintf(text, JAG_NUMBER_MAX, "%" PRIu64, bits);
	unsigned shift = 64U - 8U * info->itemsize; /* sign extension */
	return snprintf(text, JAG_NUMBER_MAX, "%" PRId64, (int64_t)(bits << shift) >> shift);
}

int jag_number_format(enum jag_dtype dtype, const uint8_t *item, char *text)
{
	const struct jag_dtype_info *info = jag_dtype_info(dtype);
	const struct float_type *f = float_type(dtype);
	if (!f)
		return format_int(info, item, text);
	if (info->kind != JAG_KIND_COMPLEX)
		return format_float(f, item, text);
	char im[40];
	int n = 1;
	text[0] = '(';
	n += format_float(f, item, text + n);
	format_float(f, item + nbytes_of(f), im);
	return n + snprintf(text + n, (size_t)(JAG_NUMBER_MAX - n), "%s%sj)", im[0] == '-' ? "" : "+", im);
}

/* "(re+imj)", "re+imj", "imj" or "re". */
static int parse_complex(const struct float_type *f, const char *text, uint8_t *item)
{
	char *end;
	size_t n = nbytes_of(f);
	bool open = *text == '(';
	text += open;
	int rc = parse_float(f, text, &end, item);
	if (rc)
		return rc;
	if (*end == 'j' || *end == 'J') {
		memcpy(item + n, item, n);
		memset(item, 0, n);
		end++;
	} else if (*end == '+' || *end == '-') {
		rc = parse_float(f, end, &end, item + n);
		if (rc || (*end != 'j' && *end != 'J'))
			return -EINVAL;
		end++;
	} else {
		memset(item + n, 0, n);
	}
	if (open && *end++ != ')')
		return -EINVAL;
	return *end ? -EINVAL : 0;
}

/* Does the magnitude fit the type? Negative values have one more. */
static int store_int(const struct jag_dtype_info *info, bool negative, uint64_t magnitude, uint8_t *item)
{
	uint64_t max = info->kind == JAG_KIND_BOOL ? 1 : UINT64_MAX >> (64 - 8 * info->itemsize);
	if (info->kind == JAG_KIND_INT)
		max = (max >> 1) + negative;
	else if (negative && magnitude)
		return -EINVAL;
	if (magnitude > max)
		return -EINVAL;
	uint64_t bits = negative ? 0 - magnitude : magnitude;
	memcpy(item, &bits, info->itemsize);
	return 0;
}

/* An integer that was written as a float: taken if it is whole and exact. */
static int parse_whole_float(const struct jag_dtype_info *info, const char *text, uint8_t *item)
{
	double value;
	char *end;
	if (parse_float(&wide, text, &end, (uint8_t *)&value) || *end)
		return -EINVAL;
	if (!(fabs(value) < 0x1p53) || rint(value) != value)
		return -EINVAL;
	return store_int(info, value < 0, (uint64_t)fabs(value), item);
}

static int parse_int(const struct jag_dtype_info *info, const char *text, uint8_t *item)
{
	uint64_t magnitude = 0;
	const char *p = text + (*text == '+' || *text == '-');
	if (info->kind == JAG_KIND_BOOL && (strcmp(text, "True") == 0 || strcmp(text, "False") == 0))
		return store_int(info, false, *text == 'T', item);
	if (!*p)
		return -EINVAL;
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(magnitude, 10U, &magnitude) ||
		    __builtin_add_overflow(magnitude, (uint64_t)(*p - '0'), &magnitude))
			return -EINVAL;
	if (*p)
		return parse_whole_float(info, text, item);
	return store_int(info, *text == '-', magnitude, item);
}

int jag_number_parse(enum jag_dtype dtype, const char *text, uint8_t *item)
{
	const struct jag_dtype_info *info = jag_dtype_info(dtype);
	const struct float_type *f = float_type(dtype);
	char *end;
	if (!f)
		return parse_int(info, text, item);
	if (info->kind == JAG_KIND_COMPLEX)
		return parse_complex(f, text, item);
	return parse_float(f, text, &end, item) || *end ? -EINVAL : 0;
}
