/* SPDX-License-Identifier: MIT */
/* copy.c - consistent copies of elements, and their hashes. */
#include "copy.h"

#include <errno.h>
#ifdef JAG_HAVE_XXH_DISPATCH
#include <xxh_x86dispatch.h> /* picks AVX2 or AVX-512 at run time: every open hashes its element */
#else
#include <xxhash.h>
#endif

#define BLOCK_NBYTES 65536

uint64_t jag_hash_bytes(const void *bytes, size_t nbytes, uint64_t seed)
{
	return XXH3_64bits_withSeed(bytes, nbytes, seed);
}

int jag_copy_element(struct jag_locks *locks, const struct jag_place *place, struct jag_copy *copy)
{
	uint64_t nbytes = place->element.nbytes;
	*copy = (struct jag_copy){ 0 };
	if (nbytes > SIZE_MAX / 2)
		return -ENOMEM;
	int rc = jag_buffer_reserve(&copy->bytes, nbytes ? nbytes : 1);
	if (rc)
		return rc;
	jag_locks_shared(locks, place);
	rc = nbytes ? jag_element_read(&place->element, copy->bytes.data, nbytes, 0) : 0;
	jag_locks_release(locks, place);
	if (rc) {
		jag_buffer_free(&copy->bytes);
		return rc;
	}
	copy->bytes.nbytes = nbytes;
	copy->hash = jag_hash_bytes(copy->bytes.data, nbytes, 0);
	return 0;
}

int jag_copy_hash(struct jag_locks *locks, const struct jag_place *place, uint64_t *hash)
{
	uint8_t block[BLOCK_NBYTES];
	uint64_t nbytes = place->element.nbytes;
	int rc = 0;
	XXH3_state_t *state = XXH3_createState();
	if (!state)
		return -ENOMEM;
	XXH3_64bits_reset(state);
	jag_locks_shared(locks, place);
	for (uint64_t at = 0; at < nbytes && rc == 0; at += sizeof(block)) {
		size_t n = nbytes - at < sizeof(block) ? (size_t)(nbytes - at) : sizeof(block);
		rc = jag_element_read(&place->element, block, n, at);
		if (rc == 0)
			XXH3_64bits_update(state, block, n);
	}
	jag_locks_release(locks, place);
	*hash = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return rc;
}
