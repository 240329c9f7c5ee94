/* SPDX-License-Identifier: MIT */
/* copy.h - an element's bytes as they are at one moment, as far as this process can tell: no commit of the same bytes
 * runs while they are read. A store by another process can be seen half done. */
#ifndef JAG_CONTENT_COPY_H
#define JAG_CONTENT_COPY_H

#include "jag/buffer.h"
#include "jag/content.h"
#include "locks.h"

struct jag_copy {
	struct jag_buffer bytes;
	uint64_t hash; /* XXH3, 64 bits */
};

/* 0 and a copy, whose bytes the caller frees; or -errno. */
int jag_copy_element(struct jag_locks *locks, const struct jag_place *place, struct jag_copy *copy);

/* The hash alone, piece by piece: a copy of a large element costs more than reading it. */
int jag_copy_hash(struct jag_locks *locks, const struct jag_place *place, uint64_t *hash);

/* XXH3 of bytes in memory, 64 bits; seed 0 is that of jag_copy. */
uint64_t jag_hash_bytes(const void *bytes, size_t nbytes, uint64_t seed);

#endif
