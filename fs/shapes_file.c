/* SPDX-License-Identifier: MIT */
/* shapes_file.c - shape matrices from .npy and .csv files. */
#include "shapes_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jag/codec.h"
#include "jag/scalar.h"

#define READ_NBYTES (size_t)(256 << 10)

static int read_file(const char *path, struct jag_buffer *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int rc = 0;
	ssize_t n = 1;
	while (!rc && n) {
		size_t room = text->nbytes + READ_NBYTES;
		rc = room >= text->capacity ? jag_buffer_reserve(text, room + room / 2) : 0;
		n = rc ? 0 : read(fd, text->data + text->nbytes, READ_NBYTES);
		if (n < 0 && errno != EINTR)
			rc = -errno;
		text->nbytes += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	if (!rc)
		text->data[text->nbytes] = '\0'; /* there is room for it */
	return rc;
}

/* Items of any integer type -> int64. */
static int widen(const struct jag_array *array, struct jag_shapes *out)
{
	const struct jag_dtype_info *info = jag_dtype_info(array->shape.dtype);
	uint64_t total = out->count * out->rank;
	out->values = malloc(total * sizeof(*out->values) + 1);
	if (!out->values)
		return -ENOMEM;
	for (uint64_t i = 0; i < total; i++) {
		struct jag_scalar value;
		int rc = jag_scalar_load(array->shape.dtype, array->data.data + i * info->itemsize, &value);
		if (rc || value.kind != JAG_SCALAR_INT)
			return -EINVAL;
		out->values[i] = value.i;
	}
	return 0;
}

static int parse_npy(const char *path, const struct jag_buffer *text, struct jag_shapes *out, struct jag_error *err)
{
	struct jag_array array = { 0 };
	struct jag_error why = { 0 };
	struct jag_look look;
	jag_look_default(&look);
	int rc = jag_codec_by_format(JAG_FORMAT_NPY)->decode(text->data, text->nbytes, NULL, &look, &array, &why);
	if (rc)
		return jag_error_set(err, rc, path, why.offset, "%s", why.message);
	enum jag_dtype_kind kind = jag_dtype_info(array.shape.dtype)->kind;
	unsigned rank = array.shape.rank;
	if ((kind != JAG_KIND_INT && kind != JAG_KIND_UINT) || rank < 1 || rank > 2 ||
	    (rank == 2 && array.shape.dims[1] > JAG_MAX_RANK)) {
		char shape[96];
		rc = jag_error_set(err, -EINVAL, path, 0, "want integers of the shape [n, d], d <= %d; this is %s %s",
				   JAG_MAX_RANK, jag_dtype_info(array.shape.dtype)->torch,
				   jag_shape_text(&array.shape, shape, sizeof(shape)));
	} else {
		out->count = (uint64_t)array.shape.dims[0];
		out->rank = rank == 2 ? (unsigned)array.shape.dims[1] : 1;
		rc = widen(&array, out);
		if (rc)
			jag_error_set(err, rc, path, 0, "a size is no number that fits");
	}
	jag_array_free(&array);
	return rc;
}

int jag_sizes_parse(const char *text, int64_t *sizes, unsigned max)
{
	unsigned n = 0;
	for (;;) {
		char *end;
		text += strspn(text, " \t");
		errno = 0;
		long long value = strtoll(text, &end, 10);
		if (end == text || errno || n == max)
			return -EINVAL;
		sizes[n++] = value;
		text = end + strspn(end, " \t");
		if (!*text)
			return (int)n;
		if (*text != ',' && *text != ';' && text == end)
			return -EINVAL;
		text += *text == ',' || *text == ';';
	}
}

static int add_row(struct jag_shapes *out, uint64_t *capacity, const int64_t *row)
{
	if (out->count == *capacity) {
		uint64_t grown = *capacity ? *capacity * 2 : 256;
		int64_t *values = realloc(out->values, grown * out->rank * sizeof(*values));
		if (!values)
			return -ENOMEM;
		out->values = values;
		*capacity = grown;
	}
	memcpy(out->values + out->count++ * out->rank, row, out->rank * sizeof(*row));
	return 0;
}

/* A row a line; empty lines and those that begin with # are left out. */
static int parse_csv(const char *path, struct jag_buffer *text, struct jag_shapes *out, struct jag_error *err)
{
	uint64_t capacity = 0, line = 0;
	if (strlen((const char *)text->data) != text->nbytes)
		return jag_error_set(err, -EINVAL, path, 0, "is neither .npy nor text");
	/* strsep, for strtok leaves out empty lines, and then the others have wrong numbers. */
	for (char *rest = (char *)text->data, *row = strsep(&rest, "\n"); row; row = strsep(&rest, "\n")) {
		int64_t sizes[JAG_MAX_RANK];
		line++;
		row[strcspn(row, "\r")] = '\0';
		if (!row[strspn(row, " \t")] || *row == '#')
			continue;
		int n = jag_sizes_parse(row, sizes, JAG_MAX_RANK);
		if (n < 0 || (out->rank && (unsigned)n != out->rank))
			return jag_error_set(err, -EINVAL, path, 0,
					     n < 0 ? "row %" PRIu64 " is no list of sizes: %.60s"
						   : "row %" PRIu64 " has another length: %.60s",
					     line, row);
		out->rank = (unsigned)n;
		if (add_row(out, &capacity, sizes))
			return jag_error_set(err, -ENOMEM, path, 0, "out of memory");
	}
	return out->count ? 0 : jag_error_set(err, -EINVAL, path, 0, "holds no sizes");
}

int jag_shapes_read(const char *path, struct jag_shapes *out, struct jag_error *err)
{
	struct jag_buffer text = { 0 };
	*out = (struct jag_shapes){ 0 };
	int rc = read_file(path, &text);
	if (rc)
		jag_error_set(err, rc, path, 0, "cannot read: %s", strerror(-rc));
	else if (text.nbytes >= 6 && !memcmp(text.data, "\x93NUMPY", 6))
		rc = parse_npy(path, &text, out, err);
	else
		rc = parse_csv(path, &text, out, err);
	jag_buffer_free(&text);
	if (rc) {
		free(out->values);
		*out = (struct jag_shapes){ 0 };
	}
	return rc;
}
