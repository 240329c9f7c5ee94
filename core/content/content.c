/* SPDX-License-Identifier: MIT */
/* content.c - sizes and snapshots of the files of a tree. (Live ranges and writes in place: live.c.)
 *
 * A snapshot is made of one copy of the element, taken while no commit of the same bytes can run; the copy is hashed
 * and encoded without any lock.
 *
 * Lock order: list_lock, those of locks.h, then nothing. The locks inside sizes, blobcache and readback are leaves. A thread that
 * holds an element must not ask for a snapshot: it may have to wait for a thread that wants the element.
 */
#include "jag/content.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <xxhash.h>

#include "blob.h"
#include "blobcache.h"
#include "copy.h"
#include "fresh.h"
#include "list.h"
#include "locks.h"
#include "readback.h"
#include "sizes.h"

#define CACHE_NBYTES_DEFAULT (UINT64_C(64) << 20)
#define READBACK_NBYTES_DEFAULT (UINT64_C(64) << 20)

struct jag_content {
	const struct jag_tree *tree;
	bool immutable;
	struct jag_sizes *sizes;
	struct jag_fresh *fresh;
	struct jag_blobcache *cache;
	struct jag_locks *locks;
	struct jag_readback *readback;
	atomic_uint_fast64_t encodes, hits;
	pthread_mutex_t list_lock; /* immutable only: the list that was read last */
	struct jag_blob *list;
	jag_node list_node;
};

static uint64_t readback_limit(const struct jag_content_options *options)
{
	if (!options || !options->readback_nbytes)
		return READBACK_NBYTES_DEFAULT;
	return options->readback_nbytes == JAG_READBACK_OFF ? 0 : options->readback_nbytes;
}

int jag_content_create(const struct jag_tree *tree, const struct jag_content_options *options, struct jag_content **out)
{
	uint64_t limit = options && options->cache_nbytes ? options->cache_nbytes : CACHE_NBYTES_DEFAULT;
	struct jag_content *content = calloc(1, sizeof(*content));
	if (!content)
		return -ENOMEM;
	content->tree = tree;
	pthread_mutex_init(&content->list_lock, NULL);
	content->immutable = options && options->immutable;
	int rc = jag_sizes_create(&content->sizes);
	if (rc == 0)
		rc = jag_fresh_create(&content->fresh);
	if (rc == 0)
		rc = jag_blobcache_create(limit, &content->cache);
	if (rc == 0)
		rc = jag_locks_create(&content->locks);
	if (rc == 0)
		rc = jag_readback_create(readback_limit(options), &content->readback);
	if (rc) {
		jag_content_destroy(content);
		return rc;
	}
	*out = content;
	return 0;
}

void jag_content_destroy(struct jag_content *content)
{
	if (!content)
		return;
	jag_blob_unref(content->list);
	pthread_mutex_destroy(&content->list_lock);
	jag_locks_destroy(content->locks);
	jag_readback_destroy(content->readback);
	jag_blobcache_destroy(content->cache);
	jag_fresh_destroy(content->fresh);
	jag_sizes_destroy(content->sizes);
	free(content);
}

const struct jag_tree *jag_content_tree(const struct jag_content *content)
{
	return content->tree;
}

void jag_content_lock(struct jag_content *content, const struct jag_place *place)
{
	jag_locks_exclusive(content->locks, place);
}

void jag_content_unlock(struct jag_content *content, const struct jag_place *place)
{
	jag_fresh_clear(content->fresh);
	jag_locks_release(content->locks, place);
}

/* --- snapshots ------------------------------------------------------------------------------------------------- */

bool jag_content_is_snapshot(const struct jag_place *place)
{
	return place->list.elements || (place->codec && place->codec->encode);
}

/* What was written to the file, if the element still has the content that came of it; NULL otherwise. */
static struct jag_blob *written_bytes(struct jag_content *content, const struct jag_place *place, uint64_t hash)
{
	if (!place->codec || !place->codec->encode)
		return NULL;
	return jag_readback_get(content->readback, place->element_node, place->codec->format, hash);
}

void jag_content_remember(struct jag_content *content, const struct jag_place *place, const void *element_bytes,
			  const void *file, size_t file_nbytes)
{
	if (!place->codec || !place->codec->encode)
		return;
	uint64_t hash = jag_hash_bytes(element_bytes, place->element.nbytes, 0);
	jag_readback_set(content->readback, place->element_node, place->codec->format, hash, file, file_nbytes,
			 place->size_known && place->size == file_nbytes);
}

bool jag_content_size_fixed(const struct jag_content *content, const struct jag_place *place)
{
	return place->size_known &&
	       (!jag_content_is_snapshot(place) || !jag_readback_resized(content->readback, place->element_node));
}

