/* SPDX-License-Identifier: MIT */
/* npy_decode.c - reads .npy files. The header is a Python dict literal of three known keys, so a small parser of just
 * that is enough: nothing is evaluated. Keys may come in any order, with either quote and any white space; the `L`
 * of Python 2's integers is accepted.
 */
#include "codec/npy_decode.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "codec/bytes.h"

#define HEADER_LIMIT 65536 /* NumPy itself stops at 10,000 */
#define DESCR_MAX 16

struct parser {
	const char *at, *end;
};

struct header {
	char descr[DESCR_MAX];
	bool has_descr, has_order, has_shape;
	bool fortran;
	bool swap;
	struct jag_shape shape;
};

static void skip_space(struct parser *p)
{
	while (p->at < p->end && memchr(" \t\r\n", *p->at, 4))
		p->at++;
}

/* The next byte that is not white space, or 0 at the end. */
static char peek(struct parser *p)
{
	skip_space(p);
	return p->at < p->end ? *p->at : '\0';
}

static bool accept(struct parser *p, char c)
{
	if (peek(p) != c || c == '\0')
		return false;
	p->at++;
	return true;
}

static bool accept_word(struct parser *p, const char *word)
{
	size_t n = strlen(word);
	skip_space(p);
	if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) != 0)
		return false;
	p->at += n;
	return true;
}

/* A quoted string without escapes, copied to `text`. */
static bool parse_string(struct parser *p, char *text, size_t size)
{
	char quote = peek(p);
	if (quote != '\'' && quote != '"')
		return false;
	const char *start = ++p->at;
	const char *close = memchr(start, quote, (size_t)(p->end - start));
	if (!close || (size_t)(close - start) >= size || memchr(start, '\\', (size_t)(close - start)))
		return false;
	memcpy(text, start, (size_t)(close - start));
	text[close - start] = '\0';
	p->at = close + 1;
	return true;
}

static bool parse_dim(struct parser *p, int64_t *out)
{
	int64_t value = 0;
	char c = peek(p);
	if (c < '0' || c > '9')
		return false;
	for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++)
		if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *p->at - '0', &value))
			return false;
	if (p->at < p->end && *p->at == 'L')
		p->at++;
	*out = value;
	return true;
}

/* "()", "(5,)", "(2, 3)". A tuple of one needs its comma, as in Python. */
static bool parse_shape(struct parser *p, struct jag_shape *shape)
{
	bool comma = true;
	shape->rank = 0;
	if (!accept(p, '('))
		return false;
	while (!accept(p, ')')) {
		if (!comma || shape->rank == JAG_MAX_RANK || !parse_dim(p, &shape->dims[shape->rank]))
			return false;
		shape->rank++;
		comma = accept(p, ',');
	}
	return shape->rank != 1 || comma;
}

static bool parse_item(struct parser *p, struct header *h)
{
	char key[16];
	if (!parse_string(p, key, sizeof(key)) || !accept(p, ':'))
		return false;
	if (strcmp(key, "descr") == 0)
		return !h->has_descr && (h->has_descr = parse_string(p, h->descr, sizeof(h->descr)));
	if (strcmp(key, "shape") == 0)
		return !h->has_shape && (h->has_shape = parse_shape(p, &h->shape));
	if (strcmp(key, "fortran_order") == 0 && !h->has_order) {
		h->fortran = accept_word(p, "True");
		return h->has_order = h->fortran || accept_word(p, "False");
	}
	return false;
}

static bool parse_dict(struct parser *p, struct header *h)
{
	bool comma = true;
	if (!accept(p, '{'))
		return false;
	while (!accept(p, '}')) {
		if (!comma || !parse_item(p, h))
			return false;
		comma = accept(p, ',');
	}
	return peek(p) == '\0' && h->has_descr && h->has_order && h->has_shape;
}

