/* SPDX-License-Identifier: MIT */
/* handle.c - opening and closing of files. */
#include "handle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ahead.h"
#include "control.h"
#include "stage.h"

struct jag_handle *jag_handle_create(struct jag_fs *fs)
{
	struct jag_handle *handle = calloc(1, sizeof(*handle));
	if (!handle)
		return NULL;
	handle->users = 1;
	pthread_mutex_lock(&fs->handles_lock);
	handle->next = fs->handles;
	handle->at = &fs->handles;
	if (handle->next)
		handle->next->at = &handle->next;
	fs->handles = handle;
	pthread_mutex_unlock(&fs->handles_lock);
	return handle;
}

int jag_handle_fill(struct jag_fs *fs, const struct jag_resolved *node, struct jag_handle *handle)
{
	handle->id = node->id;
	handle->base = node->base;
	if (node->base == 0) {
		if (!node->dynamic)
			return -EISDIR;
		handle->blob = jag_blob_ref(jag_control_blob(node->dynamic));
		return 0;
	}
	jag_place_copy(&handle->place, &node->place);
	if (!jag_content_is_snapshot(&handle->place))
		return 0;
	jag_ahead_note(fs->ahead, node->base);
	int rc = jag_versions_open(fs->versions, node->id, node->base, &handle->place, node->tid, &handle->pin);
	if (rc == 0) {
		handle->pinned = true;
		handle->blob = handle->pin.blob;
	} else if (rc == -ESTALE) {
		jag_stage_guess(fs, node);
	} else {
		jag_refuse(fs, node->base, NULL, rc, "cannot be read: %s", strerror(-rc));
	}
	return rc;
}

bool jag_handle_counts(const struct jag_handle *handle)
{
	return handle->base || handle->staging;
}

/* Another handle on the pages of node `id`, under fs->handles_lock. */
static bool is_shared(const struct jag_fs *fs, const struct jag_handle *handle, uint64_t id, bool anew)
{
	for (const struct jag_handle *other = fs->handles; other; other = other->next)
		if (other != handle && other->cached == id && (other->anew || !anew))
			return true;
	return false;
}

bool jag_handle_join(struct jag_fs *fs, struct jag_handle *handle)
{
	pthread_mutex_lock(&fs->handles_lock);
	bool joins = !fs->anew_count || !is_shared(fs, handle, handle->id, true);
	if (joins)
		handle->cached = handle->id;
	pthread_mutex_unlock(&fs->handles_lock);
	return joins;
}

/* Under fs->handles_lock. */
static void set_anew(struct jag_fs *fs, struct jag_handle *handle, bool anew)
{
	fs->anew_count = fs->anew_count + anew - handle->anew;
	handle->anew = anew;
}

bool jag_handle_alone(struct jag_fs *fs, struct jag_handle *handle)
{
	pthread_mutex_lock(&fs->handles_lock);
	bool alone = !handle->cached || !is_shared(fs, handle, handle->cached, false);
	if (alone && handle->cached)
		set_anew(fs, handle, true);
	pthread_mutex_unlock(&fs->handles_lock);
	return alone;
}

void jag_handle_settled(struct jag_fs *fs, struct jag_handle *handle)
{
	pthread_mutex_lock(&fs->handles_lock);
	set_anew(fs, handle, false);
	pthread_mutex_unlock(&fs->handles_lock);
}

void jag_handle_use(struct jag_handle *handle)
{
	__atomic_fetch_add(&handle->users, 1, __ATOMIC_RELAXED);
}

void jag_handle_done(struct jag_fs *fs, struct jag_handle *handle)
{
	if (__atomic_sub_fetch(&handle->users, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	pthread_mutex_lock(&fs->handles_lock);
	set_anew(fs, handle, false);
	*handle->at = handle->next;
	if (handle->next)
		handle->next->at = handle->at;
	pthread_mutex_unlock(&fs->handles_lock);
	if (handle->watched)
		jag_readers_note(&fs->readers, handle->tid, handle->place.size, handle->reads, handle->read_nbytes);
	jag_stage_close(fs, handle);
	if (handle->pinned)
		jag_versions_release(fs->versions, &handle->pin);
	else
		jag_blob_unref(handle->blob);
	free(handle);
}

void jag_handles_finish(struct jag_fs *fs)
{
	while (fs->handles) {
		fs->handles->users = 1;
		jag_handle_done(fs, fs->handles);
	}
}