int jag_content_hash(struct jag_content *content, const struct jag_place *place, uint64_t *hash)
{
	uint64_t nbytes;
	if (place->list.elements)
		return jag_list_measure(content->locks, &place->list, &nbytes, hash);
	if (!place->codec)
		return -EINVAL;
	int rc = jag_copy_hash(content->locks, place, hash);
	struct jag_blob *written = rc ? NULL : written_bytes(content, place, *hash);
	if (written)
		*hash = written->hash;
	jag_blob_unref(written);
	return rc;
}

/* Everything that an encoding follows from. Elements of equal content, wherever they lie, share it. */
static uint64_t encoding_key(const struct jag_place *place, uint64_t hash)
{
	const struct jag_shape *shape = &place->element.shape;
	const struct jag_look *look = place->look;
	const uint64_t what[] = { hash,
				  (uint64_t)place->codec->format | (uint64_t)look->layout << 8 |
					  (uint64_t)look->quality << 16 | (uint64_t)look->subsampling << 24 |
					  (uint64_t)look->png_level << 32 | (uint64_t)look->npy_bits << 40 |
					  (uint64_t)look->bgr << 41 | (uint64_t)shape->dtype << 48,
				  shape->rank };
	uint64_t seed = XXH3_64bits(what, sizeof(what));
	return XXH3_64bits_withSeed(shape->dims, shape->rank * sizeof(shape->dims[0]), seed);
}

static int encode(const struct jag_place *place, const struct jag_copy *copy, struct jag_blob **out)
{
	struct jag_view view = { .shape = &place->element.shape,
				 .data = copy->bytes.data,
				 .nbytes = copy->bytes.nbytes };
	struct jag_buffer file = { 0 };
	int rc = place->codec->encode(&view, place->look, &file);
	if (rc) {
		jag_buffer_free(&file);
		return rc;
	}
	return jag_blob_take(&file, copy->hash, out);
}

/* The encoding of a copy: from the cache, from another thread that is at it, or made here. */
static int encoding_of(struct jag_content *content, jag_node node, const struct jag_place *place,
		       const struct jag_copy *copy, bool ahead, struct jag_blob **out)
{
	uint64_t key = encoding_key(place, copy->hash);
	bool cheap = place->size_known;
	int rc = jag_blobcache_begin(content->cache, key, out);
	if (rc < 0)
		return rc;
	if (rc == 1) {
		atomic_fetch_add_explicit(&content->hits, 1, memory_order_relaxed);
	} else {
		*out = NULL;
		rc = encode(place, copy, out);
		jag_blobcache_end(content->cache, key, rc, *out, cheap ? JAG_BLOB_CHEAP : JAG_BLOB_COSTLY,
				  ahead || !cheap);
		if (rc)
			return rc;
		atomic_fetch_add_explicit(&content->encodes, 1, memory_order_relaxed);
	}
	if (!cheap)
		jag_sizes_set(content->sizes, node, copy->hash, (*out)->nbytes);
	return 0;
}

static int make_list(struct jag_content *content, jag_node node, const struct jag_place *place, struct jag_blob **out)
{
	struct jag_buffer text = { 0 };
	int rc = jag_list_encode(content->locks, &place->list, &text);
	if (rc) {
		jag_buffer_free(&text);
		return rc;
	}
	rc = jag_blob_take(&text, jag_hash_bytes(text.data, text.nbytes, 0), out);
	if (rc == 0)
		jag_sizes_set(content->sizes, node, (*out)->hash, (*out)->nbytes);
	return rc;
}

/* A list is as large as all that it lists, so only those who have it open keep it. Where nobody writes the store, the
 * kernel reads without opening: there the last one stays, and who wants it meanwhile waits. */
static int snapshot_list(struct jag_content *content, jag_node node, const struct jag_place *place,
			 struct jag_blob **out)
{
	int rc = 0;
	if (!content->immutable)
		return make_list(content, node, place, out);
	pthread_mutex_lock(&content->list_lock);
	if (!content->list || content->list_node != node) {
		jag_blob_unref(content->list);
		content->list = NULL;
		content->list_node = node;
		rc = make_list(content, node, place, &content->list);
	}
	if (rc == 0)
		*out = jag_blob_ref(content->list);
	pthread_mutex_unlock(&content->list_lock);
	return rc;
}

/* The encoding that was made last, if the element still has the content that it was made of: then there is nothing to
 * copy. 1 and *out, 0, or -errno. */
static int unchanged_encoding(struct jag_content *content, jag_node node, const struct jag_place *place,
			      struct jag_blob **out)
{
	uint64_t known, size, hash;
	if (!jag_sizes_get(content->sizes, node, &known, &size) ||
	    jag_readback_touched(content->readback, place->element_node) ||
	    !jag_blobcache_get(content->cache, encoding_key(place, known), out))
		return 0;
	int rc = content->immutable ? 0 : jag_copy_hash(content->locks, place, &hash);
	if (rc == 0 && (content->immutable || hash == known)) {
		atomic_fetch_add_explicit(&content->hits, 1, memory_order_relaxed);
		return 1;
	}
	jag_blob_unref(*out);
	*out = NULL;
	return rc;
}