/* Magic, version and length; *dict is the literal, *data the offset of the data. */
static int frame(const uint8_t *bytes, size_t nbytes, struct parser *dict, size_t *data, struct jag_error *err)
{
	if (nbytes < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0)
		return jag_error_set(err, -EINVAL, NULL, 0, "not a .npy file: no \\x93NUMPY at its start");
	if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
		return jag_error_set(err, -EINVAL, NULL, 6, "expected npy version 1.0, 2.0 or 3.0, got %u.%u", bytes[6],
				     bytes[7]);
	size_t start = bytes[6] == 1 ? 10 : 12;
	size_t length = bytes[6] == 1 ? jag_le16(bytes + 8) : jag_le32(bytes + 8);
	if (length > HEADER_LIMIT || length > nbytes - start)
		return jag_error_set(err, -EINVAL, NULL, 8, "npy header of %zu bytes in a file of %zu", length, nbytes);
	dict->at = (const char *)bytes + start;
	dict->end = dict->at + length;
	*data = start + length;
	return 0;
}

static int read_header(const uint8_t *bytes, size_t nbytes, struct header *h, size_t *data, struct jag_error *err)
{
	struct parser p = { 0 };
	uint64_t need;
	int rc = frame(bytes, nbytes, &p, data, err);
	if (rc)
		return rc;
	const char *start = p.at;
	if (!parse_dict(&p, h))
		return jag_error_set(
			err, -EINVAL, NULL, *data - (size_t)(p.end - p.at),
			"npy header: not a dict of one plain 'descr', 'fortran_order' and 'shape' (byte %zu)",
			(size_t)(p.at - start));
	h->shape.dtype = jag_dtype_from_npy(h->descr, &h->swap);
	if (h->shape.dtype == JAG_DTYPE_NONE)
		return jag_error_set(err, -EINVAL, NULL, 0, "npy type '%s' is no number type of ours", h->descr);
	if (jag_shape_nbytes(&h->shape, &need) || need != nbytes - *data) {
		char text[256];
		return jag_error_set(err, -EINVAL, NULL, *data, "npy '%s' %s does not fill its %zu bytes of data",
				     h->descr, jag_shape_text(&h->shape, text, sizeof(text)), nbytes - *data);
	}
	return 0;
}

/* Fortran order -> C order: walks the output in order and keeps the input position by carrying an odometer. The file
 * holds every item, so its size bounds the work. */
static void transpose(const struct jag_shape *shape, size_t itemsize, const uint8_t *in, uint8_t *out, size_t nbytes)
{
	size_t stride[JAG_MAX_RANK] = { 0 };
	int64_t index[JAG_MAX_RANK] = { 0 };
	size_t step = itemsize;
	for (unsigned i = 0; i < shape->rank; i++) {
		stride[i] = step;
		step *= (size_t)shape->dims[i];
	}
	const uint8_t *from = in;
	for (size_t done = 0; done < nbytes; done += itemsize) {
		memcpy(out + done, from, itemsize);
		for (unsigned i = shape->rank; i-- > 0;) {
			from += stride[i];
			if (++index[i] < shape->dims[i])
				break;
			from -= stride[i] * (size_t)shape->dims[i];
			index[i] = 0;
		}
	}
}

int jag_npy_decode(const void *bytes, size_t nbytes, const struct jag_shape *want, const struct jag_look *look,
		   struct jag_array *out, struct jag_error *err)
{
	struct header h = { 0 };
	size_t start = 0;
	(void)want;
	(void)look;
	int rc = read_header(bytes, nbytes, &h, &start, err);
	if (rc)
		return rc;
	size_t data_nbytes = nbytes - start;
	const uint8_t *data = (const uint8_t *)bytes + start;
	const struct jag_dtype_info *info = jag_dtype_info(h.shape.dtype);
	out->data.nbytes = 0;
	out->image = false;
	rc = jag_buffer_reserve(&out->data, data_nbytes);
	if (rc)
		return jag_error_set(err, rc, NULL, 0, "no memory for %zu bytes", data_nbytes);
	if (h.fortran && h.shape.rank > 1)
		transpose(&h.shape, info->itemsize, data, out->data.data, data_nbytes);
	else if (data_nbytes)
		memcpy(out->data.data, data, data_nbytes);
	/* The two halves of a complex number are swapped one by one. */
	if (h.swap)
		jag_reverse_units(out->data.data, data_nbytes,
				  info->itemsize / (info->kind == JAG_KIND_COMPLEX ? 2U : 1U));
	out->data.nbytes = data_nbytes;
	jag_shape_copy(&out->shape, &h.shape);
	return 0;
}
