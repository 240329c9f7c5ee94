/* SPDX-License-Identifier: MIT */
/* raw.c - .bin: the element's bytes, nothing else. The least that a format must do. */
#include <errno.h>
#include <inttypes.h>

#include "codec/codecs.h"

static const char *const suffixes[] = { ".bin", NULL };

static const char *raw_suffix(const struct jag_shape *shape, const struct jag_look *look)
{
	uint64_t nbytes;
	(void)look;
	return jag_shape_nbytes(shape, &nbytes) ? NULL : suffixes[0];
}

static int raw_live(const struct jag_shape *shape, const struct jag_look *look, struct jag_live *out)
{
	(void)look;
	return jag_live_init(shape, out);
}

static int raw_decode(const void *bytes, size_t nbytes, const struct jag_shape *want, const struct jag_look *look,
		      struct jag_array *out, struct jag_error *err)
{
	uint64_t need;
	(void)look;
	if (!want || jag_shape_nbytes(want, &need))
		return jag_error_set(err, -EINVAL, NULL, 0, "raw bytes need a shape to be an element of");
	if (need != nbytes)
		return jag_error_set(err, -EINVAL, NULL, 0, "expected %" PRIu64 " bytes, got %zu", need, nbytes);
	jag_shape_copy(&out->shape, want);
	out->image = false;
	out->data.nbytes = 0;
	return jag_buffer_append(&out->data, bytes, nbytes);
}

const struct jag_codec jag_codec_raw = {
	.name = "raw",
	.format = JAG_FORMAT_RAW,
	.suffixes = suffixes,
	.suffix = raw_suffix,
	.live = raw_live,
	.decode = raw_decode,
};
