/* SPDX-License-Identifier: MIT */
/* txt.c - .txt: numbers as numpy.savetxt would write them and numpy.loadtxt reads them: rank 0 and 1 one value a line,
 * rank 2 a row a line. At most 65,536 values, so that a text stays something to look at. */
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "codec/codecs.h"
#include "codec/txt_number.h"

#define VALUES_MAX 65536

static const char *const suffixes[] = { ".txt", NULL };

static bool fits(const struct jag_shape *shape, uint64_t *numel)
{
	return shape->rank <= 2 && jag_number_is_text(shape->dtype) && jag_shape_numel(shape, numel) == 0 &&
	       *numel >= 1 && *numel <= VALUES_MAX;
}

static const char *txt_suffix(const struct jag_shape *shape, const struct jag_look *look)
{
	uint64_t numel;
	(void)look;
	return fits(shape, &numel) ? suffixes[0] : NULL;
}

/* Values of a line. */
static uint64_t columns(const struct jag_shape *shape)
{
	return shape->rank == 2 ? (uint64_t)shape->dims[1] : 1;
}

static int write_values(const struct jag_view *view, uint64_t numel, struct jag_buffer *out)
{
	const size_t itemsize = jag_dtype_info(view->shape->dtype)->itemsize;
	const uint64_t line = columns(view->shape);
	char text[JAG_NUMBER_MAX + 1];
	for (uint64_t i = 0; i < numel; i++) {
		int n = jag_number_format(view->shape->dtype, view->data + i * itemsize, text);
		text[n++] = (i + 1) % line == 0 ? '\n' : ' ';
		int rc = jag_buffer_append(out, text, (size_t)n);
		if (rc)
			return rc;
	}
	return 0;
}

/* A program that set another locale must not get decimal commas: switch this thread to C, and back. */
struct locale_guard {
	locale_t c, before;
};

static int enter_c_locale(struct locale_guard *guard)
{
	guard->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!guard->c)
		return -ENOMEM;
	guard->before = uselocale(guard->c);
	return 0;
}

static void leave_c_locale(struct locale_guard *guard)
{
	uselocale(guard->before);
	freelocale(guard->c);
}

static int txt_encode(const struct jag_view *view, const struct jag_look *look, struct jag_buffer *out)
{
	struct locale_guard guard;
	uint64_t numel;
	size_t before = out->nbytes;
	(void)look;
	if (!fits(view->shape, &numel))
		return -EINVAL;
	int rc = enter_c_locale(&guard);
	if (rc)
		return rc;
	rc = write_values(view, numel, out);
	leave_c_locale(&guard);
	if (rc)
		out->nbytes = before;
	return rc;
}

struct scanner {
	const char *at, *end;
	uint64_t line, column; /* of the next value, both from 0; blank lines do not count */
	uint64_t seen;         /* values */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Skips blanks, line ends and comments, keeps count of lines. False at the end. */
static bool next_word(struct scanner *s)
{
	for (; s->at < s->end; s->at++) {
		if (*s->at == '#') {
			const char *eol = memchr(s->at, '\n', (size_t)(s->end - s->at));
			s->at = eol ? eol - 1 : s->end - 1;
		} else if (*s->at == '\n') {
			s->line += s->column > 0;
			s->column = 0;
		} else if (!is_blank(*s->at)) {
			return true;
		}
	}
	return false;
}

/* Copies the word as a string; false if it is too long to be a number. */
static bool take_word(struct scanner *s, char text[JAG_NUMBER_MAX + 1])
{
	size_t n = 0;
	while (s->at < s->end && !is_blank(*s->at) && *s->at != '\n' && *s->at != '#') {
		if (n == JAG_NUMBER_MAX || *s->at == '\0')
			return false;
		text[n++] = *s->at++;
	}
	text[n] = '\0';
	return true;
}

/* Rows of a matrix are lines; a vector is one line or one value a line. */
static bool place_fits(const struct jag_shape *want, const struct scanner *s, uint64_t numel)
{
	if (s->seen >= numel)
		return false;
	if (want->rank == 2)
		return s->line * (uint64_t)want->dims[1] + s->column == s->seen && s->column < (uint64_t)want->dims[1];
	return s->line == 0 || (s->column == 0 && s->line == s->seen);
}

static int read_values(struct scanner *s, const struct jag_shape *want, uint64_t numel, uint8_t *data,
		       struct jag_error *err)
{
	const size_t itemsize = jag_dtype_info(want->dtype)->itemsize;
	char word[JAG_NUMBER_MAX + 1] = "", shape[64];
	if (want->rank > 0)
		jag_shape_text(want, shape, sizeof(shape));
	else
		snprintf(shape, sizeof(shape), "one value");
	for (; next_word(s); s->seen++, s->column++) {
		if (!place_fits(want, s, numel))
			return jag_error_set(err, -EINVAL, NULL, 0,
					     "expected %s, got another number of values (line %" PRIu64 ")", shape,
					     s->line + 1);
		if (!take_word(s, word) || jag_number_parse(want->dtype, word, data + s->seen * itemsize))
			return jag_error_set(
				err, -EINVAL, NULL, 0, "'%s' is no %s (line %" PRIu64 ", value %" PRIu64 ")", word,
				jag_dtype_info(want->dtype)->torch + strlen("torch."), s->line + 1, s->column + 1);
	}
	if (s->seen != numel)
		return jag_error_set(err, -EINVAL, NULL, 0, "expected %s, got %" PRIu64 " values", shape, s->seen);
	return 0;
}

static int txt_decode(const void *bytes, size_t nbytes, const struct jag_shape *want, const struct jag_look *look,
		      struct jag_array *out, struct jag_error *err)
{
	struct scanner s = { .at = bytes, .end = (const char *)bytes + nbytes };
	struct locale_guard guard;
	uint64_t numel;
	(void)look;
	if (!want || !fits(want, &numel))
		return jag_error_set(err, -EINVAL, NULL, 0, "text needs an element of few numbers to be read for");
	size_t need = (size_t)numel * jag_dtype_info(want->dtype)->itemsize;
	out->data.nbytes = 0;
	if (jag_buffer_reserve(&out->data, need) || enter_c_locale(&guard))
		return jag_error_set(err, -ENOMEM, NULL, 0, "no memory for %zu bytes", need);
	int rc = read_values(&s, want, numel, out->data.data, err);
	leave_c_locale(&guard);
	if (rc)
		return rc;
	jag_shape_copy(&out->shape, want);
	out->image = false;
	out->data.nbytes = need;
	return 0;
}

const struct jag_codec jag_codec_txt = {
	.name = "txt",
	.format = JAG_FORMAT_TXT,
	.suffixes = suffixes,
	.suffix = txt_suffix,
	.encode = txt_encode,
	.decode = txt_decode,
};
