/* SPDX-License-Identifier: MIT */
/* png_stored.c - PNG at level 0: stored deflate, written by hand, so that its size follows from the shape and its
 * cost is little more than that of the two checksums that PNG asks for.
 *
 *   signature, IHDR | IDAT: 78 01, stored blocks, Adler-32 | IEND
 *
 * A stored block is 5 bytes (final flag, length, its complement) and up to 65,535 bytes of data. Any cut of the rows
 * into blocks is valid, so blocks end where pixels end:
 *
 *   rows that fit a block      as many whole rows as fit
 *   longer rows                pieces of whole pixels, the row's filter byte before its first
 *
 * which lets pixels be interleaved straight into the file. Both checksums are taken block by block, while the bytes
 * are in the cache. An IDAT holds a fixed number of blocks, so a big image has several.
 */
#include <libdeflate.h>
#include <string.h>

#include "codec/bytes.h"
#include "codec/png_write.h"

/* Below the format's 65,535: planes and file bytes of a block stay in the first-level cache between the interleaving
 * and the checksums. Part of the size of a file, and so of what a mount promises: changing it changes every st_size. */
#define BLOCK_NBYTES 16384
#define BLOCKS_PER_IDAT UINT64_C(100000)

_Static_assert(BLOCKS_PER_IDAT *(BLOCK_NBYTES + 5) + 6 <= JAG_PNG_CHUNK_MAX, "an IDAT must not outgrow its length");

struct plan {
	uint64_t rows_per_block; /* rows that fit a block; 0: longer rows */
	size_t piece;            /* longer rows: bytes of pixels in a block */
	uint64_t blocks_per_row; /* longer rows */
	uint64_t block_count;
};

static struct plan plan_of(const struct jag_png_rows *rows)
{
	struct plan p = { .rows_per_block = BLOCK_NBYTES / (rows->row_nbytes + 1) };
	if (p.rows_per_block) {
		p.block_count = (rows->g.height + p.rows_per_block - 1) / p.rows_per_block;
	} else {
		p.piece = (BLOCK_NBYTES - 1) / rows->pixel_nbytes * rows->pixel_nbytes;
		p.blocks_per_row = (rows->row_nbytes + p.piece - 1) / p.piece;
		p.block_count = p.blocks_per_row * rows->g.height;
	}
	return p;
}

uint64_t jag_png_stored_nbytes(const struct jag_png_rows *rows)
{
	const struct plan p = plan_of(rows);
	uint64_t idats = (p.block_count + BLOCKS_PER_IDAT - 1) / BLOCKS_PER_IDAT;
	return JAG_PNG_HEAD_NBYTES + idats * JAG_PNG_CHUNK_NBYTES + 2 + p.block_count * 5 +
	       rows->g.height * (rows->row_nbytes + 1) + 4 + JAG_PNG_CHUNK_NBYTES;
}

/* State of the stream while it is written. */
struct stream {
	uint8_t *p;          /* next byte of the file */
	uint8_t *chunk;      /* length field of the open IDAT */
	uint32_t crc, adler; /* of the open IDAT; of all data */
	uint64_t blocks_done;
};

static void open_idat(struct stream *s)
{
	s->chunk = s->p;
	memcpy(s->p + 4, "IDAT", 4);
	s->p += 8;
	s->crc = libdeflate_crc32(0, s->chunk + 4, 4);
}

static void close_idat(struct stream *s)
{
	jag_put_be32(s->chunk, (uint32_t)(s->p - s->chunk - 8));
	s->p = jag_put_be32(s->p, s->crc);
}

/* Append bytes that lie at s->p already to the checksum of the chunk. */
static void take(struct stream *s, size_t n)
{
	s->crc = libdeflate_crc32(s->crc, s->p, n);
	s->p += n;
}

/* The block whose n bytes of data lie at s->p + 5. */
static void finish_block(struct stream *s, size_t n, const struct plan *plan)
{
	s->blocks_done++;
	s->p[0] = s->blocks_done == plan->block_count;
	jag_put_le16(s->p + 1, (uint32_t)n);
	jag_put_le16(s->p + 3, (uint32_t)n ^ 0xffff);
	s->adler = libdeflate_adler32(s->adler, s->p + 5, n);
	take(s, n + 5);
	if (s->blocks_done % BLOCKS_PER_IDAT == 0 && s->blocks_done != plan->block_count) {
		close_idat(s);
		open_idat(s);
	}
}

static void write_short_rows(const struct jag_png_rows *rows, const struct plan *plan, struct stream *s)
{
	for (uint64_t y = 0; y < rows->g.height;) {
		uint8_t *at = s->p + 5;
		uint64_t end = rows->g.height - y < plan->rows_per_block ? rows->g.height : y + plan->rows_per_block;
		for (; y < end; y++, at += rows->row_nbytes) {
			*at++ = 0;
			jag_png_row(rows, y, 0, rows->row_nbytes, at);
		}
		finish_block(s, (size_t)(at - s->p - 5), plan);
	}
}

static void write_long_rows(const struct jag_png_rows *rows, const struct plan *plan, struct stream *s)
{
	for (uint64_t y = 0; y < rows->g.height; y++)
		for (size_t x = 0; x < rows->row_nbytes; x += plan->piece) {
			size_t n = rows->row_nbytes - x < plan->piece ? rows->row_nbytes - x : plan->piece;
			uint8_t *at = s->p + 5;
			if (x == 0)
				*at++ = 0;
			jag_png_row(rows, y, x, n, at);
			finish_block(s, n + (x == 0), plan);
		}
}

void jag_png_write_stored(const struct jag_png_rows *rows, uint8_t *p)
{
	const struct plan plan = plan_of(rows);
	struct stream s = { .p = jag_png_put_head(p, &rows->g), .adler = 1 };
	open_idat(&s);
	s.p[0] = 0x78; /* deflate, 32 KiB window */
	s.p[1] = 0x01; /* makes the two a multiple of 31 */
	take(&s, 2);
	if (plan.rows_per_block)
		write_short_rows(rows, &plan, &s);
	else
		write_long_rows(rows, &plan, &s);
	jag_put_be32(s.p, s.adler);
	take(&s, 4);
	close_idat(&s);
	jag_png_close_chunk(s.p, "IEND", 0);
}
