/* SPDX-License-Identifier: MIT */
/* treestore.c - see treestore.h. */
#include "treestore.h"

#include <sys/stat.h>

#include "jag/dtype.h"
#include "jag/shape.h"

struct maker maker_at(const char *dir)
{
	struct maker m = { .seed = 1 };
	snprintf(m.dir, sizeof(m.dir), "%s", dir);
	assert_true(mkdir(dir, 0755) == 0 || errno == EEXIST);
	return m;
}

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245U + 12345U;
	return *seed >> 16;
}

static void add_entry(struct maker *m, const char *key, const char *value)
{
	size_t used = strlen(m->entries);
	int n = snprintf(m->entries + used, sizeof(m->entries) - used, "%s\"%s\":%s", used ? "," : "", key, value);
	assert_true(n > 0 && (size_t)n < sizeof(m->entries) - used);
}

static void put_data(struct maker *m, const char *key, const char *dtype, uint64_t numel)
{
	const struct jag_dtype_info *info = jag_dtype_info(jag_dtype_from_name(dtype));
	uint64_t nbytes = numel * info->itemsize;
	char name[512];
	if (nbytes == 0)
		return;
	uint8_t *bytes = malloc(nbytes);
	assert_non_null(bytes);
	for (uint64_t i = 0; i < nbytes; i++)
		bytes[i] = (uint8_t)(info->kind == JAG_KIND_BOOL ? next_random(&m->seed) & 1 : next_random(&m->seed));
	snprintf(name, sizeof(name), "%s.memmap", key);
	put_bytes(m->dir, name, bytes, nbytes);
	free(bytes);
}

static void add_leaf(struct maker *m, const char *key, const char *dtype, const char *shape, bool nested)
{
	char value[1024];
	snprintf(value, sizeof(value), "{\"device\":\"cpu\",\"shape\":%s,\"dtype\":\"torch.%s\",\"is_nested\":%s}",
		 shape, dtype, nested ? "true" : "false");
	add_entry(m, key, value);
}

void add_dense(struct maker *m, const char *key, const char *dtype, unsigned rank, const int64_t *dims)
{
	struct jag_shape shape = { .rank = rank };
	char text[512];
	uint64_t numel = 1;
	for (unsigned i = 0; i < rank; i++) {
		shape.dims[i] = dims[i];
		numel *= (uint64_t)dims[i];
	}
	add_leaf(m, key, dtype, jag_shape_text(&shape, text, sizeof(text)), false);
	put_data(m, key, dtype, numel);
}

void add_nested(struct maker *m, const char *key, const char *dtype, unsigned rank, size_t count, const int64_t *rows)
{
	char text[64], name[512];
	uint64_t numel = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t one = 1;
		for (unsigned d = 0; d < rank; d++)
			one *= (uint64_t)rows[i * rank + d];
		numel += one;
	}
	snprintf(text, sizeof(text), "[%zu,%u]", count, rank);
	add_leaf(m, key, dtype, text, true);
	snprintf(name, sizeof(name), "%s.shape.memmap", key);
	if (count * rank > 0)
		put_i64(m->dir, name, rows, count * rank);
	put_data(m, key, dtype, numel);
}

void add_value(struct maker *m, const char *key, bool stack, const char *json)
{
	char name[512], text[8192];
	add_entry(m, key, stack ? "{\"type\":\"NonTensorStack\"}" : "{\"type\":\"NonTensorData\"}");
	snprintf(name, sizeof(name), "%s/meta.json", key);
	snprintf(text, sizeof(text),
		 stack ? "{\"_type\":\"<class 'tensordict.tensorclass.NonTensorStack'>\",\"stack_dim\":0,"
			 "\"device\":null,\"data\":%s}"
		       : "{\"_type\":\"<class 'tensordict.tensorclass.NonTensorData'>\",\"data\":%s,"
			 "\"_is_non_tensor\":true,\"_metadata\":null}",
		 json);
	put_text(m->dir, name, text);
}

void add_child(struct maker *m, const char *key)
{
	add_entry(m, key, "{\"type\":\"TensorDict\"}");
}

void finish(struct maker *m, const char *batch)
{
	put_meta(m->dir, m->entries, batch);
}

void image_rows(int64_t *rows, size_t count, unsigned seed)
{
	for (size_t i = 0; i < count; i++) {
		rows[i * 3] = 3;
		rows[i * 3 + 1] = 1 + next_random(&seed) % 6;
		rows[i * 3 + 2] = 1 + next_random(&seed) % 6;
	}
}

struct jag_tree *open_tree(const struct jag_store *store, const char *subpath, const struct jag_tree_options *options)
{
	struct jag_tree *tree = NULL;
	struct jag_error err = { 0 };
	if (jag_tree_open(store, subpath, options, &tree, &err))
		fail_msg("%s: %s", err.path, err.message);
	return tree;
}

jag_node node_at(const struct jag_tree *tree, const char *path)
{
	jag_node node = 0;
	int rc = jag_tree_walk(tree, path, &node);
	if (rc)
		fail_msg("%s: %s", path, strerror(-rc));
	return node;
}

bool there_is(const struct jag_tree *tree, const char *path)
{
	jag_node node;
	int rc = jag_tree_walk(tree, path, &node);
	assert_true(rc == 0 || rc == -ENOENT || rc == -ENOTDIR);
	return rc == 0;
}

