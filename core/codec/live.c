/* SPDX-License-Identifier: MIT */
/* live.c - reads and writes byte ranges of live files: a header, then the element's bytes in another order.
 *
 * A plain payload (jag_live_is_plain) passes straight through. Else it is a run of pixels of `channels` items in the
 * file, and one of two things in the element:
 *
 *   planar        channel c of pixel p is item c * plane_count + p, so a range of pixels is one range of each plane
 *   interleaved   the same order as in the file, each pixel's items perhaps reversed (BGR), each item's bytes swapped
 *
 * Ranges are handled as whole pixels; the first and the last may be cut. Reading works through one tile at a time.
 * Writing permutes the whole range first, so that each plane is stored by one call and nobody sees more torn states
 * than there are planes. Items of which only a part is written are fetched and merged. A "pixel" of sound is one
 * sample of every channel: up to 64 KiB.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec/codecs.h"
#include "codec/pixels.h"

#define TILE_NBYTES 65536
#define SMALL_PIXEL_NBYTES 64

/* A live payload as pixels. */
struct grid {
	size_t pixel_nbytes; /* of one pixel, in the file */
	size_t channels;     /* items of a pixel */
	size_t itemsize;
	uint64_t plane_nbytes; /* planar: distance between planes */
	bool planar;
	struct jag_pixel_order order;
};

int jag_live_init(const struct jag_shape *shape, struct jag_live *out)
{
	uint64_t nbytes;
	if (jag_shape_nbytes(shape, &nbytes))
		return -EINVAL;
	out->header_nbytes = 0;
	out->payload_nbytes = nbytes;
	out->channels = 1;
	out->itemsize = jag_dtype_info(shape->dtype)->itemsize;
	out->plane_count = out->itemsize ? nbytes / out->itemsize : 0;
	out->swap = false;
	out->reverse = false;
	out->pixel_items = 0;
	out->pad_nbytes = 0;
	return 0;
}

/* False if the numbers do not describe a permutation (a programming error of a format). */
static bool grid_of(const struct jag_live *live, struct grid *g)
{
	g->planar = live->channels > 1;
	g->channels = g->planar ? live->channels : live->pixel_items ? live->pixel_items : 1;
	g->itemsize = live->itemsize;
	g->pixel_nbytes = g->channels * g->itemsize;
	g->plane_nbytes = live->plane_count * live->itemsize;
	g->order = (struct jag_pixel_order){ .channels = (unsigned)g->channels,
					     .itemsize = live->itemsize,
					     .swap = live->swap,
					     .reverse = live->reverse,
					     .planar = g->planar };
	bool known = live->itemsize == 1 || live->itemsize == 2 || live->itemsize == 4 || live->itemsize == 8;
	return known && g->pixel_nbytes <= TILE_NBYTES &&
	       (!(live->swap || live->reverse) || !jag_pixels_are_wide(&g->order));
}

/* Pixels [first, first+count) of the element, count fits a tile, in the file's order. */
static int read_pixels(const struct grid *g, jag_fetch fetch, const void *ctx, uint64_t first, size_t count,
		       uint8_t *dst)
{
	uint8_t scratch[TILE_NBYTES];
	if (!g->planar) {
		int rc = fetch(ctx, dst, count * g->pixel_nbytes, first * g->pixel_nbytes);
		if (rc == 0)
			jag_pixels_in_place(&g->order, dst, count);
		return rc;
	}
	size_t plane = count * g->itemsize;
	for (size_t c = 0; c < g->channels; c++) {
		int rc = fetch(ctx, scratch + c * plane, plane, c * g->plane_nbytes + first * g->itemsize);
		if (rc)
			return rc;
	}
	jag_pixels_gather(&g->order, scratch, plane, count, dst);
	return 0;
}

