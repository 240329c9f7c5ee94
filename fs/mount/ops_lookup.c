/* SPDX-License-Identifier: MIT */
/* ops_lookup.c - LOOKUP, GETATTR, FORGET. */
#include <errno.h>
#include <string.h>

#include "ahead.h"
#include "control.h"
#include "reply.h"
#include "stage.h"

static int lookup_control(struct jag_fs *fs, const char *name, struct fuse_entry_param *entry)
{
	struct jag_dynamic *node = NULL;
	if (name) {
		int rc = jag_control_lookup(fs, name, &node);
		if (rc)
			return rc;
	}
	entry->ino = node ? node->link.key : JAG_NODE_CONTROL;
	/* The next look at a file is to see another text. */
	entry->entry_timeout = node ? 0.0 : fs->options->entry_timeout;
	entry->attr_timeout = fs->options->attr_timeout;
	jag_control_stat(fs, node, &entry->attr);
	return 0;
}

/* "." and ".." are asked for by name when the mount is exported over NFS. */
static int find_child(struct jag_fs *fs, jag_node parent, const char *name, jag_node *child)
{
	if (!strcmp(name, "."))
		return *child = parent, 0;
	if (!strcmp(name, ".."))
		return jag_tree_parent(fs->tree, parent, child);
	return jag_tree_lookup(fs->tree, parent, name, child);
}

/* How long the kernel may still believe what was so `age` seconds ago. */
static double left_of(double timeout, double age)
{
	return timeout > age ? timeout - age : 0.0;
}

/* Why the entry of a name cannot be told: its shape is not there any more (so nobody knows what the name stands for), or
 * its bytes are not. */
static int refuse_entry(struct jag_fs *fs, jag_node parent, const char *name, int rc, bool placed)
{
	return jag_refuse(fs, parent, name, rc, "cannot be %s: %s", placed ? "looked at" : "located", strerror(-rc));
}

/* The entry of a tree's node, called `name` in `parent`, with its size: exact now, or a moment ago and believed for so
 * much less. */
static int fill_entry(struct jag_fs *fs, jag_node parent, const char *name, jag_node base,
		      struct fuse_entry_param *entry)
{
	struct jag_place place;
	struct jag_found found = { .id = base };
	const struct jag_mount_options *options = fs->options;
	int rc = jag_tree_place(fs->tree, base, &place);
	bool placed = rc == 0;
	found.size = placed ? place.size : 0;
	if (placed && place.type == JAG_NODE_FILE && jag_content_is_snapshot(&place)) {
		if (!place.size_known)
			jag_ahead_note(fs->ahead, base);
		rc = jag_versions_lookup(fs->versions, base, &place, options->attr_timeout, &found);
	}
	if (rc)
		return rc == -ESTALE ? rc : refuse_entry(fs, parent, name, rc, placed);
	entry->ino = found.id;
	if (!jag_size_is_passing(fs, &place)) {
		entry->attr_timeout = left_of(options->attr_timeout, found.age);
		entry->entry_timeout = left_of(options->entry_timeout, found.age);
	}
	jag_place_stat(fs, &place, found.size, &entry->attr);
	return 0;
}

static int lookup(struct jag_fs *fs, pid_t tid, fuse_ino_t parent, const char *name, struct fuse_entry_param *entry)
{
	jag_node child;
	if (parent == JAG_NODE_CONTROL)
		return strcmp(name, ".") == 0    ? lookup_control(fs, NULL, entry)
		       : strcmp(name, "..") == 0 ? fill_entry(fs, JAG_NODE_ROOT, NULL, JAG_NODE_ROOT, entry)
						 : lookup_control(fs, name, entry);
	if (jag_node_is_dynamic(parent)) /* a version of a file: only NFS asks for its "." */
		return -ESTALE;
	int rc = jag_stage_lookup(fs, parent, name, entry);
	if (rc != -ENOENT)
		return rc;
	rc = find_child(fs, parent, name, &child);
	if (rc == 0 && jag_stage_find_pending(fs, tid, child, entry))
		return 0;
	if (rc == 0)
		return fill_entry(fs, parent, name, child, entry);
	if (rc == -EIO)
		return refuse_entry(fs, parent, name, rc, false);
	if (rc != -ENOENT)
		return rc;
	if (parent == JAG_NODE_ROOT && !strcmp(name, fs->control_name))
		return lookup_control(fs, NULL, entry);
	/* Names that are not there are remembered as well: the namespace is fixed. */
	entry->entry_timeout = fs->options->entry_timeout;
	return 0;
}

void jag_op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct jag_fs *fs = jag_fs_of(req);
	struct fuse_entry_param entry = { 0 };
	jag_count(fs, lookups, 1);
	int rc = lookup(fs, fuse_req_ctx(req)->pid, parent, name, &entry);
	if (rc)
		jag_reply(req, rc);
	else if (fuse_reply_entry(req, &entry) == -ENOENT && entry.ino) /* nobody waits for it any more */
		jag_fs_forget(fs, entry.ino, 1);
}

void jag_op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct jag_fs *fs = jag_fs_of(req);
	struct jag_resolved node;
	struct stat st;
	(void)fi; /* the kernel does not send it for fstat */
	int rc = jag_fs_resolve(req, ino, &node);
	if (rc == 0) {
		rc = jag_resolved_stat(fs, &node, &st);
		if (rc == -ESTALE && !node.staging)
			jag_stage_guess(fs, &node);
		jag_resolved_done(fs, &node);
	}
	if (rc)
		jag_reply(req, rc);
	else
		fuse_reply_attr(req, &st, jag_attr_timeout(fs, &node));
}

void jag_op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup)
{
	jag_fs_forget(jag_fs_of(req), ino, nlookup);
	fuse_reply_none(req);
}

void jag_op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
	struct jag_fs *fs = jag_fs_of(req);
	for (size_t i = 0; i < count; i++)
		jag_fs_forget(fs, forgets[i].ino, forgets[i].nlookup);
	fuse_reply_none(req);
}
