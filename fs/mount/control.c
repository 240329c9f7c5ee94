/* SPDX-License-Identifier: MIT */
/* control.c - the files of /.jagfs. */
#include "control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../json.h"
#include "ahead.h"
#include "fs.h"

/* st_ino of /.jagfs and its files: fixed, and far from the hashes that the tree uses by any likelihood. */
#define CONTROL_INO UINT64_C(0x6a61676673)

struct control {
	struct jag_dynamic node;
	size_t file; /* position in `files` */
	struct jag_blob *blob;
};

/* FNV-1a over what says that a meta.json is another one. */
static void stamp_bytes(uint64_t *stamp, const void *bytes, size_t nbytes)
{
	const uint8_t *p = bytes;
	for (size_t i = 0; i < nbytes; i++)
		*stamp = (*stamp ^ p[i]) * UINT64_C(0x100000001b3);
}

/* The tree is that of mount time; this tells whether the store has got other keys since. */
static void stamp_collection(const struct jag_store *store, const struct jag_collection *collection, uint64_t *stamp)
{
	char path[4096];
	struct stat st;
	snprintf(path, sizeof(path), "%s/%s/meta.json", jag_store_path(store), collection->path);
	if (stat(path, &st) == 0) {
		stamp_bytes(stamp, &st.st_ino, sizeof(st.st_ino));
		stamp_bytes(stamp, &st.st_size, sizeof(st.st_size));
		stamp_bytes(stamp, &st.st_mtim.tv_sec, sizeof(st.st_mtim.tv_sec));
		stamp_bytes(stamp, &st.st_mtim.tv_nsec, sizeof(st.st_mtim.tv_nsec));
	}
	for (size_t i = 0; i < collection->entry_count; i++)
		if (collection->entries[i].type == JAG_ENTRY_COLLECTION)
			stamp_collection(store, collection->entries[i].collection, stamp);
}

static uint64_t store_stamp(const struct jag_store *store)
{
	uint64_t stamp = UINT64_C(0xcbf29ce484222325);
	stamp_collection(store, jag_store_root(store), &stamp);
	return stamp;
}

void jag_control_init(struct jag_fs *fs)
{
	jag_node taken;
	fs->store_stamp = store_stamp(fs->store);
	snprintf(fs->control_name, sizeof(fs->control_name), ".jagfs");
	for (unsigned i = 2; i < 1000 && jag_tree_lookup(fs->tree, JAG_NODE_ROOT, fs->control_name, &taken) == 0; i++)
		snprintf(fs->control_name, sizeof(fs->control_name), ".jagfs~%u", i);
}

static void put_counters(struct jag_fs *fs, struct jag_json_out *json)
{
	struct jag_content_stats stats;
	uint64_t stale, private_handles;
	jag_content_stats(fs->content, &stats);
	jag_versions_stats(fs->versions, &stale, &private_handles);
	jag_json_open(json, "counters", '{');
#define PUT(member) jag_json_number(json, #member, __atomic_load_n(&fs->counters.member, __ATOMIC_RELAXED))
	PUT(lookups);
	PUT(opens);
	PUT(releases);
	PUT(reads);
	PUT(read_nbytes);
	PUT(writes);
	PUT(written_nbytes);
	PUT(in_place_writes);
	PUT(in_place_nbytes);
#undef PUT
#define PUT(member) jag_json_number(json, #member, __atomic_load_n(&fs->stagings.member, __ATOMIC_RELAXED))
	PUT(staged);
	PUT(commits);
	PUT(refusals);
	PUT(abandoned);
	PUT(committed_nbytes);
	jag_json_number(json, "staging_nbytes", __atomic_load_n(&fs->stagings.nbytes, __ATOMIC_RELAXED));
#undef PUT
	jag_json_number(json, "errors", jag_log_count(&fs->log));
	jag_json_number(json, "readback_nbytes", stats.readback_nbytes);
	jag_json_number(json, "encodes", stats.encodes);
	jag_json_number(json, "encode_hits", stats.encode_hits);
	jag_json_number(json, "encodes_ahead", jag_ahead_count(fs->ahead));
	jag_json_number(json, "cache_nbytes", stats.cache_nbytes);
	jag_json_number(json, "sizes_remembered", stats.sizes_remembered);
	jag_json_number(json, "dynamic_nodes", jag_nodes_count(&fs->nodes));
	jag_json_number(json, "opens_stale", stale);
	jag_json_number(json, "opens_private", private_handles);
	jag_json_close(json, '{');
}

