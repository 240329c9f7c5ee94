/* SPDX-License-Identifier: MIT */
/* staging.c - staged bytes, their budget, episodes, and commit points. */
#include "staging.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FREE_INO (UINT64_C(1) << 62)
#define FIRST_CAPACITY 4096

static void count(uint64_t *counter, uint64_t n)
{
	__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

/* --- memory ---------------------------------------------------------------------------------------------------- */

/* Take the difference from the budget of all stagings. */
static int reserve(struct jag_staging_pool *pool, size_t from, size_t to)
{
	uint64_t now = __atomic_load_n(&pool->nbytes, __ATOMIC_RELAXED), more = to - from;
	do {
		/* Not even for a moment more than the limit, or others were refused what there is room for. */
		if (now > pool->limit || more > pool->limit - now)
			return -ENOSPC;
	} while (!__atomic_compare_exchange_n(&pool->nbytes, &now, now + more, true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return 0;
}

static int grow_to(struct jag_staging *staging, size_t capacity)
{
	int rc = reserve(staging->pool, staging->capacity, capacity);
	if (rc)
		return rc;
	uint8_t *data = realloc(staging->data, capacity);
	if (!data) {
		__atomic_sub_fetch(&staging->pool->nbytes, capacity - staging->capacity, __ATOMIC_RELAXED);
		return -ENOMEM;
	}
	staging->data = data;
	staging->capacity = capacity;
	return 0;
}

/* Room for `nbytes` in all. Doubles, as long as the budget allows. */
static int make_room(struct jag_staging *staging, uint64_t nbytes)
{
	if (nbytes <= staging->capacity)
		return 0;
	if (nbytes > SIZE_MAX / 4)
		return -EFBIG;
	size_t doubled = staging->capacity ? staging->capacity * 2 : FIRST_CAPACITY;
	if (doubled > nbytes && grow_to(staging, doubled) == 0)
		return 0;
	return grow_to(staging, nbytes);
}

static void free_bytes(struct jag_staging *staging)
{
	__atomic_sub_fetch(&staging->pool->nbytes, staging->capacity, __ATOMIC_RELAXED);
	free(staging->data);
	staging->data = NULL;
	staging->nbytes = staging->capacity = 0;
	jag_blob_unref(staging->origin);
	staging->origin = NULL;
}

/* --- episodes -------------------------------------------------------------------------------------------------- */

/* The element is about to be written. From before its node is looked up until the last handle is closed. */
static void expect(struct jag_staging *staging)
{
	if (staging->anew || !staging->target)
		return;
	staging->anew = true;
	count(&staging->pool->anew, 1);
}

/* Under the lock, as all that follow. */
static void start(struct jag_staging *staging)
{
	if (staging->active)
		return;
	staging->active = true;
	staging->dirty = false;
	staging->outcome = JAG_STAGING_UNTRIED;
	count(&staging->pool->staged, 1);
	expect(staging);
}

/* The first change: an episode, with bytes that can be written. */
static int make_own(struct jag_staging *staging)
{
	if (staging->origin) {
		int rc = make_room(staging, staging->origin->nbytes);
		if (rc)
			return rc;
		memcpy(staging->data, staging->origin->data, staging->origin->nbytes);
		staging->nbytes = staging->origin->nbytes;
		jag_blob_unref(staging->origin);
		staging->origin = NULL;
	}
	start(staging);
	return 0;
}

/* True: it has ended just now, and came to nothing. */
static bool end_if_over(struct jag_staging *staging)
{
	if (staging->handles || staging->named)
		return false;
	bool abandoned = staging->active && staging->outcome == JAG_STAGING_UNTRIED;
	if (abandoned)
		count(&staging->pool->abandoned, 1);
	else if (staging->active)
		count(staging->outcome == JAG_STAGING_COMMITTED ? &staging->pool->commits : &staging->pool->refusals,
		      1);
	if (staging->anew)
		__atomic_sub_fetch(&staging->pool->anew, 1, __ATOMIC_RELAXED);
	staging->anew = false;
	staging->active = false;
	free_bytes(staging);
	return abandoned;
}

int jag_staging_create(struct jag_staging_pool *pool, jag_node target, struct jag_blob *origin,
		       struct jag_staging **out)
{
	struct jag_staging *staging = calloc(1, sizeof(*staging));
	if (!staging)
		return -ENOMEM;
	pthread_mutex_init(&staging->lock, NULL);
	staging->pool = pool;
	staging->target = target;
	staging->origin = origin ? jag_blob_ref(origin) : NULL;
	clock_gettime(CLOCK_REALTIME, &staging->mtime);
	expect(staging);
	if (!target) {
		staging->ino = FREE_INO | __atomic_add_fetch(&pool->inos, 1, __ATOMIC_RELAXED);
		staging->named = true;
		start(staging);
	}
	*out = staging;
	return 0;
}

void jag_staging_free(struct jag_staging *staging)
{
	staging->handles = 0;
	staging->named = false;
	end_if_over(staging);
	pthread_mutex_destroy(&staging->lock);
	free(staging);
}

struct jag_staging *jag_staging_of(struct jag_dynamic *node)
{
	return jag_record(node, struct jag_staging, node);
}

static void empty(struct jag_staging *staging)
{
	jag_blob_unref(staging->origin);
	staging->origin = NULL;
	staging->nbytes = 0;
	start(staging);
}

bool jag_staging_origin_hash(struct jag_staging *staging, uint64_t *hash)
{
	pthread_mutex_lock(&staging->lock);
	bool has = staging->origin != NULL;
	*hash = has ? staging->origin->hash : 0;
	pthread_mutex_unlock(&staging->lock);
	return has;
}

void jag_staging_set_origin(struct jag_staging *staging, struct jag_blob *origin)
{
	pthread_mutex_lock(&staging->lock);
	if (staging->origin && !staging->handles) {
		jag_blob_unref(staging->origin);
		staging->origin = jag_blob_ref(origin);
	}
	pthread_mutex_unlock(&staging->lock);
}

int jag_staging_open(struct jag_staging *staging, bool truncate)
{
	int rc = 0;
	pthread_mutex_lock(&staging->lock);
	if (truncate)
		empty(staging);
	else if (!staging->active && !staging->origin)
		rc = -ESTALE;
	if (rc == 0)
		staging->handles++;
	pthread_mutex_unlock(&staging->lock);
	return rc;
}

bool jag_staging_drop_name(struct jag_staging *staging)
{
	pthread_mutex_lock(&staging->lock);
	staging->named = false;
	bool abandoned = end_if_over(staging);
	pthread_mutex_unlock(&staging->lock);
	return abandoned;
}

/* --- bytes ----------------------------------------------------------------------------------------------------- */

static void changed(struct jag_staging *staging)
{
	staging->dirty = true;
	staging->has_mtime = false;
	clock_gettime(CLOCK_REALTIME_COARSE, &staging->mtime);
}

/* Not shorter than before; new bytes are zero. */
static int extend(struct jag_staging *staging, uint64_t nbytes)
{
	int rc = make_room(staging, nbytes);
	if (rc || nbytes <= staging->nbytes)
		return rc;
	memset(staging->data + staging->nbytes, 0, nbytes - staging->nbytes);
	staging->nbytes = nbytes;
	return 0;
}

int jag_staging_write(struct jag_staging *staging, const void *src, size_t n, uint64_t offset)
{
	uint64_t end;
	if (__builtin_add_overflow(offset, n, &end))
		return -EFBIG;
	pthread_mutex_lock(&staging->lock);
	int rc = make_own(staging);
	if (rc == 0)
		rc = make_room(staging, end);
	if (rc == 0)
		rc = extend(staging, offset);
	if (rc == 0 && n > 0) {
		memcpy(staging->data + offset, src, n);
		if (end > staging->nbytes)
			staging->nbytes = end;
		changed(staging);
	}
	pthread_mutex_unlock(&staging->lock);
	return rc;
}

int jag_staging_truncate(struct jag_staging *staging, uint64_t nbytes, bool fixed)
{
	int rc = 0;
	pthread_mutex_lock(&staging->lock);
	if (fixed && !staging->active && staging->origin && nbytes) {
		size_t own = staging->origin->nbytes;
		rc = nbytes == own ? 0 : nbytes > own ? -EFBIG : -EINVAL;
		goto out;
	}
	if (nbytes == 0)
		empty(staging);
	else
		rc = make_own(staging);
	if (rc == 0)
		rc = extend(staging, nbytes);
	if (rc == 0) {
		staging->nbytes = nbytes;
		changed(staging);
	}
out:
	pthread_mutex_unlock(&staging->lock);
	return rc;
}

size_t jag_staging_read(struct jag_staging *staging, void *dst, size_t n, uint64_t offset)
{
	pthread_mutex_lock(&staging->lock);
	const uint8_t *data = staging->origin ? staging->origin->data : staging->data;
	size_t nbytes = staging->origin ? staging->origin->nbytes : staging->nbytes;
	n = offset >= nbytes ? 0 : n < nbytes - offset ? n : (size_t)(nbytes - offset);
	if (n)
		memcpy(dst, data + offset, n);
	pthread_mutex_unlock(&staging->lock);
	return n;
}

bool jag_staging_size(struct jag_staging *staging, uint64_t *nbytes)
{
	pthread_mutex_lock(&staging->lock);
	bool own = staging->active || staging->origin;
	*nbytes = staging->origin ? staging->origin->nbytes : staging->nbytes;
	pthread_mutex_unlock(&staging->lock);
	return own;
}

bool jag_staging_is_dirty(struct jag_staging *staging)
{
	pthread_mutex_lock(&staging->lock);
	bool dirty = staging->dirty;
	pthread_mutex_unlock(&staging->lock);
	return dirty;
}

jag_node jag_staging_target(struct jag_staging *staging)
{
	pthread_mutex_lock(&staging->lock);
	jag_node target = staging->target;
	pthread_mutex_unlock(&staging->lock);
	return target;
}

/* --- commit points --------------------------------------------------------------------------------------------- */

/* The outcome of an attempt. */
static void settle(struct jag_staging *staging, int rc, struct jag_staging_result *result)
{
	staging->dirty = false;
	staging->outcome = rc ? JAG_STAGING_REFUSED : JAG_STAGING_COMMITTED;
	staging->refusal = rc;
	result->committed = rc == 0;
	result->refused = rc != 0;
}

/* Where the element lies is not there any more: an attempt that failed. */
static int refuse_place(struct jag_staging *staging, int rc, struct jag_staging_result *result)
{
	settle(staging, rc, result);
	return jag_error_set(&result->err, rc, NULL, 0, "cannot be located: %s", strerror(-rc));
}

static int attempt(struct jag_staging *staging, struct jag_content *content, const struct jag_place *place, bool sync,
		   bool quiet, struct jag_staging_result *result)
{
	unsigned flags = staging->pool->commit_flags | (sync ? (unsigned)JAG_COMMIT_SYNC : 0);
	int rc = jag_commit(content, place, staging->nbytes ? (const void *)staging->data : "", staging->nbytes, flags,
			    &result->err);
	if (rc && quiet)
		return rc;
	settle(staging, rc, result);
	if (rc == 0) {
		count(&staging->pool->committed_nbytes, place->element.nbytes);
		if (!staging->has_mtime)
			clock_gettime(CLOCK_REALTIME, &staging->mtime);
		result->mtime = staging->mtime;
	}
	return rc;
}

/* Nothing has changed since the last attempt: the same answer again, without a second line in the log. */
static int answer_again(struct jag_staging *staging, const struct jag_place *place, enum jag_staging_point point)
{
	if (staging->outcome == JAG_STAGING_REFUSED)
		return point == JAG_STAGING_FLUSH || point == JAG_STAGING_FSYNC ? staging->refusal : 0;
	if (staging->outcome == JAG_STAGING_COMMITTED && point == JAG_STAGING_FSYNC)
		return jag_element_sync(&place->element);
	return 0;
}

static int commit(struct jag_staging *staging, struct jag_content *content, enum jag_staging_point point,
		  struct jag_staging_result *result)
{
	struct jag_place place;
	if (!staging->active || (staging->outcome == JAG_STAGING_UNTRIED && !staging->dirty))
		return 0;
	int rc = jag_tree_place(jag_content_tree(content), staging->target, &place);
	if (rc)
		return staging->dirty ? refuse_place(staging, rc, result) : rc;
	if (!staging->dirty)
		return answer_again(staging, &place, point);
	if (point != JAG_STAGING_FLUSH_OTHER)
		return attempt(staging, content, &place, point == JAG_STAGING_FSYNC, false, result);
	/* Somebody who inherited the file is done with it; more may come. */
	if (jag_commit_plausible(&place, staging->nbytes))
		attempt(staging, content, &place, false, true, result);
	return 0;
}

int jag_staging_commit(struct jag_staging *staging, struct jag_content *content, enum jag_staging_point point,
		       struct jag_staging_result *result)
{
	int rc = 0;
	*result = (struct jag_staging_result){ 0 };
	pthread_mutex_lock(&staging->lock);
	if (!staging->target)
		staging->fsynced |= point == JAG_STAGING_FSYNC;
	else
		rc = commit(staging, content, point, result);
	pthread_mutex_unlock(&staging->lock);
	return rc;
}

bool jag_staging_close(struct jag_staging *staging, struct jag_content *content, struct jag_staging_result *result)
{
	*result = (struct jag_staging_result){ 0 };
	pthread_mutex_lock(&staging->lock);
	if (staging->target && staging->handles == 1)
		commit(staging, content, JAG_STAGING_RELEASE, result);
	staging->handles--;
	bool abandoned = end_if_over(staging);
	pthread_mutex_unlock(&staging->lock);
	return abandoned;
}

int jag_staging_rename(struct jag_staging *staging, struct jag_content *content, jag_node target,
		       struct jag_staging_result *result)
{
	struct jag_place place;
	*result = (struct jag_staging_result){ 0 };
	pthread_mutex_lock(&staging->lock);
	int rc = jag_tree_place(jag_content_tree(content), target, &place);
	rc = rc ? refuse_place(staging, rc, result)
		: attempt(staging, content, &place, staging->fsynced, false, result);
	if (rc == 0) {
		staging->target = target;
		expect(staging); /* who has it open may write more */
	}
	pthread_mutex_unlock(&staging->lock);
	return rc;
}
