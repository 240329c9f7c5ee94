/* SPDX-License-Identifier: MIT */
/* adopt.c - a data file that is there already becomes the data of a new leaf. It is never copied and never
 * written. In a store in the making it is a hard link, so that at every moment, also of a power cut, the bytes are
 * found under their old name or their new one. */
#include "create_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file's own name in the directory that is added to is no obstacle. */
static void forget_name(struct jag_create *create, const char *file, const struct stat *st)
{
	struct jag_create_dir *root = create->root;
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	struct stat there;
	for (size_t i = 0; create->adding && i < root->name_count; i++) {
		if (strcmp(root->names[i], name) != 0 ||
		    fstatat(create->place.parent_fd, name, &there, AT_SYMLINK_NOFOLLOW) || there.st_dev != st->st_dev ||
		    there.st_ino != st->st_ino)
			continue;
		free(root->names[i]);
		root->names[i] = root->names[--root->name_count];
		return;
	}
}

int jag_create_adopt_next(struct jag_create *create, const char *file, struct jag_error *err)
{
	struct stat st, parent;
	if (lstat(file, &st))
		return jag_error_set(err, -errno, file, 0, "cannot be adopted: %s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return jag_error_set(err, -EINVAL, file, 0, "cannot be adopted: it is no regular file");
	if (fstat(create->place.parent_fd, &parent) || parent.st_dev != st.st_dev)
		return jag_error_set(err, -EXDEV, file, 0,
				     "cannot be adopted: it lies on another volume than the store; copy it there");
	forget_name(create, file, &st);
	free(create->adopt);
	create->adopt = strdup(file);
	return create->adopt ? 0 : -ENOMEM;
}

int jag_create_adopt_check(struct jag_create_leaf *leaf, const char *key, struct jag_error *err)
{
	struct stat st;
	if (lstat(leaf->adopted, &st))
		return jag_error_set(err, -errno, leaf->adopted, 0, "cannot be adopted: %s", strerror(errno));
	if ((uint64_t)st.st_size != leaf->nbytes)
		return jag_error_set(err, -EINVAL, leaf->adopted, 0,
				     "cannot be adopted as %s: it has %" PRId64 " bytes, the shapes ask for %" PRIu64,
				     key, (int64_t)st.st_size, leaf->nbytes);
	if (!leaf->nbytes)
		return jag_error_set(err, -EINVAL, leaf->adopted, 0,
				     "cannot be adopted: a leaf without elements has no file");
	struct stat there;
	leaf->in_place = leaf->create->adding &&
			 !fstatat(leaf->create->place.parent_fd, leaf->data_path, &there, AT_SYMLINK_NOFOLLOW) &&
			 there.st_dev == st.st_dev && there.st_ino == st.st_ino;
	return 0;
}

static int link_one(struct jag_create_leaf *leaf, void *ctx)
{
	const struct jag_create *create = leaf->create;
	struct jag_error *err = ctx;
	if (!leaf->adopted || leaf->in_place)
		return 0;
	/* Two that adopt one file would both have linked it before either takes its old name away. */
	leaf->adopt_fd = open(leaf->adopted, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (leaf->adopt_fd >= 0 && flock(leaf->adopt_fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return jag_error_set(err, -EBUSY, leaf->adopted, 0, "cannot be adopted: another process has locked it");
	if (linkat(AT_FDCWD, leaf->adopted, create->place.fd, leaf->data_path, 0))
		return jag_error_set(err, -errno, leaf->adopted, 0, "cannot be linked into the store: %s",
				     strerror(errno));
	return 0;
}

int jag_create_adopt_link(struct jag_create *create, struct jag_error *err)
{
	return jag_create_each_leaf(create->root, link_one, err);
}

static int unlink_one(struct jag_create_leaf *leaf, void *ctx)
{
	(void)ctx;
	/* A failure leaves a second name of the same file: no harm to the data. */
	if (leaf->adopted && !leaf->in_place)
		unlink(leaf->adopted);
	return 0;
}

void jag_create_adopt_unlink(struct jag_create *create)
{
	jag_create_each_leaf(create->root, unlink_one, NULL);
}
