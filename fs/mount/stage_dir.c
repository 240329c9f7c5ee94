/* SPDX-License-Identifier: MIT */
/* stage_dir.c - free names: created, changed, removed, and renamed to each other or onto elements. */
#include <errno.h>
#include <string.h>

#include "stage.h"

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif
#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

/* --- attributes ------------------------------------------------------------------------------------------------ */

static int set_owner(struct jag_fs *fs, const struct jag_resolved *node, const struct stat *attr, int to_set)
{
	struct jag_staging *staging = node->staging;
	struct stat st;
	if (node->base) { /* mode and owner are the data's */
		jag_place_stat(fs, &node->place, 0, &st);
		return jag_check_owner(fs, node->base, &st, attr, to_set);
	}
	pthread_mutex_lock(&staging->lock);
	if (to_set & FUSE_SET_ATTR_MODE)
		staging->mode = attr->st_mode & 07777;
	if (to_set & FUSE_SET_ATTR_UID)
		staging->uid = attr->st_uid;
	if (to_set & FUSE_SET_ATTR_GID)
		staging->gid = attr->st_gid;
	pthread_mutex_unlock(&staging->lock);
	return 0;
}

int jag_stage_setattr(struct jag_fs *fs, const struct jag_resolved *node, const struct stat *attr, int to_set)
{
	struct jag_staging *staging = node->staging;
	uint64_t size;
	int rc = 0;
	if (to_set & FUSE_SET_ATTR_SIZE) {
		rc = jag_staging_truncate(staging, (uint64_t)attr->st_size, node->base != 0);
		if (rc == -EFBIG || rc == -EINVAL)
			jag_refuse(fs, node->base, NULL, rc, "cannot be cut or extended to %lld bytes",
				   (long long)attr->st_size);
	}
	if (rc == 0)
		rc = set_owner(fs, node, attr, to_set);
	if (rc == 0 && (to_set & (FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW))) {
		struct timespec mtime = attr->st_mtim;
		if (to_set & FUSE_SET_ATTR_MTIME_NOW)
			clock_gettime(CLOCK_REALTIME, &mtime);
		bool own = jag_staging_size(staging, &size);
		pthread_mutex_lock(&staging->lock);
		staging->mtime = mtime;
		staging->has_mtime = true;
		bool settled = node->base && (!own || !staging->dirty);
		pthread_mutex_unlock(&staging->lock);
		if (settled) /* no commit will follow that takes it along */
			jag_times_set(fs->times, jag_times_key(&node->place), &mtime);
	}
	return rc;
}

/* --- creating and removing ------------------------------------------------------------------------------------- */

/* May a free name of this sort be created in the directory, or an element's file be renamed to it? */
static int check_name(struct jag_fs *fs, fuse_ino_t dir, const char *name)
{
	enum jag_name_class class;
	struct jag_place place;
	if (strlen(name) > JAG_NAME_MAX)
		return -ENAMETOOLONG;
	int rc = jag_tree_classify(fs->tree, dir, name, &class);
	if (rc)
		return rc;
	if (class == JAG_NAME_EXISTS)
		return -EEXIST;
	if (class == JAG_NAME_LOOKALIKE || (dir == JAG_NODE_ROOT && !strcmp(name, fs->control_name)))
		return jag_refuse(fs, dir, name, -EPERM,
				  "looks like an element, but there is none of this name: elements cannot be added");
	rc = jag_tree_place(fs->tree, dir, &place);
	/* Of a collection's leaves, some may be writable and some not: that is looked at in the rename. */
	if (rc == 0 && !place.collection && !place.attr.writable)
		return jag_refuse(fs, dir, name, jag_unwritable(fs), "the store's file cannot be written");
	return rc;
}

int jag_stage_create(struct jag_fs *fs, fuse_req_t req, fuse_ino_t dir, const char *name, mode_t mode,
		     struct fuse_entry_param *entry, struct jag_staging **out)
{
	struct jag_staging *staging;
	if (fs->read_only)
		return -EROFS;
	if (jag_node_is_dynamic(dir))
		return -EPERM;
	int rc = check_name(fs, dir, name);
	if (rc == 0)
		rc = jag_staging_create(&fs->stagings, 0, NULL, &staging);
	if (rc)
		return rc;
	staging->mode = mode & 07777;
	staging->uid = fuse_req_ctx(req)->uid;
	staging->gid = fuse_req_ctx(req)->gid;
	rc = jag_nodes_add(&fs->nodes, &staging->node, JAG_DYNAMIC_STAGING);
	if (rc) {
		jag_staging_free(staging);
		return rc;
	}
	rc = jag_stage_names_add(&fs->stage_names, dir, name, staging);
	if (rc) {
		jag_fs_forget(fs, staging->node.link.key, 1);
		return rc;
	}
	entry->ino = staging->node.link.key;
	struct jag_resolved node = { .id = entry->ino, .staging = staging };
	jag_stage_stat(fs, &node, 0, &entry->attr);
	*out = staging;
	return 0;
}

