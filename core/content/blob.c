/* SPDX-License-Identifier: MIT */
/* blob.c - reference-counted bytes of one whole file. */
#include "blob.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

struct blob {
	struct jag_blob public; /* first: the two pointers are one */
	atomic_uint refs;
	void *memory; /* freed with the blob; NULL: borrowed */
};

static int make(const uint8_t *data, size_t nbytes, void *memory, uint64_t hash, struct jag_blob **out)
{
	struct blob *blob = malloc(sizeof(*blob));
	if (!blob) {
		free(memory);
		return -ENOMEM;
	}
	blob->public = (struct jag_blob){ .data = data, .nbytes = nbytes, .hash = hash };
	atomic_init(&blob->refs, 1);
	blob->memory = memory;
	*out = &blob->public;
	return 0;
}

int jag_blob_take(struct jag_buffer *buf, uint64_t hash, struct jag_blob **out)
{
	struct jag_buffer taken = *buf;
	*buf = (struct jag_buffer){ 0 };
	/* encoders reserve for the worst case; a cache of such buffers would hold half of what its limit says */
	if (taken.capacity - taken.nbytes > taken.nbytes / 8 && taken.nbytes > 0) {
		uint8_t *smaller = realloc(taken.data, taken.nbytes);
		if (smaller)
			taken.data = smaller;
	}
	return make(taken.data, taken.nbytes, taken.data, hash, out);
}

int jag_blob_borrow(const uint8_t *bytes, size_t nbytes, struct jag_blob **out)
{
	return make(bytes, nbytes, NULL, 0, out);
}

int jag_blob_create(const void *bytes, size_t nbytes, struct jag_blob **out)
{
	struct jag_buffer buf = { 0 };
	int rc = jag_buffer_append(&buf, bytes, nbytes);
	if (rc)
		return rc;
	return jag_blob_take(&buf, 0, out);
}

struct jag_blob *jag_blob_ref(struct jag_blob *public)
{
	struct blob *blob = (struct blob *)public;
	atomic_fetch_add_explicit(&blob->refs, 1, memory_order_relaxed);
	return public;
}

void jag_blob_unref(struct jag_blob *public)
{
	struct blob *blob = (struct blob *)public;
	if (!blob || atomic_fetch_sub_explicit(&blob->refs, 1, memory_order_acq_rel) != 1)
		return;
	free(blob->memory);
	free(blob);
}
