/* SPDX-License-Identifier: MIT */
/* wav_decode.c - reads .wav files: a RIFF file of chunks, each an id, a size, and so many bytes padded to an even number.
 * fmt comes before data; ds64 (RF64) before both; everything else is passed by. All that is behind data is not looked at.
 *
 * Writers that cannot seek leave sizes open: ffmpeg says 0xFFFFFFFF, sox nearly 2 GiB, others leave what they began with,
 * 0. Then the samples go on to the end of the file. That the element's shape must come out keeps it safe.
 */
#include "codec/wav_decode.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "checked.h"
#include "codec/bytes.h"
#include "codec/pixels.h"

#define CHUNK_HEAD 8
#define FORM_HEAD 12 /* "RIFF", size, "WAVE" */
#define OPEN_SIZE UINT32_MAX
#define OPEN_SIZE_SOX UINT32_C(0x7fff0000) /* it writes 0x7ffff000, rounded down to whole frames */

struct wav {
	const uint8_t *bytes;
	size_t nbytes;
	bool big;            /* RIFX */
	bool large;          /* RF64, BW64 */
	uint64_t data_large; /* what ds64 says of data; 0: nothing */
	enum jag_dtype dtype;
	unsigned channels, itemsize;
	size_t data;          /* offset */
	uint64_t data_nbytes; /* inside of the file */
};

static uint32_t get16(const struct wav *w, size_t at)
{
	return w->big ? jag_be16(w->bytes + at) : jag_le16(w->bytes + at);
}

static uint32_t get32(const struct wav *w, size_t at)
{
	return w->big ? jag_be32(w->bytes + at) : jag_le32(w->bytes + at);
}

static bool is_id(const struct wav *w, size_t at, const char *id)
{
	return memcmp(w->bytes + at, id, 4) == 0;
}

static int read_form(struct wav *w, struct jag_error *err)
{
	if (w->nbytes < FORM_HEAD || !is_id(w, 8, "WAVE"))
		return jag_error_set(err, -EINVAL, NULL, 0, "not a .wav file: no RIFF and WAVE at its start");
	w->big = is_id(w, 0, "RIFX");
	w->large = is_id(w, 0, "RF64") || is_id(w, 0, "BW64");
	if (!w->big && !w->large && !is_id(w, 0, "RIFF"))
		return jag_error_set(err, -EINVAL, NULL, 0, "not a .wav file: no RIFF at its start");
	return 0;
}

/* The tag in an extensible header: the first field of a GUID whose rest says that it is one. */
static uint32_t extensible_tag(const struct wav *w, size_t at, uint32_t nbytes)
{
	static const uint8_t rest[] = { 0x80, 0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71 };
	const size_t guid = at + 24;
	if (nbytes < 40 || get16(w, guid + 4) != 0 || get16(w, guid + 6) != 0x10 ||
	    memcmp(w->bytes + guid + 8, rest, sizeof(rest)) != 0)
		return JAG_WAV_NONE;
	return get32(w, guid);
}

static enum jag_dtype dtype_of(uint32_t tag, uint32_t bits)
{
	if (tag == JAG_WAV_PCM)
		return bits == 8 ? JAG_UINT8 : bits == 16 ? JAG_INT16 : bits == 32 ? JAG_INT32 : JAG_DTYPE_NONE;
	if (tag == JAG_WAV_FLOAT)
		return bits == 32 ? JAG_FLOAT32 : bits == 64 ? JAG_FLOAT64 : JAG_DTYPE_NONE;
	return JAG_DTYPE_NONE;
}

/* The chunk is inside of the file. */
static int read_fmt(struct wav *w, size_t at, uint32_t nbytes, struct jag_error *err)
{
	if (nbytes < 16)
		return jag_error_set(err, -EINVAL, NULL, at, "wav: fmt chunk of %" PRIu32 " bytes, expected 16 or more",
				     nbytes);
	uint32_t tag = get16(w, at), frame = get16(w, at + 12), bits = get16(w, at + 14);
	if (tag == JAG_WAV_EXTENSIBLE)
		tag = extensible_tag(w, at, nbytes);
	w->channels = get16(w, at + 2);
	w->dtype = dtype_of(tag, bits);
	if (w->dtype == JAG_DTYPE_NONE)
		return jag_error_set(err, -EINVAL, NULL, at,
				     "wav: %" PRIu32 " bit samples of kind %" PRIu32
				     ", expected 8, 16 or 32 bit PCM (1) or 32 or 64 bit float (3)",
				     bits, tag);
	w->itemsize = jag_dtype_info(w->dtype)->itemsize;
	if (w->channels == 0 || frame != w->channels * w->itemsize)
		return jag_error_set(err, -EINVAL, NULL, at,
				     "wav: %" PRIu32 " bytes a frame, expected %u channels of %u bytes", frame,
				     w->channels, w->itemsize);
	return 0;
}

