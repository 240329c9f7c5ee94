/* SPDX-License-Identifier: MIT */
/* locks.c - the striped locks of elements and of data files. */
#include "locks.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <xxhash.h>

#define ELEMENTS 1024
#define FILES 32

struct jag_locks {
	pthread_rwlock_t files[FILES];
	pthread_rwlock_t elements[ELEMENTS];
};

int jag_locks_create(struct jag_locks **out)
{
	pthread_rwlockattr_t attr;
	struct jag_locks *locks = malloc(sizeof(*locks));
	if (!locks)
		return -ENOMEM;
	pthread_rwlockattr_init(&attr);
	/* a commit must not wait for ever behind readers that overlap */
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	for (unsigned i = 0; i < FILES; i++)
		pthread_rwlock_init(&locks->files[i], &attr);
	for (unsigned i = 0; i < ELEMENTS; i++)
		pthread_rwlock_init(&locks->elements[i], &attr);
	pthread_rwlockattr_destroy(&attr);
	*out = locks;
	return 0;
}

void jag_locks_destroy(struct jag_locks *locks)
{
	if (!locks)
		return;
	for (unsigned i = 0; i < FILES; i++)
		pthread_rwlock_destroy(&locks->files[i]);
	for (unsigned i = 0; i < ELEMENTS; i++)
		pthread_rwlock_destroy(&locks->elements[i]);
	free(locks);
}

static unsigned file_stripe(const struct jag_piece *piece)
{
	return (unsigned)(XXH3_64bits(&piece->file, sizeof(piece->file)) % FILES);
}

static bool is_whole(const struct jag_place *place)
{
	return place->lock_key == 0;
}

/* The stripes of all files of a place, as bits. */
static uint32_t file_stripes(const struct jag_place *place)
{
	uint32_t stripes = 0;
	for (size_t i = 0; i < place->element.piece_count; i++)
		stripes |= UINT32_C(1) << file_stripe(&place->element.pieces[i]);
	return stripes;
}

static pthread_rwlock_t *element_lock(struct jag_locks *locks, const struct jag_place *place)
{
	return &locks->elements[(place->lock_key >> 1) % ELEMENTS];
}

static void lock_files(struct jag_locks *locks, const struct jag_place *place)
{
	uint32_t stripes = file_stripes(place);
	for (unsigned i = 0; i < FILES; i++) {
		if (!(stripes >> i & 1))
			continue;
		if (is_whole(place))
			pthread_rwlock_wrlock(&locks->files[i]);
		else
			pthread_rwlock_rdlock(&locks->files[i]);
	}
}

void jag_locks_shared(struct jag_locks *locks, const struct jag_place *place)
{
	lock_files(locks, place);
	if (!is_whole(place))
		pthread_rwlock_rdlock(element_lock(locks, place));
}

void jag_locks_exclusive(struct jag_locks *locks, const struct jag_place *place)
{
	lock_files(locks, place);
	if (!is_whole(place))
		pthread_rwlock_wrlock(element_lock(locks, place));
}

void jag_locks_release(struct jag_locks *locks, const struct jag_place *place)
{
	uint32_t stripes = file_stripes(place);
	if (!is_whole(place))
		pthread_rwlock_unlock(element_lock(locks, place));
	for (unsigned i = 0; i < FILES; i++)
		if (stripes >> i & 1)
			pthread_rwlock_unlock(&locks->files[i]);
}
