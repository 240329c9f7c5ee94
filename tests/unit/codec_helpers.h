/* SPDX-License-Identifier: MIT */
/* codec_helpers.h - what the codec and image tests share: buffers that end at an unmapped page, a seeded generator,
 * an element in memory as the fetch and store callbacks of live formats. */
#ifndef JAG_TESTS_CODEC_HELPERS_H
#define JAG_TESTS_CODEC_HELPERS_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "jag/codec.h"

/* Memory whose last byte is followed by an unmapped page (and whose page before is unmapped too). */
struct guarded {
	uint8_t *data;
	void *map;
	size_t map_nbytes;
};

static inline struct guarded guarded_alloc(size_t nbytes)
{
	const size_t page = 4096;
	size_t inner = (nbytes + page - 1) / page * page;
	struct guarded g = { .map_nbytes = inner + 2 * page };
	g.map = mmap(NULL, g.map_nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(g.map != MAP_FAILED);
	uint8_t *start = (uint8_t *)g.map + page;
	if (inner)
		assert_int_equal(mprotect(start, inner, PROT_READ | PROT_WRITE), 0);
	g.data = start + inner - nbytes;
	return g;
}

static inline struct guarded guarded_copy(const void *bytes, size_t nbytes)
{
	struct guarded g = guarded_alloc(nbytes);
	if (nbytes)
		memcpy(g.data, bytes, nbytes);
	return g;
}

static inline void guarded_free(struct guarded *g)
{
	munmap(g->map, g->map_nbytes);
}

/* xorshift: the same numbers on every run. */
static inline uint32_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 16);
}

static inline void fill_random(uint8_t *data, size_t nbytes, uint64_t seed)
{
	uint64_t state = seed * 2654435761u + 88172645463325252u;
	for (size_t i = 0; i < nbytes; i++)
		data[i] = (uint8_t)next_random(&state);
}

static inline struct jag_shape make_shape(enum jag_dtype dtype, unsigned rank, const int64_t *dims)
{
	struct jag_shape shape = { .dtype = dtype, .rank = rank };
	for (unsigned i = 0; i < rank; i++)
		shape.dims[i] = dims[i];
	return shape;
}

#define SHAPE(dtype, ...) \
	make_shape(dtype, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), (int64_t[]){ __VA_ARGS__ })

static inline struct jag_look make_look(enum jag_layout layout)
{
	struct jag_look look;
	jag_look_default(&look);
	look.layout = layout;
	return look;
}

static inline size_t shape_nbytes(const struct jag_shape *shape)
{
	uint64_t nbytes;
	assert_int_equal(jag_shape_nbytes(shape, &nbytes), 0);
	return (size_t)nbytes;
}

/* An element in guarded memory. */
struct element {
	struct guarded mem;
	size_t nbytes;
	unsigned fetches, stores;
	size_t stored; /* bytes */
};

static inline int element_fetch(const void *ctx, void *dst, size_t n, uint64_t offset)
{
	struct element *e = *(struct element *const *)ctx;
	e->fetches++;
	assert_true(offset <= e->nbytes && n <= e->nbytes - offset && n > 0);
	memcpy(dst, e->mem.data + offset, n);
	return 0;
}

static inline int element_store(const void *ctx, const void *src, size_t n, uint64_t offset)
{
	struct element *e = *(struct element *const *)ctx;
	e->stores++;
	e->stored += n;
	assert_true(offset <= e->nbytes && n <= e->nbytes - offset && n > 0);
	memcpy(e->mem.data + offset, src, n);
	return 0;
}

#endif
