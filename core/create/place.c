/* SPDX-License-Identifier: MIT */
/* place.c - the final and the temporary name of a store in the making.
 *
 * Both names are in one directory, so the change is one rename(2). What can be known to fail is found out before any
 * work is done: a rename onto a mount point or into a read-only directory would otherwise fail after an hour of
 * decoding. */
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dirent.h>

#include "cleanup.h"

#define OLD_WAIT_NS INT64_C(5000000000)
#define REMOVE_TRIES 10

static int fail(const struct jag_place *place, struct jag_error *err, int code, const char *what)
{
	return jag_error_set(err, code, place->path, 0, "%s: %s", what, strerror(-code));
}

/* "a/b///" -> "a/b"; "/" stays. */
static char *without_slashes(const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	return strndup(path, n);
}

/* Split the path into the real path of the parent and the name. An existing path is resolved first: the directory
 * that a link points at is what gets replaced, not the link. */
static int split(struct jag_place *place)
{
	char *slash, *real;
	struct stat st;
	real = realpath(place->path, NULL);
	if (!real && errno == ENOENT && !lstat(place->path, &st)) {
		if (S_ISLNK(st.st_mode))
			return -ENOENT;             /* a dangling link */
		real = realpath(place->path, NULL); /* another process has just made it */
	}
	if (!real && errno != ENOENT)
		return -errno;
	if (real) {
		slash = strrchr(real, '/');
		place->name = strdup(slash + 1);
		slash[slash == real] = '\0';
		place->parent_path = real;
		return place->name ? 0 : -ENOMEM;
	}
	slash = strrchr(place->path, '/');
	place->name = strdup(slash ? slash + 1 : place->path);
	char *parent = !slash                 ? strdup(".")
		       : slash == place->path ? strdup("/")
					      : strndup(place->path, (size_t)(slash - place->path));
	if (!place->name || !parent) {
		free(parent);
		return -ENOMEM;
	}
	place->parent_path = realpath(parent, NULL);
	int rc = place->parent_path ? 0 : -errno;
	free(parent);
	return rc;
}