const char *listing(const struct jag_tree *tree, const char *path)
{
	static char text[65536];
	struct jag_dirent entry = { .next = 0 };
	jag_node dir = node_at(tree, path);
	size_t used = 0;
	text[0] = '\0';
	while (jag_tree_entry(tree, dir, entry.next, &entry) == 1)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s", used ? " " : "", entry.name,
					 entry.type == JAG_NODE_DIRECTORY ? "/" : "");
	return text;
}

/* --- check_tree ------------------------------------------------------------------------------------------------ */

struct seen {
	jag_node node;
	uint64_t ino;
	bool view; /* seen through K@fmt/: the same inode number as in K/ */
};

struct walk {
	const struct jag_tree *tree;
	struct seen *seen;
	size_t count, capacity;
};

static void remember(struct walk *walk, jag_node node, uint64_t ino, const char *path)
{
	if (walk->count == walk->capacity) {
		walk->capacity = walk->capacity ? walk->capacity * 2 : 1024;
		walk->seen = realloc(walk->seen, walk->capacity * sizeof(*walk->seen));
		assert_non_null(walk->seen);
	}
	walk->seen[walk->count++] = (struct seen){ node, ino, strchr(path, '@') != NULL };
}

static void check_entry(struct walk *walk, jag_node dir, uint64_t pos, const struct jag_dirent *entry)
{
	const struct jag_tree *tree = walk->tree;
	struct jag_place place;
	struct jag_dirent again;
	jag_node found, parent, walked;
	enum jag_name_class class;
	char path[4096];
	assert_false(entry->node & JAG_NODE_FOREIGN);
	assert_true(entry->node != 0 && entry->ino > 0 && entry->ino <= INT64_MAX);
	assert_int_equal(entry->next, pos + 1);
	assert_int_equal(jag_tree_lookup(tree, dir, entry->name, &found), 0);
	assert_int_equal(found, entry->node);
	assert_int_equal(jag_tree_parent(tree, entry->node, &parent), 0);
	assert_int_equal(parent, dir);
	assert_int_equal(jag_tree_place(tree, entry->node, &place), 0);
	assert_int_equal(place.type, entry->type);
	assert_int_equal(place.ino, entry->ino);
	assert_true(place.type == JAG_NODE_DIRECTORY || place.bytes || place.listed_format);
	assert_int_equal(jag_tree_entry(tree, dir, pos, &again), 1);
	assert_string_equal(again.name, entry->name);
	assert_int_equal(jag_tree_classify(tree, dir, entry->name, &class), 0);
	assert_int_equal(class, JAG_NAME_EXISTS);
	jag_tree_path(tree, entry->node, path, sizeof(path));
	assert_int_equal(jag_tree_walk(tree, path, &walked), 0);
	assert_int_equal(walked, entry->node);
	remember(walk, entry->node, entry->ino, path);
}

static void walk_directory(struct walk *walk, jag_node dir)
{
	struct jag_dirent entry;
	uint64_t count, pos = 0;
	assert_int_equal(jag_tree_entry_count(walk->tree, dir, &count), 0);
	for (; jag_tree_entry(walk->tree, dir, pos, &entry) == 1; pos = entry.next) {
		check_entry(walk, dir, pos, &entry);
		if (entry.type == JAG_NODE_DIRECTORY)
			walk_directory(walk, entry.node);
	}
	assert_int_equal(pos, count);
	assert_int_equal(jag_tree_entry(walk->tree, dir, count, &entry), 0);
}

static int by_node(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	return x->node < y->node ? -1 : x->node > y->node;
}

static int by_ino(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

size_t check_tree(const struct jag_tree *tree)
{
	struct walk walk = { .tree = tree };
	walk_directory(&walk, JAG_NODE_ROOT);
	if (walk.count > 0)
		qsort(walk.seen, walk.count, sizeof(*walk.seen), by_node);
	for (size_t i = 1; i < walk.count; i++)
		assert_int_not_equal(walk.seen[i - 1].node, walk.seen[i].node);
	if (walk.count > 0)
		qsort(walk.seen, walk.count, sizeof(*walk.seen), by_ino);
	for (size_t i = 1; i < walk.count; i++)
		assert_true(walk.seen[i - 1].ino != walk.seen[i].ino || walk.seen[i - 1].view || walk.seen[i].view);
	free(walk.seen);
	return walk.count;
}

void read_file_at(struct jag_content *content, const char *path, struct jag_buffer *out)
{
	const struct jag_tree *tree = jag_content_tree(content);
	struct jag_place place;
	struct jag_blob *blob;
	jag_node node = node_at(tree, path);
	assert_int_equal(jag_tree_place(tree, node, &place), 0);
	out->nbytes = 0;
	if (jag_content_is_snapshot(&place)) {
		assert_int_equal(jag_content_snapshot(content, node, &place, &blob), 0);
		assert_int_equal(jag_buffer_append(out, blob->data, blob->nbytes), 0);
		jag_blob_unref(blob);
		return;
	}
	assert_true(place.size_known);
	assert_int_equal(jag_buffer_reserve(out, place.size + 1), 0);
	assert_int_equal(jag_content_read(content, &place, out->data, place.size + 1, 0), place.size);
	out->nbytes = place.size;
}
