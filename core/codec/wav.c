/* SPDX-License-Identifier: MIT */
/* wav.c - .wav: sound as one RIFF chunk, then the element's samples, channels interleaved. Reading is wav_decode.c.
 *
 *   offset    integers                                    floats
 *   0         RIFF | size of what follows | WAVE          the same
 *   12        fmt  | 16 | 1 (PCM) | channels | rate |     fmt  | 18 | 3 (IEEE float) | ... | bits | 0
 *             bytes a second | bytes a frame | bits
 *   36, 38    data | size | samples | zero if odd         fact | 4 | frames, then data as on the left
 *
 * A frame is one sample of every channel. The plain PCM header is used for 32 bit and for many channels, too: every
 * reader knows it, and Python's wave module before 3.12 no other. WAV knows unsigned samples of 8 bit and signed ones
 * of more, so int8, uint16 and uint32 do not fit: their bytes would sound as something else.
 */
#include <errno.h>
#include <string.h>

#include "checked.h"
#include "codec/bytes.h"
#include "codec/codecs.h"
#include "codec/wav_decode.h"

#define RIFF_HEAD 8 /* "RIFF" and the size, which the size does not count */

static const char *const suffixes[] = { ".wav", NULL };

/* What the header says. */
struct sound {
	enum jag_wav_tag tag;
	unsigned channels, itemsize;
	uint32_t rate, frames, data_nbytes, header_nbytes;
};

static enum jag_wav_tag tag_of(enum jag_dtype dtype)
{
	switch (dtype) {
	case JAG_UINT8:
	case JAG_INT16:
	case JAG_INT32:
		return JAG_WAV_PCM;
	case JAG_FLOAT32:
	case JAG_FLOAT64:
		return JAG_WAV_FLOAT;
	default:
		return JAG_WAV_NONE;
	}
}

/* False if the format does not fit: no sound, or one that the 32-bit sizes and 16-bit counts cannot tell. */
static bool describe(const struct jag_shape *shape, const struct jag_look *look, struct sound *s)
{
	uint64_t nbytes, whole;
	s->tag = tag_of(shape->dtype);
	if (!look->rate || s->tag == JAG_WAV_NONE || shape->rank < 1 || shape->rank > 2)
		return false;
	s->itemsize = jag_dtype_info(shape->dtype)->itemsize;
	int64_t channels = shape->rank == 2 ? shape->dims[0] : 1;
	if (channels < 1 || channels > (int64_t)(UINT16_MAX / s->itemsize) || jag_shape_nbytes(shape, &nbytes))
		return false;
	s->header_nbytes = s->tag == JAG_WAV_PCM ? 44 : 58;
	/* the largest size of all stands for "unknown" */
	if (jag_checked_add(nbytes, s->header_nbytes - RIFF_HEAD + (nbytes & 1), &whole) || whole >= UINT32_MAX)
		return false;
	s->channels = (unsigned)channels;
	s->rate = look->rate;
	s->data_nbytes = (uint32_t)nbytes;
	s->frames = s->data_nbytes / (s->channels * s->itemsize);
	return true;
}

static const char *wav_suffix(const struct jag_shape *shape, const struct jag_look *look)
{
	struct sound s;
	return describe(shape, look, &s) ? suffixes[0] : NULL;
}

static uint8_t *put_chunk(uint8_t *p, const char *id, uint32_t nbytes)
{
	memcpy(p, id, 4);
	return jag_put_le32(p + 4, nbytes);
}

static void put_header(const struct sound *s, uint8_t *p)
{
	const uint32_t frame = s->channels * s->itemsize;
	const uint64_t a_second = (uint64_t)s->rate * frame;
	const bool plain = s->tag == JAG_WAV_PCM;
	p = put_chunk(p, "RIFF", s->header_nbytes - RIFF_HEAD + s->data_nbytes + (s->data_nbytes & 1));
	memcpy(p, "WAVE", 4);
	p = put_chunk(p + 4, "fmt ", plain ? 16 : 18);
	p = jag_put_le16(p, (uint32_t)s->tag);
	p = jag_put_le16(p, s->channels);
	p = jag_put_le32(p, s->rate);
	/* a hint for players only: the most that it can say must do where it is more */
	p = jag_put_le32(p, a_second < UINT32_MAX ? (uint32_t)a_second : UINT32_MAX);
	p = jag_put_le16(p, frame);
	p = jag_put_le16(p, 8 * s->itemsize);
	if (!plain) {
		p = jag_put_le16(p, 0);
		p = put_chunk(p, "fact", 4);
		p = jag_put_le32(p, s->frames);
	}
	put_chunk(p, "data", s->data_nbytes);
}

static int wav_live(const struct jag_shape *shape, const struct jag_look *look, struct jag_live *out)
{
	struct sound s;
	if (!describe(shape, look, &s) || jag_live_init(shape, out))
		return -EINVAL;
	put_header(&s, out->header);
	out->header_nbytes = s.header_nbytes;
	out->pad_nbytes = s.data_nbytes & 1;
	out->channels = s.channels;
	out->plane_count = s.frames;
	return 0;
}

const struct jag_codec jag_codec_wav = {
	.name = "wav",
	.format = JAG_FORMAT_WAV,
	.suffixes = suffixes,
	.suffix = wav_suffix,
	.live = wav_live,
	.decode = jag_wav_decode,
};
