/* SPDX-License-Identifier: MIT */
/* codec.c - the registry of formats and the ways to find one. A new format is one file and one line here. */
#include <string.h>

#include "codec/codecs.h"

/* In the order in which content is matched; no two formats share a magic number. */
static const struct jag_codec *const registry[] = {
	&jag_codec_raw, &jag_codec_npy, &jag_codec_png, &jag_codec_jpg,
	&jag_codec_pnm, &jag_codec_pam, &jag_codec_txt, &jag_codec_wav,
};

#define COUNT (sizeof(registry) / sizeof(registry[0]))

const struct jag_codec *jag_codec_by_format(enum jag_format format)
{
	for (size_t i = 0; i < COUNT; i++)
		if (registry[i]->format == format)
			return registry[i];
	return NULL;
}

static bool equal(const char *text, const char *bytes, size_t nbytes)
{
	return strlen(text) == nbytes && memcmp(text, bytes, nbytes) == 0;
}

const struct jag_codec *jag_codec_by_name(const char *name, size_t name_nbytes)
{
	for (size_t i = 0; i < COUNT; i++)
		if (equal(registry[i]->name, name, name_nbytes))
			return registry[i];
	return NULL;
}

const struct jag_codec *jag_codec_by_suffix(const char *suffix, size_t suffix_nbytes)
{
	for (size_t i = 0; i < COUNT; i++)
		for (const char *const *s = registry[i]->suffixes; *s; s++)
			if (equal(*s, suffix, suffix_nbytes))
				return registry[i];
	return NULL;
}

/* Formats that have no entry here (raw, txt) cannot be told by their content. */
static const struct {
	enum jag_format format;
	const char *magic;
	size_t nbytes;
} magics[] = {
	{ JAG_FORMAT_NPY, "\x93NUMPY", 6 },
	{ JAG_FORMAT_PNG, "\x89PNG\r\n\x1a\n", 8 },
	{ JAG_FORMAT_JPG, "\xff\xd8\xff", 3 },
	{ JAG_FORMAT_PAM, "P7\n", 3 },
};

/* "P1" .. "P6" and white space or a comment. */
static bool is_pnm(const uint8_t *bytes, size_t nbytes)
{
	return nbytes >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
	       memchr(" \t\r\n\v\f#", bytes[2], 7) != NULL;
}

/* RIFF in little-endian, big-endian and 64-bit; other kinds of content than WAVE (WebP, AVI) are in it, too. */
static bool is_wav(const uint8_t *bytes, size_t nbytes)
{
	if (nbytes < 12 || memcmp(bytes + 8, "WAVE", 4) != 0)
		return false;
	return !memcmp(bytes, "RIFF", 4) || !memcmp(bytes, "RIFX", 4) || !memcmp(bytes, "RF64", 4) ||
	       !memcmp(bytes, "BW64", 4);
}

enum jag_format jag_content_format(const void *bytes, size_t nbytes)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (nbytes >= magics[i].nbytes && memcmp(bytes, magics[i].magic, magics[i].nbytes) == 0)
			return magics[i].format;
	if (is_wav(bytes, nbytes))
		return JAG_FORMAT_WAV;
	return is_pnm(bytes, nbytes) ? JAG_FORMAT_PNM : JAG_FORMAT_DIR;
}

const struct jag_codec *jag_codec_by_content(const void *bytes, size_t nbytes)
{
	return jag_codec_by_format(jag_content_format(bytes, nbytes));
}

void jag_look_default(struct jag_look *look)
{
	*look = (struct jag_look){ .layout = JAG_LAYOUT_NONE, .quality = 95, .subsampling = JAG_420 };
}
