/* SPDX-License-Identifier: MIT */
/* resize_image.h - images for the resize tests: seeded content, a guard page right behind the last byte, and one call
 * that plans and resizes. */
#ifndef JAG_TEST_RESIZE_IMAGE_H
#define JAG_TEST_RESIZE_IMAGE_H

#include <sys/mman.h>
#include <unistd.h>

#include "resize/resize_kernel.h"

/* Bytes that end at an inaccessible page. */
struct guarded {
	uint8_t *base, *data;
	size_t nbytes, mapped;
};

static inline struct guarded guarded_new(size_t nbytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct guarded mem = { .nbytes = nbytes, .mapped = (nbytes + page - 1) / page * page + page };
	mem.base = mmap(NULL, mem.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(mem.base != MAP_FAILED);
	assert_int_equal(mprotect(mem.base + mem.mapped - page, page, PROT_NONE), 0);
	mem.data = mem.base + mem.mapped - page - nbytes;
	return mem;
}

static inline void guarded_free(struct guarded *mem)
{
	munmap(mem->base, mem->mapped);
}

static inline uint32_t xorshift(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static inline struct guarded seeded_image(uint32_t seed, size_t nbytes)
{
	struct guarded image = guarded_new(nbytes);
	for (size_t i = 0; i < nbytes; i++)
		image.data[i] = (uint8_t)(xorshift(&seed) >> 24);
	return image;
}

/* Planar `src` -> interleaved, for `channels` of `npixels` bytes each. */
static inline struct guarded interleaved_copy(const uint8_t *src, unsigned channels, size_t npixels)
{
	struct guarded image = guarded_new(channels * npixels);
	for (size_t i = 0; i < npixels; i++)
		for (unsigned c = 0; c < channels; c++)
			image.data[i * channels + c] = src[c * npixels + i];
	return image;
}

#endif
