/* SPDX-License-Identifier: MIT */
/* bytes.h - integers in a fixed byte order, read and written at any address. Private to core/codec. */
#ifndef JAG_CODEC_BYTES_H
#define JAG_CODEC_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t jag_be16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t jag_be32(const uint8_t *p)
{
	return jag_be16(p) << 16 | jag_be16(p + 2);
}

static inline uint32_t jag_le16(const uint8_t *p)
{
	return (uint32_t)p[1] << 8 | p[0];
}

static inline uint32_t jag_le32(const uint8_t *p)
{
	return jag_le16(p + 2) << 16 | jag_le16(p);
}

static inline uint8_t *jag_put_be32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
	return p + 4;
}

static inline uint8_t *jag_put_le16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	return p + 2;
}

static inline uint8_t *jag_put_le32(uint8_t *p, uint32_t v)
{
	return jag_put_le16(jag_put_le16(p, v), v >> 16);
}

/* Reverses each run of `unit` bytes; nbytes is a multiple of it. */
static inline void jag_reverse_units(uint8_t *data, size_t nbytes, size_t unit)
{
	for (size_t at = 0; at < nbytes; at += unit)
		for (size_t i = 0; i < unit / 2; i++) {
			uint8_t t = data[at + i];
			data[at + i] = data[at + unit - 1 - i];
			data[at + unit - 1 - i] = t;
		}
}

#endif
