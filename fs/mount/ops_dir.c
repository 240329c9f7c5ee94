/* SPDX-License-Identifier: MIT */
/* ops_dir.c - OPENDIR, READDIR, READDIRPLUS. Offsets are positions: 0 is before ".", 1 before "..", 2 + p before the
 * tree's entry p; so they are good at any time, in any order, and nothing is kept for an open directory. */
#include <errno.h>

#include "control.h"
#include "reply.h"
#include "scratch.h"

#define FIRST_ENTRY 2

/* No cache_readdir: with a directory in its cache the kernel sends no READDIRPLUS, and `ls -l` looks up each name. */
void jag_op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	fuse_reply_open(req, fi);
}

/* A reply that is being filled. */
struct listing {
	fuse_req_t req;
	struct jag_fs *fs;
	fuse_ino_t dir;
	bool plus;
	char *buffer;
	size_t size, used;
};

/* False: it does not fit any more. */
static bool add(struct listing *list, const char *name, const struct fuse_entry_param *entry, uint64_t next)
{
	char *at = list->buffer + list->used;
	size_t left = list->size - list->used;
	size_t n = list->plus ? fuse_add_direntry_plus(list->req, at, left, name, entry, (off_t)next)
			      : fuse_add_direntry(list->req, at, left, name, &entry->attr, (off_t)next);
	if (n > left)
		return false;
	list->used += n;
	return true;
}

/* An entry that only names: node 0 tells the kernel to look it up when it wants more. */
static bool add_name(struct listing *list, const char *name, uint64_t ino, mode_t type, uint64_t next)
{
	struct fuse_entry_param entry = { .attr = { .st_ino = ino, .st_mode = type } };
	return add(list, name, &entry, next);
}

static int dot_ino(struct listing *list, bool parent, uint64_t *ino)
{
	struct jag_place place;
	struct stat st;
	jag_node node = list->dir;
	if (list->dir == JAG_NODE_CONTROL && !parent) {
		jag_control_stat(list->fs, NULL, &st);
		*ino = st.st_ino;
		return 0;
	}
	int rc = 0;
	if (list->dir == JAG_NODE_CONTROL)
		node = JAG_NODE_ROOT;
	else if (parent)
		rc = jag_tree_parent(list->fs->tree, list->dir, &node);
	if (rc == 0)
		rc = jag_tree_place(list->fs->tree, node, &place);
	if (rc == 0)
		*ino = place.ino;
	return rc;
}

/* Attributes go along only if they cost nothing and are exact: a size that needs encoding is left to LOOKUP, and a
 * wrong one would cut files that others have open. An element that cannot be located is still listed. */
static bool add_tree_entry(struct listing *list, const struct jag_dirent *dirent)
{
	struct jag_place place;
	struct fuse_entry_param entry = { 0 };
	if (list->plus && jag_tree_place(list->fs->tree, dirent->node, &place) == 0 &&
	    jag_content_size_fixed(list->fs->content, &place)) {
		entry.ino = dirent->node;
		if (!jag_size_is_passing(list->fs, &place)) {
			entry.attr_timeout = list->fs->options->attr_timeout;
			entry.entry_timeout = list->fs->options->entry_timeout;
		}
		jag_place_stat(list->fs, &place, place.size, &entry.attr);
		return add(list, dirent->name, &entry, FIRST_ENTRY + dirent->next);
	}
	return add_name(list, dirent->name, dirent->ino, dirent->type == JAG_NODE_DIRECTORY ? S_IFDIR : S_IFREG,
			FIRST_ENTRY + dirent->next);
}

static int fill_tree(struct listing *list, uint64_t pos)
{
	struct jag_dirent dirent;
	int rc;
	while ((rc = jag_tree_entry(list->fs->tree, list->dir, pos, &dirent)) == 1) {
		if (!add_tree_entry(list, &dirent))
			return 0;
		pos = dirent.next;
	}
	return rc;
}

static void fill_control(struct listing *list, uint64_t pos)
{
	const char *name;
	while ((name = jag_control_name(pos)) &&
	       add_name(list, name, jag_control_ino(pos), S_IFREG, FIRST_ENTRY + pos + 1))
		pos++;
}

static int fill(struct listing *list, uint64_t off)
{
	uint64_t ino;
	int rc;
	for (; off < FIRST_ENTRY; off++) {
		rc = dot_ino(list, off == 1, &ino);
		if (rc)
			return rc;
		if (!add_name(list, off ? ".." : ".", ino, S_IFDIR, off + 1))
			return 0;
	}
	if (list->dir != JAG_NODE_CONTROL)
		return fill_tree(list, off - FIRST_ENTRY);
	fill_control(list, off - FIRST_ENTRY);
	return 0;
}

/* The one body of READDIR and READDIRPLUS. */
static void list_directory(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, bool plus)
{
	struct jag_fs *fs = jag_fs_of(req);
	struct listing list = { .req = req, .fs = fs, .dir = ino, .plus = plus, .size = size };
	list.buffer = jag_scratch_buffer(fs->scratch, size);
	int rc = list.buffer ? fill(&list, (uint64_t)off) : -ENOMEM;
	/* What is already in the buffer is good; the error comes with the next call, at the place where it is. */
	if (rc && !list.used)
		jag_reply(req, rc);
	else
		fuse_reply_buf(req, list.buffer, list.used);
}

void jag_op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	(void)fi;
	list_directory(req, ino, size, off, false);
}

void jag_op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	(void)fi;
	list_directory(req, ino, size, off, true);
}