/* Where the samples end that begin at w->data; `stated` is the size that their chunk has. */
static int find_data_end(struct wav *w, uint32_t stated, struct jag_error *err)
{
	uint64_t left = w->nbytes - w->data, size = stated, form_end = (uint64_t)get32(w, 4) + CHUNK_HEAD;
	bool open = stated == OPEN_SIZE || (stated >= OPEN_SIZE_SOX && size > left);
	/* no samples where the form ends, too: nobody came back to write the sizes */
	open = open || (stated == 0 && (form_end <= w->data || form_end - CHUNK_HEAD == OPEN_SIZE));
	if (w->large && stated == OPEN_SIZE && w->data_large) {
		size = w->data_large;
		open = size > JAG_SIZE_LIMIT;
	}
	if (open)
		size = left;
	if (!jag_range_inside(w->data, size, w->nbytes))
		return jag_error_set(err, -EINVAL, NULL, w->data,
				     "wav: data chunk of %" PRIu64 " bytes, and %" PRIu64 " are there", size, left);
	if (size % (w->channels * w->itemsize) != 0)
		return jag_error_set(err, -EINVAL, NULL, w->data,
				     "wav: %" PRIu64 " bytes of data are no whole number of frames of %u", size,
				     w->channels * w->itemsize);
	w->data_nbytes = size;
	return 0;
}

static uint64_t ds64_data(const struct wav *w, size_t at, uint32_t nbytes)
{
	return nbytes < 16 ? 0 : (uint64_t)get32(w, at + 12) << 32 | get32(w, at + 8);
}

/* Chunk by chunk, to the samples. */
static int read_chunks(struct wav *w, struct jag_error *err)
{
	uint64_t at = FORM_HEAD;
	while (jag_range_inside(at, CHUNK_HEAD, w->nbytes)) {
		size_t body = (size_t)at + CHUNK_HEAD;
		uint32_t size = get32(w, (size_t)at + 4);
		int rc = 0;
		if (is_id(w, (size_t)at, "data")) {
			if (w->dtype == JAG_DTYPE_NONE)
				return jag_error_set(err, -EINVAL, NULL, at, "wav: data before fmt");
			w->data = body;
			return find_data_end(w, size, err);
		}
		if (!jag_range_inside(body, size, w->nbytes))
			return jag_error_set(err, -EINVAL, NULL, at,
					     "wav: chunk of %" PRIu32 " bytes, and %zu are there", size,
					     w->nbytes - body);
		if (is_id(w, (size_t)at, "fmt ") && w->dtype == JAG_DTYPE_NONE)
			rc = read_fmt(w, body, size, err);
		else if (w->large && is_id(w, (size_t)at, "ds64"))
			w->data_large = ds64_data(w, body, size);
		if (rc || jag_checked_add(body, (uint64_t)size + (size & 1), &at))
			return rc ? rc : -EINVAL;
	}
	return jag_error_set(err, -EINVAL, NULL, at, "wav: no data chunk");
}

static void set_shape(const struct wav *w, const struct jag_shape *want, struct jag_shape *shape)
{
	int64_t frames = (int64_t)(w->data_nbytes / (w->channels * w->itemsize));
	bool matrix = w->channels > 1 || (want && want->rank == 2);
	*shape = (struct jag_shape){ .dtype = w->dtype, .rank = matrix ? 2 : 1 };
	shape->dims[0] = matrix ? (int64_t)w->channels : frames;
	if (matrix)
		shape->dims[1] = frames;
}

int jag_wav_decode(const void *bytes, size_t nbytes, const struct jag_shape *want, const struct jag_look *look,
		   struct jag_array *out, struct jag_error *err)
{
	struct wav w = { .bytes = bytes, .nbytes = nbytes };
	(void)look;
	int rc = read_form(&w, err);
	if (rc == 0)
		rc = read_chunks(&w, err);
	if (rc)
		return rc;
	size_t data_nbytes = (size_t)w.data_nbytes;
	out->image = false;
	out->data.nbytes = 0;
	rc = jag_buffer_reserve(&out->data, data_nbytes);
	if (rc)
		return jag_error_set(err, rc, NULL, 0, "no memory for %zu bytes", data_nbytes);
	const struct jag_pixel_order order = { .channels = w.channels, .itemsize = w.itemsize, .planar = true };
	const size_t plane = data_nbytes / w.channels;
	if (data_nbytes)
		jag_pixels_scatter(&order, w.bytes + w.data, plane / w.itemsize, out->data.data, plane);
	if (w.big)
		jag_reverse_units(out->data.data, data_nbytes, w.itemsize);
	out->data.nbytes = data_nbytes;
	set_shape(&w, want, &out->shape);
	return 0;
}