/* Bytes [skip, skip+n) of one pixel. */
static int read_cut_pixel(const struct grid *g, jag_fetch fetch, const void *ctx, uint64_t pixel, size_t skip, size_t n,
			  uint8_t *dst)
{
	uint8_t small[SMALL_PIXEL_NBYTES];
	uint8_t *one = g->pixel_nbytes <= sizeof(small) ? small : malloc(g->pixel_nbytes);
	int rc = one ? read_pixels(g, fetch, ctx, pixel, 1, one) : -ENOMEM;
	if (rc == 0)
		memcpy(dst, one + skip, n);
	if (one != small)
		free(one);
	return rc;
}

/* Bytes [offset, offset+n) of the payload; the range is inside. */
static int read_payload(const struct grid *g, jag_fetch fetch, const void *ctx, uint8_t *dst, size_t n, uint64_t offset)
{
	const size_t tile = TILE_NBYTES / g->pixel_nbytes;
	while (n) {
		uint64_t pixel = offset / g->pixel_nbytes;
		size_t skip = (size_t)(offset % g->pixel_nbytes);
		size_t whole = skip ? 0 : n / g->pixel_nbytes;
		size_t took;
		int rc;
		if (whole) {
			whole = whole < tile ? whole : tile;
			took = whole * g->pixel_nbytes;
			rc = read_pixels(g, fetch, ctx, pixel, whole, dst);
		} else { /* a cut pixel, at either end of the range */
			took = g->pixel_nbytes - skip < n ? g->pixel_nbytes - skip : n;
			rc = read_cut_pixel(g, fetch, ctx, pixel, skip, took, dst);
		}
		if (rc)
			return rc;
		dst += took;
		offset += took;
		n -= took;
	}
	return 0;
}

/* How a range of the file is cut into header, payload and padding. */
struct parts {
	size_t head, body, pad;
	uint64_t at; /* of the body, in the payload */
};

/* The range is inside of the file. */
static struct parts split(const struct jag_live *live, size_t n, uint64_t offset)
{
	struct parts p = { 0 };
	if (offset < live->header_nbytes) {
		uint64_t head = live->header_nbytes - offset;
		p.head = head < n ? (size_t)head : n;
	}
	p.at = p.head == n ? 0 : offset + p.head - live->header_nbytes;
	uint64_t left = p.at < live->payload_nbytes ? live->payload_nbytes - p.at : 0;
	p.body = n - p.head < left ? n - p.head : (size_t)left;
	p.pad = n - p.head - p.body;
	return p;
}

int64_t jag_live_read(const struct jag_live *live, jag_fetch fetch, const void *ctx, void *dst, size_t n,
		      uint64_t offset)
{
	uint64_t size = live->header_nbytes + live->payload_nbytes + live->pad_nbytes;
	uint8_t *out = dst;
	struct grid g;
	int rc = 0;
	if (offset >= size)
		return 0;
	if (n > size - offset)
		n = (size_t)(size - offset);
	if (n > INT64_MAX)
		n = INT64_MAX;
	const struct parts p = split(live, n, offset);
	if (p.head)
		memcpy(out, live->header + offset, p.head);
	if (p.pad)
		memset(out + p.head + p.body, 0, p.pad);
	if (!p.body)
		return (int64_t)n;
	if (jag_live_is_plain(live))
		rc = fetch(ctx, out + p.head, p.body, p.at);
	else if (!grid_of(live, &g))
		rc = -EINVAL;
	else
		rc = read_payload(&g, fetch, ctx, out + p.head, p.body, p.at);
	return rc ? rc : (int64_t)n;
}

/* The pixels that a written range touches, in the file's order, and how the range lies in them. */
struct patch {
	uint64_t first; /* pixel */
	size_t count;
	size_t skip;   /* bytes of the first pixel before the range */
	size_t n;      /* bytes of the range */
	uint8_t *file; /* count pixels in file order, only if the range cuts a pixel; else NULL */
};

/* First byte in `p` of item c's run in the patch, counted in items: pixels [*from, *to) have their item c touched by
 * the range, whole or in part. */
