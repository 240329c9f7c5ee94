/* SPDX-License-Identifier: MIT */
/* add.c - the beginning of adding to a collection that is there: what it is, which keys and file names it has.
 * The same is looked at again, under a lock, when the new keys are put in (merge.c); here it is for refusing
 * early. */
#include "create_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "read_meta.h"

/* How long to wait for another process that adds; a stopped one is not waited for. */
#define LOCK_WAIT_NS INT64_C(5000000000)

/* File names in the directory, so that no new key takes one. */
static int list_names(struct jag_create *create)
{
	int fd = openat(create->place.parent_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		int rc = -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	int rc = 0;
	struct dirent *entry;
	while (!rc && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			rc = jag_create_note_name(create->root, entry->d_name);
	closedir(dir);
	return rc;
}

int jag_create_check_collection(const struct jag_create *create, const struct jag_meta *meta, struct jag_error *err)
{
	const char *path = create->place.path;
	if (meta->has_stack_dim)
		return jag_error_set(err, -EINVAL, path, 0, "is a stack; add to its children");
	if (meta->non_tensor)
		return jag_error_set(err, -EINVAL, path, 0, "is a non-tensor value; it has no keys");
	if (!faccessat(create->place.parent_fd, "_tensordict", F_OK, AT_SYMLINK_NOFOLLOW))
		return jag_error_set(err, -EINVAL, path, 0, "is a tensorclass; add to its _tensordict");
	if (!faccessat(create->place.parent_fd, "_source", F_OK, AT_SYMLINK_NOFOLLOW))
		return jag_error_set(err, -EINVAL, path, 0, "is a view; add to its _source");
	if (meta->format_version < 0 || meta->format_version > 1)
		return jag_error_set(err, -ENOTSUP, path, 0,
				     "is of format version %" PRId64 "; only versions 0 and 1 can be added to",
				     meta->format_version);
	return 0;
}

static int read_known(struct jag_create *create, struct jag_error *err)
{
	struct jag_buffer text = { 0 };
	int rc = jag_read_meta(create->place.parent_fd, create->place.path, &text, &create->known, NULL, err);
	if (rc == -ENOENT && create->flags & JAG_CREATE_BARE) {
		create->bare = true;
		rc = 0;
	}
	if (!rc && !create->bare)
		rc = jag_create_check_collection(create, &create->known, err);
	if (!rc && create->known.has_shape) {
		create->root->batch_rank = create->known.batch_rank;
		memcpy(create->root->batch, create->known.batch, sizeof(create->known.batch));
	}
	/* The slices of values in `known` point here; nobody looks at them. */
	jag_buffer_free(&text);
	return rc;
}

static int open_directory(struct jag_create *create, const char *path, struct jag_error *err)
{
	struct jag_place *place = &create->place;
	*place = (struct jag_place){ .parent_fd = -1, .fd = -1, .path = strdup(path), .name = strdup("") };
	if (!place->path || !place->name)
		return jag_error_set(err, -ENOMEM, path, 0, "out of memory");
	place->parent_path = realpath(path, NULL);
	if (place->parent_path)
		place->parent_fd = open(place->parent_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->parent_fd < 0)
		return jag_error_set(err, -errno, path, 0, "cannot open the store: %s", strerror(errno));
	if (faccessat(place->parent_fd, ".", W_OK | X_OK, AT_EACCESS))
		return jag_error_set(err, -errno, path, 0, "cannot add to it: %s", strerror(errno));
	return 0;
}

/* Under the lock, so that a collection that another process is moving in is seen as what it is, not as a name in the
 * way. Where it cannot be had, the look is as good as it can be: the last word is merge.c's. */
static int look(struct jag_create *create, struct jag_error *err)
{
	bool locked = !jag_create_lock(create, LOCK_WAIT_NS);
	int rc = read_known(create, err);
	if (!rc) {
		rc = list_names(create);
		if (rc)
			jag_error_set(err, rc, create->place.path, 0, "cannot list it: %s", strerror(-rc));
	}
	if (locked)
		jag_create_unlock(create);
	return rc;
}

int jag_create_add(const char *path, unsigned flags, struct jag_create **out, struct jag_error *err)
{
	struct jag_create *create;
	int rc = jag_create_alloc(flags, &create);
	if (rc)
		return jag_error_set(err, rc, path, 0, "out of memory");
	create->adding = true;
	rc = open_directory(create, path, err);
	if (!rc)
		rc = look(create, err);
	if (rc && create->place.parent_fd >= 0)
		rc = jag_create_check_gone(create, rc, err);
	if (rc) {
		jag_create_discard(create);
		return rc;
	}
	*out = create;
	return 0;
}
