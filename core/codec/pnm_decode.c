/* SPDX-License-Identifier: MIT */
/* pnm_decode.c - PBM, PGM, PPM (plain and raw) and PAM -> pixels.
 *
 *   P1..P6   white space, width, height, [maxval], one white space byte, raster; comments from '#' to the line's end
 *   P7       lines WIDTH, HEIGHT, DEPTH, MAXVAL, TUPLTYPE, ENDHDR; raster
 *
 * Values up to 255 are one byte, larger ones two, big-endian. A maxval of 255 or 65535 is taken as it is; any other
 * is scaled to the full range and rounded (as Pillow and netpbm do), and so is 16 bit to 8. What follows the first
 * image of a file is ignored.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codec/bytes.h"
#include "codec/image_formats.h"

struct reader {
	const uint8_t *at, *end;
};

struct header {
	uint32_t width, height, channels, maxval;
	bool plain, bitmap;
	size_t data; /* offset of the raster */
};

static bool is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* White space and comments. */
static void skip_space(struct reader *r)
{
	while (r->at < r->end && (is_space(*r->at) || *r->at == '#')) {
		if (*r->at == '#') {
			const uint8_t *eol = memchr(r->at, '\n', (size_t)(r->end - r->at));
			r->at = eol ? eol : r->end;
		} else {
			r->at++;
		}
	}
}

/* A decimal number and nothing else up to white space. -EAGAIN at the end of the bytes, where more digits may follow. */
static int read_number(struct reader *r, uint32_t *out)
{
	uint32_t value = 0;
	skip_space(r);
	const uint8_t *start = r->at;
	for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
		if (__builtin_mul_overflow(value, 10U, &value) || __builtin_add_overflow(value, *r->at - '0', &value))
			return -EINVAL;
	if (r->at == r->end)
		return -EAGAIN;
	if (r->at == start || !is_space(*r->at))
		return -EINVAL;
	*out = value;
	return 0;
}

static int read_classic(struct reader *r, unsigned kind, struct header *h)
{
	h->plain = kind <= 3;
	h->bitmap = kind == 1 || kind == 4;
	h->channels = kind == 3 || kind == 6 ? 3 : 1;
	h->maxval = 1;
	int rc = read_number(r, &h->width);
	if (rc == 0)
		rc = read_number(r, &h->height);
	if (rc == 0 && !h->bitmap)
		rc = read_number(r, &h->maxval);
	if (rc == 0)
		r->at++; /* the one white space byte before the raster */
	return rc;
}

static bool word_is(const uint8_t *word, size_t n, const char *text)
{
	return strlen(text) == n && memcmp(word, text, n) == 0;
}

/* The channels that a tuple type says; 0 for one that is not known. */
static uint32_t tuple_channels(const uint8_t *word, size_t n)
{
	static const char *const types[] = { "BLACKANDWHITE",   "GRAYSCALE", "BLACKANDWHITE_ALPHA",
					     "GRAYSCALE_ALPHA", "RGB",       "RGB_ALPHA" };
	static const uint32_t channels[] = { 1, 1, 2, 2, 3, 4 };
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (word_is(word, n, types[i]))
			return channels[i];
	return 0;
}

/* The word at the reader, which ends at white space. 0 bytes: the end. */
static size_t read_word(struct reader *r, const uint8_t **word)
{
	skip_space(r);
	*word = r->at;
	while (r->at < r->end && !is_space(*r->at))
		r->at++;
	return r->at == r->end ? 0 : (size_t)(r->at - *word);
}

/* Where the number after this word goes; NULL: it is none of the header's. */
static uint32_t *pam_field(struct header *h, const uint8_t *word, size_t n)
{
	if (word_is(word, n, "WIDTH"))
		return &h->width;
	if (word_is(word, n, "HEIGHT"))
		return &h->height;
	if (word_is(word, n, "DEPTH"))
		return &h->channels;
	return word_is(word, n, "MAXVAL") ? &h->maxval : NULL;
}

/* The word after TUPLTYPE. */
static int read_tuple_type(struct reader *r, uint32_t *channels)
{
	const uint8_t *word;
	size_t n = read_word(r, &word);
	*channels = tuple_channels(word, n);
	if (!n)
		return -EAGAIN;
	return *channels ? 0 : -EINVAL;
}

static int read_pam(struct reader *r, struct header *h)
{
	uint32_t typed = 0;
	for (;;) {
		const uint8_t *word;
		size_t n = read_word(r, &word);
		uint32_t *field = pam_field(h, word, n);
		int rc = -EINVAL;
		if (!n)
			return -EAGAIN;
		if (word_is(word, n, "ENDHDR"))
			break;
		if (field)
			rc = read_number(r, field);
		else if (word_is(word, n, "TUPLTYPE"))
			rc = read_tuple_type(r, &typed);
		if (rc)
			return rc;
	}
	r->at++;
	return typed && typed != h->channels ? -EINVAL : 0;
}