static void touched(const struct grid *g, const struct patch *p, size_t c, size_t *from, size_t *to)
{
	size_t end = (p->skip + p->n - 1) % g->pixel_nbytes + 1; /* bytes of the last pixel inside the range */
	*from = (c + 1) * g->itemsize <= p->skip ? 1 : 0;
	*to = c * g->itemsize >= end ? p->count - 1 : p->count;
}

/* Permute the patch into planes at `planes` and store what was touched of each, one call for a plane. */
static int store_planes(const struct grid *g, jag_store_bytes store, const void *ctx, const struct patch *p,
			const uint8_t *src, uint8_t *planes)
{
	size_t plane = p->count * g->itemsize;
	jag_pixels_scatter(&g->order, src, p->count, planes, plane);
	for (size_t c = 0; c < g->channels; c++) {
		/* `c` counts the file's items; their plane is another where the order is reversed. */
		size_t at = jag_pixel_channel(&g->order, c), from, to;
		touched(g, p, c, &from, &to);
		if (from >= to)
			continue;
		int rc = store(ctx, planes + at * plane + from * g->itemsize, (to - from) * g->itemsize,
			       at * g->plane_nbytes + (p->first + from) * g->itemsize);
		if (rc)
			return rc;
	}
	return 0;
}

/* Copy the range into whole pixels, the rest of the first and of the last as the element has them. */
static int fill_patch(const struct grid *g, jag_fetch fetch, const void *ctx, struct patch *p, const uint8_t *src)
{
	int rc = read_pixels(g, fetch, ctx, p->first, 1, p->file);
	if (rc == 0 && p->count > 1)
		rc = read_pixels(g, fetch, ctx, p->first + p->count - 1, 1, p->file + (p->count - 1) * g->pixel_nbytes);
	if (rc == 0)
		memcpy(p->file + p->skip, src, p->n);
	return rc;
}

static int write_payload(const struct grid *g, jag_fetch fetch, jag_store_bytes store, const void *ctx,
			 const uint8_t *src, size_t n, uint64_t offset)
{
	struct patch p = { .first = offset / g->pixel_nbytes, .skip = (size_t)(offset % g->pixel_nbytes), .n = n };
	p.count = (p.skip + n + g->pixel_nbytes - 1) / g->pixel_nbytes;
	size_t nbytes = p.count * g->pixel_nbytes;
	bool cut = nbytes != n;
	uint8_t *out = malloc(nbytes);
	int rc = -ENOMEM;
	if (cut)
		p.file = malloc(nbytes);
	if (!out || (cut && !p.file))
		goto out;
	rc = cut ? fill_patch(g, fetch, ctx, &p, src) : 0;
	if (rc)
		goto out;
	if (g->planar) {
		rc = store_planes(g, store, ctx, &p, cut ? p.file : src, out);
	} else {
		memcpy(out, cut ? p.file : src, nbytes);
		jag_pixels_in_place(&g->order, out, p.count);
		rc = store(ctx, out, nbytes, p.first * g->pixel_nbytes);
	}
out:
	free(p.file);
	free(out);
	return rc;
}

static bool all_zero(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i])
			return false;
	return true;
}

int jag_live_write(const struct jag_live *live, jag_fetch fetch, jag_store_bytes store, const void *ctx,
		   const void *src, size_t n, uint64_t offset)
{
	uint64_t size = live->header_nbytes + live->payload_nbytes + live->pad_nbytes;
	const uint8_t *in = src;
	struct grid g;
	if (offset > size || n > size - offset)
		return -EFBIG;
	const struct parts p = split(live, n, offset);
	if (p.head && memcmp(in, live->header + offset, p.head) != 0)
		return -EINVAL;
	if (!all_zero(in + p.head + p.body, p.pad))
		return -EINVAL;
	if (!p.body)
		return 0;
	if (jag_live_is_plain(live))
		return store(ctx, in + p.head, p.body, p.at);
	if (!grid_of(live, &g))
		return -EINVAL;
	return write_payload(&g, fetch, store, ctx, in + p.head, p.body, p.at);
}