static void put_status(struct jag_fs *fs, struct jag_json_out *json)
{
	jag_json_open(json, NULL, '{');
	jag_json_string(json, "version", JAG_VERSION);
	jag_json_string(json, "store", jag_store_path(fs->store));
	jag_json_string(json, "kind", jag_store_kind_name(fs->store));
	jag_json_bool(json, "store_changed", store_stamp(fs->store) != fs->store_stamp);
	jag_json_bool(json, "read_only", fs->read_only);
	jag_json_bool(json, "immutable", fs->options->immutable);
	jag_json_bool(json, "direct", fs->options->direct);
	jag_json_integer(json, "pid", getpid());
	jag_json_integer(json, "mounted", fs->mounted.tv_sec);
	put_counters(fs, json);
	jag_json_close(json, '{');
}

static int status_text(struct jag_fs *fs, struct jag_buffer *out)
{
	struct jag_json_out json = { .text = *out };
	put_status(fs, &json);
	*out = json.text;
	return json.rc ? json.rc : jag_buffer_append(out, "\n", 1);
}

static int errors_text(struct jag_fs *fs, struct jag_buffer *out)
{
	return jag_log_text(&fs->log, out);
}

static const struct {
	const char *name;
	int (*text)(struct jag_fs *fs, struct jag_buffer *out);
} files[] = {
	{ "status", status_text },
	{ "errors", errors_text },
};
#define FILE_COUNT (sizeof(files) / sizeof(files[0]))

const char *jag_control_name(uint64_t pos)
{
	return pos < FILE_COUNT ? files[pos].name : NULL;
}

uint64_t jag_control_ino(uint64_t pos)
{
	return CONTROL_INO + 1 + pos;
}

int jag_control_lookup(struct jag_fs *fs, const char *name, struct jag_dynamic **out)
{
	size_t i = 0;
	while (i < FILE_COUNT && strcmp(files[i].name, name) != 0)
		i++;
	if (i == FILE_COUNT)
		return -ENOENT;
	struct jag_buffer text = { 0 };
	struct control *control = calloc(1, sizeof(*control));
	int rc = control ? files[i].text(fs, &text) : -ENOMEM;
	if (rc == 0)
		rc = jag_blob_create(text.data, text.nbytes, &control->blob);
	if (rc == 0) {
		control->file = i;
		rc = jag_nodes_add(&fs->nodes, &control->node, JAG_DYNAMIC_CONTROL);
	}
	jag_buffer_free(&text);
	if (rc == 0)
		*out = &control->node;
	else if (control)
		jag_control_free(&control->node);
	return rc;
}

static const struct control *control_of(const struct jag_dynamic *node)
{
	return (const void *)((const char *)node - offsetof(struct control, node));
}

struct jag_blob *jag_control_blob(const struct jag_dynamic *node)
{
	return control_of(node)->blob;
}

uint64_t jag_control_size(const struct jag_dynamic *node)
{
	return node ? control_of(node)->blob->nbytes : 0;
}

void jag_control_stat(struct jag_fs *fs, const struct jag_dynamic *node, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_ino = node ? jag_control_ino(control_of(node)->file) : CONTROL_INO;
	st->st_mode = node ? S_IFREG | 0444 : S_IFDIR | 0555;
	st->st_nlink = node ? 1 : 2;
	st->st_uid = fs->options->has_uid ? fs->options->uid : geteuid();
	st->st_gid = fs->options->has_gid ? fs->options->gid : getegid();
	st->st_size = (off_t)jag_control_size(node);
	st->st_blocks = (st->st_size + 511) / 512;
	st->st_blksize = 4096;
	st->st_atim = st->st_mtim = st->st_ctim = fs->mounted;
	if (node)
		clock_gettime(CLOCK_REALTIME, &st->st_mtim);
}

void jag_control_free(struct jag_dynamic *node)
{
	struct control *control = jag_record(node, struct control, node);
	jag_blob_unref(control->blob);
	free(control);
}
