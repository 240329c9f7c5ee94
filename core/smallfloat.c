/* SPDX-License-Identifier: MIT */
/* smallfloat.c - float16, bfloat16, float8 and float4 by one description each: bits of exponent and mantissa, bias, and
 * what the largest exponent means. Rounding is done on integers: the value is brought to the scale of the target's last
 * place, and lrint-like ties go to even. */
#include "smallfloat.h"

#include <math.h>
#include <string.h>

/* What there is beyond the finite numbers. */
enum beyond {
	INF_NAN,  /* as IEEE: the largest exponent is infinity or NaN */
	SATURATE, /* no infinity; all bits set is NaN; overflow stays at the largest number */
	FINITE,   /* neither */
	ONE_NAN   /* neither infinity nor minus zero; 0x80 is NaN, and so is overflow */
};

struct format {
	uint8_t exponent, mantissa; /* bits */
	int16_t bias;
	enum beyond beyond;
};

static const struct format *format_of(enum jag_dtype dtype)
{
	static const struct format formats[JAG_DTYPE_COUNT] = {
		[JAG_FLOAT16] = { 5, 10, 15, INF_NAN },       [JAG_BFLOAT16] = { 8, 7, 127, INF_NAN },
		[JAG_FLOAT8_E4M3FN] = { 4, 3, 7, SATURATE },  [JAG_FLOAT8_E5M2] = { 5, 2, 15, INF_NAN },
		[JAG_FLOAT8_E4M3FNUZ] = { 4, 3, 8, ONE_NAN }, [JAG_FLOAT8_E5M2FNUZ] = { 5, 2, 16, ONE_NAN },
		[JAG_FLOAT4_E2M1FN_X2] = { 2, 1, 1, FINITE },
	};
	return &formats[dtype];
}

bool jag_smallfloat(enum jag_dtype dtype)
{
	return format_of(dtype)->exponent || dtype == JAG_FLOAT8_E8M0FNU;
}

/* Bits without sign of the largest finite number. */
static uint32_t largest(const struct format *f)
{
	uint32_t all = (1u << (f->exponent + f->mantissa)) - 1;
	if (f->beyond == INF_NAN)
		return all - (1u << f->mantissa);
	return f->beyond == SATURATE ? all - 1 : all;
}

static uint32_t nan_bits(enum jag_dtype dtype, const struct format *f, uint32_t sign)
{
	if (f->beyond == ONE_NAN)
		return sign;
	if (dtype == JAG_BFLOAT16)
		return 0x7fc0;
	if (f->beyond == FINITE)
		return largest(f);
	if (dtype == JAG_FLOAT16)
		return 0x7e00;
	return (1u << (f->exponent + f->mantissa)) - 1;
}

static uint32_t overflow_bits(const struct format *f, uint32_t sign)
{
	switch (f->beyond) {
	case INF_NAN:
		return largest(f) + 1;
	case ONE_NAN:
		return sign;
	case SATURATE:
	case FINITE:
		break;
	}
	return largest(f);
}

/* The magnitude in units of the last place of its binade: then the integer is the mantissa, and a carry out of it moves
 * on to the next exponent by itself. */
static uint32_t encode_magnitude(const struct format *f, double value)
{
	int exponent;
	if (value == 0.0)
		return 0;
	frexp(value, &exponent);
	exponent--; /* value = 1.xxx * 2^exponent */
	int lowest = 1 - f->bias;
	if (exponent < lowest)
		exponent = lowest;
	double units = ldexp(value, f->mantissa - exponent), whole = floor(units), rest = units - whole;
	uint64_t n = (uint64_t)whole;
	if (rest > 0.5 || (rest == 0.5 && (n & 1)))
		n++;
	/* n has the implicit bit where the number is normal: it adds one to the exponent field. */
	return (uint32_t)(n + ((uint64_t)(exponent - lowest) << f->mantissa));
}

/* Only powers of two, no sign, no zero: the exponent of the float, rounded (ties away where it is normal). */
static uint16_t encode_e8m0(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	uint32_t exponent = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
	if (exponent == 0xff)
		return 0xff;
	bool up = fraction > 0x400000 || (fraction == 0x400000 && exponent > 0);
	return (uint16_t)(exponent + up);
}

uint16_t jag_smallfloat_encode(enum jag_dtype dtype, float value)
{
	if (dtype == JAG_FLOAT8_E8M0FNU)
		return encode_e8m0(value);
	const struct format *f = format_of(dtype);
	uint32_t sign = 1u << (f->exponent + f->mantissa);
	if (isnan(value))
		return (uint16_t)nan_bits(dtype, f, sign);
	uint32_t bits = isinf(value) ? UINT32_MAX : encode_magnitude(f, fabs((double)value));
	if (bits > largest(f)) {
		bits = overflow_bits(f, sign);
		if (f->beyond == ONE_NAN)
			return (uint16_t)bits;
	}
	bool negative = signbit(value) && !(f->beyond == ONE_NAN && !bits);
	return (uint16_t)(bits | (negative ? sign : 0));
}

double jag_smallfloat_decode(enum jag_dtype dtype, uint16_t bits)
{
	if (dtype == JAG_FLOAT8_E8M0FNU)
		return bits == 0xff ? NAN : ldexp(1.0, bits - 127);
	const struct format *f = format_of(dtype);
	uint32_t sign = 1u << (f->exponent + f->mantissa), magnitude = bits & (sign - 1);
	bool negative = bits & sign;
	if (f->beyond == ONE_NAN && negative && !magnitude)
		return NAN;
	if (magnitude > largest(f)) {
		bool infinite = f->beyond == INF_NAN && magnitude == largest(f) + 1;
		return infinite ? (negative ? -INFINITY : INFINITY) : NAN;
	}
	uint32_t exponent = magnitude >> f->mantissa, fraction = magnitude & ((1u << f->mantissa) - 1);
	double value = exponent ? ldexp((double)(fraction + (1u << f->mantissa)), (int)exponent - f->bias - f->mantissa)
				: ldexp((double)fraction, 1 - f->bias - f->mantissa);
	return negative ? -value : value;
}