/* The name has been taken out of the table, with its hold. */
static void drop_name(struct jag_fs *fs, fuse_ino_t dir, const char *name, struct jag_staging *staging)
{
	if (jag_staging_drop_name(staging))
		jag_refuse(fs, dir, name, 0, "a temporary file was dropped without a rename onto an element");
	jag_stage_put(fs, staging, 0);
}

int jag_stage_unlink(struct jag_fs *fs, fuse_ino_t dir, const char *name)
{
	struct jag_staging *staging = jag_stage_names_remove(&fs->stage_names, dir, name);
	if (!staging)
		return -ENOENT;
	drop_name(fs, dir, name, staging);
	return 0;
}

/* --- renaming -------------------------------------------------------------------------------------------------- */

static int rename_to_free(struct jag_fs *fs, fuse_ino_t dir, const char *name, fuse_ino_t new_dir, const char *new_name)
{
	struct jag_staging *replaced = jag_stage_names_remove(&fs->stage_names, new_dir, new_name);
	if (replaced)
		drop_name(fs, new_dir, new_name, replaced);
	struct jag_staging *staging = jag_stage_names_find(&fs->stage_names, dir, name);
	if (!staging)
		return -ENOENT;
	int rc = jag_stage_names_add(&fs->stage_names, new_dir, new_name, staging);
	if (rc == 0 && jag_stage_names_remove(&fs->stage_names, dir, name))
		jag_stage_put(fs, staging, 0);
	jag_stage_put(fs, staging, 0);
	return rc;
}

/* The kernel has looked at the directory only. Who renames onto an element writes the data file. */
static bool caller_may_write(struct jag_fs *fs, fuse_req_t req, const struct jag_place *place)
{
	const struct fuse_ctx *ctx = fuse_req_ctx(req);
	gid_t groups[1024];
	struct stat st;
	jag_place_stat(fs, place, 0, &st);
	if (ctx->uid == 0)
		return true;
	if (ctx->uid == st.st_uid)
		return st.st_mode & 0200;
	bool member = ctx->gid == st.st_gid;
	int count = member ? 0 : fuse_req_getgroups(req, (int)(sizeof(groups) / sizeof(groups[0])), groups);
	for (int i = 0; i < count && i < (int)(sizeof(groups) / sizeof(groups[0])); i++)
		member |= groups[i] == st.st_gid;
	return st.st_mode & (member ? 0020 : 0002);
}

static int check_element(struct jag_fs *fs, fuse_req_t req, jag_node element, unsigned flags)
{
	struct jag_place place;
	int rc = jag_tree_place(fs->tree, element, &place);
	if (rc)
		return rc;
	if (flags & RENAME_NOREPLACE)
		return -EEXIST;
	if (flags & RENAME_EXCHANGE)
		return jag_refuse(fs, element, NULL, -EPERM, "elements cannot be renamed");
	if (place.type == JAG_NODE_DIRECTORY)
		return -EISDIR;
	if (!place.read_only && place.codec && !caller_may_write(fs, req, &place))
		return jag_refuse(fs, element, NULL, -EACCES, "user %u may not write the store's file",
				  (unsigned)fuse_req_ctx(req)->uid);
	return jag_fs_may_write(fs, element, &place, true);
}

static int rename_to_element(struct jag_fs *fs, fuse_req_t req, fuse_ino_t dir, const char *name, jag_node element,
			     unsigned flags)
{
	struct jag_staging_result result;
	int rc = check_element(fs, req, element, flags);
	if (rc)
		return rc;
	struct jag_staging *staging = jag_stage_names_find(&fs->stage_names, dir, name);
	if (!staging)
		return -ENOENT;
	rc = jag_staging_rename(staging, fs->content, element, &result);
	jag_stage_note_result(fs, element, &result);
	/* The node stays, as another one of the element: the kernel has moved it to the element's name. */
	if (rc == 0 && jag_stage_names_remove(&fs->stage_names, dir, name)) {
		jag_staging_drop_name(staging);
		jag_stage_put(fs, staging, 0);
	}
	jag_stage_put(fs, staging, 0);
	return rc;
}

int jag_stage_rename(struct jag_fs *fs, fuse_req_t req, fuse_ino_t dir, const char *name, fuse_ino_t new_dir,
		     const char *new_name, unsigned flags)
{
	jag_node element;
	if (jag_node_is_dynamic(new_dir))
		return -EPERM;
	struct jag_staging *there = jag_stage_names_find(&fs->stage_names, new_dir, new_name);
	if (there) {
		jag_stage_put(fs, there, 0);
		if (flags & RENAME_NOREPLACE)
			return -EEXIST;
		if (flags & RENAME_EXCHANGE)
			return jag_stage_names_exchange(&fs->stage_names, dir, name, new_dir, new_name);
		return rename_to_free(fs, dir, name, new_dir, new_name);
	}
	int rc = jag_tree_lookup(fs->tree, new_dir, new_name, &element);
	if (rc == 0)
		return rename_to_element(fs, req, dir, name, element, flags);
	if (rc != -ENOENT)
		return rc;
	if (flags & RENAME_EXCHANGE)
		return -ENOENT;
	rc = check_name(fs, new_dir, new_name);
	return rc ? rc : rename_to_free(fs, dir, name, new_dir, new_name);
}
