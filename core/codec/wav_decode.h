/* SPDX-License-Identifier: MIT */
/* wav_decode.h - .wav files of any writer -> array. Private to core/codec. */
#ifndef JAG_CODEC_WAV_DECODE_H
#define JAG_CODEC_WAV_DECODE_H

#include "jag/codec.h"

/* Kinds of samples, as the fmt chunk numbers them. */
enum jag_wav_tag { JAG_WAV_NONE = 0, JAG_WAV_PCM = 1, JAG_WAV_FLOAT = 3, JAG_WAV_EXTENSIBLE = 0xfffe };

/* The `decode` member of the wav codec: uint8, int16, int32, float32 or float64 [C,T], or [T] for one channel unless
 * `want` has rank 2. RIFF, RIFX (big-endian), RF64 and BW64; plain and extensible headers; other chunks are passed by.
 * A size that a streaming writer left open ends at the end of the file. */
int jag_wav_decode(const void *bytes, size_t nbytes, const struct jag_shape *want, const struct jag_look *look,
		   struct jag_array *out, struct jag_error *err);

#endif