static int read_header(const uint8_t *bytes, size_t nbytes, struct header *h, struct jag_error *err)
{
	struct reader r = { bytes + 2, bytes + nbytes };
	*h = (struct header){ 0 };
	int rc = bytes[1] == '7' ? read_pam(&r, h) : read_classic(&r, bytes[1] - '0', h);
	h->data = (size_t)(r.at - bytes);
	if (rc == -EAGAIN)
		return rc;
	if (rc || !h->width || !h->height || h->width > INT32_MAX || h->height > INT32_MAX || h->channels < 1 ||
	    h->channels > 4 || h->maxval < 1 || h->maxval > 65535)
		return jag_error_set(err, -EINVAL, NULL, h->data, "broken PNM header");
	return 0;
}

static int pnm_probe(const uint8_t *bytes, size_t nbytes, struct jag_image_info *info, struct jag_error *err)
{
	struct header h = { 0 };
	int rc = read_header(bytes, nbytes, &h, err);
	if (rc)
		return rc;
	info->width = h.width;
	info->height = h.height;
	info->channels = h.channels;
	info->depth = h.bitmap ? 1 : h.maxval > 255 ? 16 : 8;
	info->alpha = h.channels == 2 || h.channels == 4;
	return 0;
}

/* Where values go, and on which scale. */
struct sink {
	uint8_t *out;
	unsigned depth;
	uint32_t maxval;
	bool scale;
	double full;
};

/* False if the value is above the maximum. */
static inline bool put_value(struct sink *s, uint32_t value)
{
	if (value > s->maxval)
		return false;
	if (s->scale)
		value = (uint32_t)rint((double)value / s->maxval * s->full);
	if (s->depth == 16) {
		uint16_t v = (uint16_t)value;
		memcpy(s->out, &v, 2);
		s->out += 2;
	} else {
		*s->out++ = (uint8_t)value;
	}
	return true;
}

static int read_plain(struct reader *r, const struct header *h, size_t count, struct sink *s)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t value = 0;
		skip_space(r);
		const uint8_t *start = r->at;
		/* The digits of a plain bitmap need no space between them. */
		for (; r->at < r->end && *r->at >= '0' && *r->at <= '9' && value <= 65535; r->at++) {
			value = value * 10 + (*r->at - '0');
			if (h->bitmap) {
				r->at++;
				break;
			}
		}
		if (r->at == start || !put_value(s, h->bitmap ? value ^ 1 : value))
			return -EINVAL;
	}
	return 0;
}

static int read_bitmap(struct reader *r, const struct header *h, struct sink *s)
{
	size_t row = ((size_t)h->width + 7) / 8;
	if ((size_t)(r->end - r->at) / row < h->height)
		return -EINVAL;
	for (uint32_t y = 0; y < h->height; y++, r->at += row)
		for (uint32_t x = 0; x < h->width; x++)
			put_value(s, !(r->at[x / 8] >> (7 - x % 8) & 1));
	return 0;
}

static int read_raw(struct reader *r, const struct header *h, size_t count, struct sink *s)
{
	size_t itemsize = h->maxval > 255 ? 2 : 1;
	if ((size_t)(r->end - r->at) / itemsize < count)
		return -EINVAL;
	if (itemsize == 1 && !s->scale) {
		memcpy(s->out, r->at, count);
		return 0;
	}
	for (size_t i = 0; i < count; i++, r->at += itemsize)
		if (!put_value(s, itemsize == 2 ? jag_be16(r->at) : *r->at))
			return -EINVAL;
	return 0;
}

static int pnm_decode(const struct jag_image_source *src, uint8_t *out, struct jag_error *err)
{
	struct header h = { 0 };
	int rc = read_header(src->bytes, src->nbytes, &h, err);
	if (rc)
		return rc;
	struct reader r = { src->bytes + h.data, src->bytes + src->nbytes };
	struct sink s = { .out = out, .depth = src->depth, .maxval = h.maxval, .full = src->depth == 16 ? 65535 : 255 };
	size_t count = (size_t)h.width * h.height * h.channels;
	s.scale = h.maxval != (uint32_t)s.full;
	if (h.plain)
		rc = read_plain(&r, &h, count, &s);
	else if (h.bitmap)
		rc = read_bitmap(&r, &h, &s);
	else
		rc = read_raw(&r, &h, count, &s);
	return rc ? jag_error_set(err, rc, NULL, (size_t)(r.at - src->bytes),
				  "PNM that ends early or holds a value above its maximum of %u", h.maxval)
		  : 0;
}

const struct jag_image_format jag_image_pnm = {
	.type = JAG_IMAGE_PNM,
	.probe = pnm_probe,
	.decode = pnm_decode,
};
