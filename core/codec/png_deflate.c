/* SPDX-License-Identifier: MIT */
/* png_deflate.c - PNG at levels 1-9: rows filtered, then compressed by libdeflate in one go.
 *
 * Each row gets the filter whose output has the smallest sum of absolute values, PNG's own advice. All are tried at all
 * levels: vectorised, they cost a tenth of the fastest compression. Masks are not filtered.
 */
#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "codec/png_write.h"

enum filter { FILTER_NONE, FILTER_SUB, FILTER_UP, FILTER_AVERAGE, FILTER_PAETH, FILTER_COUNT };

#define PAD 8 /* zero bytes before a row: the pixel to the left of the first */

/* Row buffers. Each is PAD zero bytes and a row. */
struct scratch {
	uint8_t *above, *row;
	uint8_t *candidate[FILTER_COUNT]; /* without PAD */
};

/* gcc's -O2 leaves the loops below scalar, several times slower. */
#if defined(__GNUC__) && !defined(__clang__)
#define VECTORISED __attribute__((optimize("O3")))
#else
#define VECTORISED
#endif

/* Written with selects and 16-bit values, so that it vectorises. */
static inline uint8_t paeth(uint8_t a, uint8_t b, uint8_t c)
{
	int16_t da = (int16_t)(b - c), db = (int16_t)(a - c), dc = (int16_t)(da + db);
	int16_t pa = (int16_t)(da < 0 ? -da : da), pb = (int16_t)(db < 0 ? -db : db);
	int16_t pc = (int16_t)(dc < 0 ? -dc : dc);
	uint8_t bc = pb <= pc ? b : c;
	return ((pa <= pb) & (pa <= pc)) ? a : bc;
}

/* `row` and `above` point behind their PAD; bpp <= PAD. */
static VECTORISED void apply(enum filter filter, const uint8_t *restrict row, const uint8_t *restrict above, size_t n,
			     size_t bpp, uint8_t *restrict out)
{
	const uint8_t *left = row - bpp, *corner = above - bpp;
	switch (filter) {
	case FILTER_SUB:
		for (size_t i = 0; i < n; i++)
			out[i] = (uint8_t)(row[i] - left[i]);
		break;
	case FILTER_UP:
		for (size_t i = 0; i < n; i++)
			out[i] = (uint8_t)(row[i] - above[i]);
		break;
	case FILTER_AVERAGE:
		for (size_t i = 0; i < n; i++)
			out[i] = (uint8_t)(row[i] - (left[i] + above[i]) / 2);
		break;
	case FILTER_PAETH:
		for (size_t i = 0; i < n; i++)
			out[i] = (uint8_t)(row[i] - paeth(left[i], above[i], corner[i]));
		break;
	case FILTER_NONE:
	case FILTER_COUNT:
	default:
		memcpy(out, row, n);
	}
}

/* Sum of the bytes as distances from zero. */
static VECTORISED uint64_t cost_of(const uint8_t *bytes, size_t n)
{
	uint64_t total = 0;
	for (size_t i = 0; i < n;) {
		uint32_t sum = 0;
		size_t end = n - i < 4096 ? n : i + 4096;
		for (; i < end; i++)
			sum += bytes[i] < 128 ? bytes[i] : (uint8_t)-bytes[i];
		total += sum;
	}
	return total;
}

/* Filter byte and row into `out`. */
static void filter_row(const struct jag_png_rows *rows, struct scratch *s, uint8_t *out)
{
	enum filter best = FILTER_NONE;
	uint64_t best_cost = UINT64_MAX;
	if (rows->g.depth == 1) {
		out[0] = FILTER_NONE;
		memcpy(out + 1, s->row + PAD, rows->row_nbytes);
		return;
	}
	for (enum filter f = FILTER_SUB; f <= FILTER_PAETH; f++) {
		apply(f, s->row + PAD, s->above + PAD, rows->row_nbytes, rows->pixel_nbytes, s->candidate[f]);
		uint64_t cost = cost_of(s->candidate[f], rows->row_nbytes);
		if (cost < best_cost) {
			best_cost = cost;
			best = f;
		}
	}
	out[0] = (uint8_t)best;
	memcpy(out + 1, s->candidate[best], rows->row_nbytes);
}

/* All rows with their filter bytes; malloc memory of *nbytes, or NULL. */
static uint8_t *filter_all(const struct jag_png_rows *rows, size_t *nbytes)
{
	size_t stride = rows->row_nbytes + PAD;
	*nbytes = (size_t)rows->g.height * (rows->row_nbytes + 1);
	uint8_t *out = malloc(*nbytes);
	uint8_t *memory = calloc(2 + FILTER_COUNT, stride);
	struct scratch s;
	if (!out || !memory) {
		free(memory);
		free(out);
		return NULL;
	}
	s.above = memory;
	s.row = memory + stride;
	for (int f = 0; f < FILTER_COUNT; f++)
		s.candidate[f] = memory + (2 + (size_t)f) * stride;
	for (uint64_t y = 0; y < rows->g.height; y++) {
		jag_png_row(rows, y, 0, rows->row_nbytes, s.row + PAD);
		filter_row(rows, &s, out + y * (rows->row_nbytes + 1));
		uint8_t *t = s.above;
		s.above = s.row;
		s.row = t;
	}
	free(memory);
	return out;
}

/* Compress into the buffer behind the head and close the chunks; the filtered data is ready. */
static int write_file(const struct jag_png_rows *rows, struct libdeflate_compressor *deflate, const uint8_t *data,
		      size_t nbytes, struct jag_buffer *out)
{
	size_t bound = libdeflate_zlib_compress_bound(deflate, nbytes);
	if (bound > JAG_PNG_CHUNK_MAX)
		return -E2BIG;
	int rc = jag_buffer_reserve(out, out->nbytes + JAG_PNG_HEAD_NBYTES + bound + 2 * JAG_PNG_CHUNK_NBYTES);
	if (rc)
		return rc;
	uint8_t *p = jag_png_put_head(out->data + out->nbytes, &rows->g);
	size_t packed = libdeflate_zlib_compress(deflate, data, nbytes, p + 8, bound);
	if (!packed)
		return -EIO; /* cannot happen: the bound is what the library asked for */
	p = jag_png_close_chunk(p, "IDAT", packed);
	p = jag_png_close_chunk(p, "IEND", 0);
	out->nbytes = (size_t)(p - out->data);
	return 0;
}

int jag_png_write_deflated(const struct jag_png_rows *rows, int level, struct jag_buffer *out)
{
	size_t nbytes;
	int rc = -ENOMEM;
	uint8_t *data = filter_all(rows, &nbytes);
	struct libdeflate_compressor *deflate = libdeflate_alloc_compressor(level < 1 ? 1 : level > 9 ? 9 : level);
	if (data && deflate)
		rc = write_file(rows, deflate, data, nbytes, out);
	if (deflate)
		libdeflate_free_compressor(deflate);
	free(data);
	return rc;
}
