/* SPDX-License-Identifier: MIT */
/* reply.c - node ids, places and error codes as the kernel wants them. */
#include "reply.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "control.h"
#include "stage.h"

_Static_assert(sizeof(fuse_ino_t) >= sizeof(jag_node), "node ids are 64 bits");

int jag_fs_resolve(fuse_req_t req, fuse_ino_t id, struct jag_resolved *out)
{
	struct jag_fs *fs = jag_fs_of(req);
	out->tid = fuse_req_ctx(req)->pid;
	out->id = id;
	out->base = id;
	out->dynamic = NULL;
	out->staging = NULL;
	if (id == JAG_NODE_CONTROL) {
		out->base = 0;
		return 0;
	}
	if (jag_node_is_dynamic(id)) {
		out->dynamic = jag_nodes_get(&fs->nodes, id);
		if (!out->dynamic)
			return -ESTALE;
		out->base = out->dynamic->kind == JAG_DYNAMIC_VERSION ? jag_version_base(out->dynamic) : 0;
		if (out->dynamic->kind == JAG_DYNAMIC_STAGING) {
			out->staging = jag_staging_of(out->dynamic);
			out->base = jag_staging_target(out->staging);
		}
	}
	int rc = out->base ? jag_tree_place(fs->tree, out->base, &out->place) : 0;
	if (rc)
		jag_resolved_done(fs, out);
	if (rc && rc != -ESTALE) /* that is an id of another mount */
		jag_refuse(fs, out->base, NULL, rc, "cannot be located: %s", strerror(-rc));
	return rc;
}

/* Take back lookups and holds of a dynamic node, whatever kind it is. */
static void drop_dynamic(struct jag_fs *fs, struct jag_dynamic *node, uint64_t lookups)
{
	if (node->kind == JAG_DYNAMIC_VERSION)
		jag_versions_forget(fs->versions, node, lookups);
	else if (node->kind == JAG_DYNAMIC_STAGING)
		jag_stage_put(fs, jag_staging_of(node), lookups);
	else if (jag_nodes_drop(&fs->nodes, node, lookups, 1))
		jag_control_free(node);
}

void jag_resolved_done(struct jag_fs *fs, struct jag_resolved *node)
{
	if (node->dynamic)
		drop_dynamic(fs, node->dynamic, 0);
	node->dynamic = NULL;
}

void jag_fs_forget(struct jag_fs *fs, fuse_ino_t ino, uint64_t lookups)
{
	if (!jag_node_is_dynamic(ino) || ino == JAG_NODE_CONTROL)
		return;
	struct jag_dynamic *node = jag_nodes_get(&fs->nodes, ino);
	if (node)
		drop_dynamic(fs, node, lookups);
}

jag_node jag_times_key(const struct jag_place *place)
{
	return place->type == JAG_NODE_FILE && place->element_node ? place->element_node : place->ino;
}

void jag_place_stat(struct jag_fs *fs, const struct jag_place *place, uint64_t size, struct stat *st)
{
	const struct jag_mount_options *options = fs->options;
	bool dir = place->type == JAG_NODE_DIRECTORY;
	memset(st, 0, sizeof(*st));
	st->st_ino = place->ino;
	st->st_nlink = dir ? 2 : 1;
	st->st_size = (off_t)size;
	st->st_blocks = (blkcnt_t)(((uint64_t)st->st_size + 511) / 512);
	st->st_blksize = 128 * 1024;
	st->st_uid = options->has_uid ? options->uid : place->attr.uid;
	st->st_gid = options->has_gid ? options->gid : place->attr.gid;
	mode_t mode = place->attr.mode & 0777;
	if (options->has_umask)
		mode = (dir ? 0777U : 0666U) & ~options->umask;
	if (!dir && place->read_only)
		mode &= ~(mode_t)0222;
	st->st_mode = (dir ? S_IFDIR : S_IFREG) | mode;

	struct timespec mtime = { .tv_sec = place->attr.mtime_sec, .tv_nsec = place->attr.mtime_nsec };
	jag_times_get(fs->times, jag_times_key(place), &mtime);
	st->st_mtim = st->st_ctim = st->st_atim = mtime;
}

int jag_resolved_size(struct jag_fs *fs, const struct jag_resolved *node, uint64_t *size)
{
	*size = 0;
	if (node->staging)
		return jag_stage_size(fs, node, size);
	if (node->base == 0)
		*size = jag_control_size(node->dynamic);
	else if (jag_content_is_snapshot(&node->place))
		return jag_versions_size(fs->versions, node->id, node->base, &node->place, node->tid, size);
	else
		*size = node->place.size;
	return 0;
}

int jag_resolved_stat(struct jag_fs *fs, const struct jag_resolved *node, struct stat *st)
{
	uint64_t size;
	int rc = jag_resolved_size(fs, node, &size);
	if (rc)
		return rc;
	if (node->staging)
		jag_stage_stat(fs, node, size, st);
	else if (node->base == 0)
		jag_control_stat(fs, node->dynamic, st);
	else
		jag_place_stat(fs, &node->place, size, st);
	return 0;
}

double jag_attr_timeout(struct jag_fs *fs, const struct jag_resolved *node)
{
	if (node->staging || (node->base && jag_size_is_passing(fs, &node->place)))
		return 0.0;
	return fs->options->attr_timeout;
}

bool jag_size_is_passing(struct jag_fs *fs, const struct jag_place *place)
{
	return __atomic_load_n(&fs->stagings.anew, __ATOMIC_RELAXED) != 0 && place->type == JAG_NODE_FILE &&
	       jag_content_is_snapshot(place);
}

void jag_reply(fuse_req_t req, int rc)
{
	fuse_reply_err(req, rc < 0 ? -rc : rc);
}

void jag_reply_range(fuse_req_t req, const uint8_t *data, size_t nbytes, size_t size, off_t off)
{
	if (off < 0 || (uint64_t)off >= nbytes) {
		fuse_reply_buf(req, NULL, 0);
		return;
	}
	size_t left = nbytes - (size_t)off;
	fuse_reply_buf(req, (const char *)data + off, size < left ? size : left);
}

int jag_refuse(struct jag_fs *fs, jag_node node, const char *name, int rc, const char *fmt, ...)
{
	char path[512], why[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (jag_node_is_dynamic(node))
		snprintf(path, sizeof(path), "%s", fs->control_name);
	else
		jag_tree_path(fs->tree, node, path, sizeof(path));
	if (name) {
		size_t n = strlen(path);
		snprintf(path + n, sizeof(path) - n, "%s%s", n ? "/" : "", name);
	}
	jag_log_add(&fs->log, path, "%s", why);
	return rc;
}