/* Something is at the name: may a store take its place? */
static int check_present(struct jag_place *place, const struct stat *st, bool force, struct jag_error *err)
{
	if (!S_ISDIR(st->st_mode))
		return jag_error_set(err, -EEXIST, place->path, 0, "exists, and is not a directory");
	struct stat parent;
	if (!fstat(place->parent_fd, &parent) && parent.st_dev != st->st_dev)
		return jag_error_set(
			err, -EBUSY, place->path, 0,
			"is a mount point; give a name inside it, so that the store can be renamed into place");
	int fd = openat(place->parent_fd, place->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail(place, err, -errno, "cannot look inside");
	bool store = !faccessat(fd, "meta.json", F_OK, AT_SYMLINK_NOFOLLOW);
	int empty = jag_is_empty(fd);
	if (empty < 0)
		return fail(place, err, empty, "cannot look inside");
	if (empty)
		return 0;
	if (!force)
		return jag_error_set(err, -EEXIST, place->path, 0,
				     store ? "holds a store already; --force replaces it" : "exists and is not empty");
	if (!store)
		return jag_error_set(err, -EEXIST, place->path, 0,
				     "is not empty and holds no store (no meta.json); it is not replaced");
	place->replace = true;
	return 0;
}

/* A store at STORE/KEY would hide the leaf of that key from all that look for it by this path. */
static bool hides_leaf(const struct jag_place *place)
{
	char *data JAG_AUTO_FREE = NULL;
	if (asprintf(&data, "%s.memmap", place->name) < 0)
		data = NULL;
	return data && !faccessat(place->parent_fd, "meta.json", F_OK, AT_SYMLINK_NOFOLLOW) &&
	       !faccessat(place->parent_fd, data, F_OK, AT_SYMLINK_NOFOLLOW);
}

int jag_place_find(struct jag_place *place, const char *path, bool force, struct jag_error *err)
{
	*place = (struct jag_place){ .parent_fd = -1, .fd = -1 };
	place->path = without_slashes(path);
	if (!place->path)
		return -ENOMEM;
	if (!*place->path)
		return jag_error_set(err, -ENOENT, path, 0, "the name of the store is empty");
	int rc = split(place);
	if (rc)
		return fail(place, err, rc, "no place for a store");
	if (!*place->name || !strcmp(place->name, ".") || !strcmp(place->name, ".."))
		return jag_error_set(err, -EINVAL, path, 0, "is no name for a store");
	place->parent_fd = open(place->parent_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->parent_fd < 0)
		return fail(place, err, -errno, "cannot open the directory that would hold it");
	struct stat st;
	if (!fstatat(place->parent_fd, place->name, &st, AT_SYMLINK_NOFOLLOW)) {
		rc = check_present(place, &st, force, err);
		if (rc)
			return rc;
	} else if (errno != ENOENT) {
		return fail(place, err, -errno, "no place for a store");
	} else if (hides_leaf(place)) {
		return jag_error_set(err, -EEXIST, place->path, 0, "is a leaf of the store that it lies in");
	}
	if (faccessat(place->parent_fd, ".", W_OK | X_OK, AT_EACCESS))
		return fail(place, err, -errno, "cannot create it in its directory");
	return 0;
}

/* Whatever is at the name now: may it go? */
static bool may_go(const struct jag_place *place, const char *name)
{
	int fd = openat(place->parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool store = !faccessat(fd, "meta.json", F_OK, AT_SYMLINK_NOFOLLOW);
	return jag_is_empty(fd) > 0 || store;
}

/* Without RENAME_EXCHANGE: move the old one aside for a moment. */
static int swap_aside(struct jag_place *place)
{
	if (!may_go(place, place->name))
		return -EEXIST;
	char *old = jag_place_aside_name(place);
	if (!old)
		return -ENOMEM;
	int rc = 0;
	if (renameat(place->parent_fd, place->name, place->parent_fd, old)) {
		rc = -errno;
	} else if (renameat(place->parent_fd, place->temp, place->parent_fd, place->name)) {
		rc = -errno;
		renameat(place->parent_fd, old, place->parent_fd, place->name);
	} else {
		free(place->temp);
		place->temp = old;
		return 0;
	}
	free(old);
	return rc;
}

/* Exchange the two names. What was a store when the work began may be something else by now: then it comes back. */
static int swap_in(struct jag_place *place)
{
	if (!renameat2(place->parent_fd, place->temp, place->parent_fd, place->name, RENAME_EXCHANGE)) {
		if (may_go(place, place->temp))
			return 0;
		return renameat2(place->parent_fd, place->temp, place->parent_fd, place->name, RENAME_EXCHANGE)
			       ? -errno
			       : -EEXIST;
	}
	if (errno == ENOENT) {
		place->replace = false; /* it has been removed, and nothing is left to replace */
		return renameat(place->parent_fd, place->temp, place->parent_fd, place->name) ? -errno : 0;
	}
	return errno == EINVAL || errno == ENOSYS ? swap_aside(place) : -errno;
}

/* The store that shall go, locked: who adds to it is waited for, and while it is removed under the temporary name,
 * nobody takes it for a killed process's. */
static int open_old(const struct jag_place *place)
{
	int fd = openat(place->parent_fd, place->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		jag_lock_dir(fd, OLD_WAIT_NS, NULL);
	return fd;
}

/* Who adds to it can make a file in it between the last look and its end. */
static void remove_old(const struct jag_place *place)
{
	for (int i = 0; i < REMOVE_TRIES && !faccessat(place->parent_fd, place->temp, F_OK, AT_SYMLINK_NOFOLLOW); i++)
		jag_remove_tree(place->parent_fd, place->temp);
}

static int change_names(struct jag_place *place, bool sync, struct jag_error *err)
{
	int rc = 0;
	if (place->replace)
		rc = swap_in(place);
	else if (renameat(place->parent_fd, place->temp, place->parent_fd, place->name))
		rc = -errno;
	if (rc == -ENOTEMPTY || rc == -EEXIST)
		return jag_error_set(err, -EEXIST, place->path, 0,
				     "another process has made something there meanwhile");
	if (rc)
		return fail(place, err, rc, "cannot rename the finished store into place");
	flock(place->fd, LOCK_UN); /* a store now, and others may add to it */
	/* The store is there; a parent that cannot be synced (some network file systems) does not undo that. */
	if (sync)
		fsync(place->parent_fd);
	if (place->replace)
		remove_old(place);
	free(place->temp);
	place->temp = NULL;
	return 0;
}

int jag_place_commit(struct jag_place *place, bool sync, struct jag_error *err)
{
	if (sync && fsync(place->fd))
		return fail(place, err, -errno, "cannot sync the directory");
	int old = place->replace ? open_old(place) : -1;
	int rc = change_names(place, sync, err);
	if (old >= 0)
		close(old); /* and unlock */
	return rc;
}

void jag_place_discard(struct jag_place *place)
{
	if (place->temp)
		jag_remove_tree(place->parent_fd, place->temp);
	free(place->temp);
	place->temp = NULL;
}

bool jag_place_holds(const struct jag_place *place, const char *path)
{
	char *target = NULL, *real = realpath(path, NULL);
	const char *parent = strcmp(place->parent_path, "/") != 0 ? place->parent_path : "";
	if (!place->replace || asprintf(&target, "%s/%s", parent, place->name) < 0)
		target = NULL;
	size_t n = target ? strlen(target) : 0;
	bool holds = target && real && !strncmp(real, target, n) && (real[n] == '/' || !real[n]);
	free(target);
	free(real);
	return holds;
}

void jag_place_finish(struct jag_place *place)
{
	if (place->fd >= 0)
		close(place->fd);
	if (place->parent_fd >= 0)
		close(place->parent_fd);
	free(place->path);
	free(place->parent_path);
	free(place->name);
	free(place->temp);
	*place = (struct jag_place){ .parent_fd = -1, .fd = -1 };
}

int jag_is_empty(int dir_fd)
{
	DIR *dir = fdopendir(dir_fd);
	if (!dir) {
		int rc = -errno;
		close(dir_fd);
		return rc;
	}
	int empty = 1;
	struct dirent *entry;
	while (empty && (entry = readdir(dir)))
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	closedir(dir);
	return empty;
}

/* Remove the entries of an open directory; takes the descriptor. */
static int remove_entries(int fd)
{
	DIR *dir = fdopendir(fd);
	if (!dir) {
		int rc = -errno;
		close(fd);
		return rc;
	}
	int rc = 0;
	struct dirent *entry;
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		int one = jag_remove_tree(dirfd(dir), entry->d_name);
		if (one && !rc)
			rc = one;
	}
	closedir(dir);
	return rc;
}

int jag_remove_tree(int dir_fd, const char *name)
{
	if (!unlinkat(dir_fd, name, 0))
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int rc = remove_entries(fd);
	if (unlinkat(dir_fd, name, AT_REMOVEDIR) && !rc)
		rc = -errno;
	return rc;
}