static int snapshot(struct jag_content *content, jag_node node, const struct jag_place *place, bool ahead,
		    struct jag_blob **out)
{
	struct jag_copy copy;
	if (place->bytes)
		return jag_blob_borrow(place->bytes, place->size, out);
	if (place->list.elements)
		return snapshot_list(content, node, place, out);
	if (!jag_content_is_snapshot(place))
		return -EINVAL;
	int rc = unchanged_encoding(content, node, place, out);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = jag_copy_element(content->locks, place, &copy);
	if (rc)
		return rc;
	*out = written_bytes(content, place, copy.hash);
	if (!*out)
		rc = encoding_of(content, node, place, &copy, ahead, out);
	jag_buffer_free(&copy.bytes);
	return rc;
}

int jag_content_snapshot(struct jag_content *content, jag_node node, const struct jag_place *place,
			 struct jag_blob **out)
{
	return snapshot(content, node, place, false, out);
}

int jag_content_warm(struct jag_content *content, jag_node node)
{
	struct jag_place place;
	struct jag_blob *blob;
	struct jag_fresh_look look = jag_fresh_begin(content->fresh);
	int rc = jag_tree_place(content->tree, node, &place);
	if (rc || place.list.elements || !jag_content_is_snapshot(&place))
		return rc;
	rc = snapshot(content, node, &place, true, &blob);
	if (rc == 0) {
		jag_fresh_set(content->fresh, node, blob->nbytes, look);
		jag_blob_unref(blob);
	}
	return rc;
}

/* --- sizes ----------------------------------------------------------------------------------------------------- */

/* The size of the file whose element has this content now, if it is remembered; *hash becomes the file's. */
static bool remembered_size(struct jag_content *content, jag_node node, const struct jag_place *place, uint64_t *size,
			    uint64_t *hash)
{
	uint64_t known;
	struct jag_blob *written = written_bytes(content, place, *hash);
	if (written) {
		*hash = written->hash;
		*size = written->nbytes;
		jag_blob_unref(written);
		return true;
	}
	if (place->size_known) {
		*size = place->size;
		return true;
	}
	return jag_sizes_get(content->sizes, node, &known, size) && known == *hash;
}

static int encoded_size(struct jag_content *content, jag_node node, const struct jag_place *place, uint64_t *size,
			uint64_t *hash)
{
	struct jag_copy copy;
	struct jag_blob *blob;
	int rc = jag_copy_element(content->locks, place, &copy);
	if (rc)
		return rc;
	*hash = copy.hash; /* maybe another one since */
	if (!remembered_size(content, node, place, size, hash)) {
		rc = encoding_of(content, node, place, &copy, false, &blob);
		if (rc == 0) {
			*size = blob->nbytes;
			jag_blob_unref(blob);
		}
	}
	jag_buffer_free(&copy.bytes);
	return rc;
}

/* The size of a file where it does not follow from the shape. */
static int present_size(struct jag_content *content, jag_node node, const struct jag_place *place, uint64_t *size,
			uint64_t *hash)
{
	bool seen = jag_sizes_get(content->sizes, node, hash, size);
	if (seen && content->immutable)
		return 0;
	if (place->list.elements) {
		int rc = jag_list_measure(content->locks, &place->list, size, hash);
		if (rc == 0)
			jag_sizes_set(content->sizes, node, *hash, *size);
		return rc;
	}
	if (seen || jag_readback_touched(content->readback, place->element_node)) {
		int rc = jag_copy_hash(content->locks, place, hash);
		if (rc || remembered_size(content, node, place, size, hash))
			return rc;
	}
	return encoded_size(content, node, place, size, hash);
}

int jag_content_size(struct jag_content *content, jag_node node, const struct jag_place *place, uint64_t *size,
		     uint64_t *hash)
{
	uint64_t unused;
	if (!hash)
		hash = &unused;
	if (jag_content_size_fixed(content, place)) {
		*size = place->size;
		*hash = 0;
		return 0;
	}
	if (!jag_content_is_snapshot(place))
		return -EINVAL;
	struct jag_fresh_look look = jag_fresh_begin(content->fresh);
	int rc = present_size(content, node, place, size, hash);
	if (rc == 0)
		jag_fresh_set(content->fresh, node, *size, look);
	return rc;
}

bool jag_content_fresh_size(struct jag_content *content, jag_node node, double max_age, uint64_t *size, double *age)
{
	return jag_fresh_get(content->fresh, node, max_age, size, age);
}

void jag_content_outdated(struct jag_content *content, jag_node node)
{
	jag_fresh_drop(content->fresh, node);
}

void jag_content_stats(struct jag_content *content, struct jag_content_stats *out)
{
	out->encodes = atomic_load(&content->encodes);
	out->encode_hits = atomic_load(&content->hits);
	out->cache_nbytes = jag_blobcache_nbytes(content->cache);
	out->sizes_remembered = jag_sizes_count(content->sizes);
	out->readback_nbytes = jag_readback_nbytes(content->readback);
}
