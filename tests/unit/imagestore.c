/* SPDX-License-Identifier: MIT */
/* imagestore.c - making and opening it. */
#include "imagestore.h"

#include <fcntl.h>
#include <unistd.h>

struct opened open_as(const char *dir, bool nested, const struct jag_tree_options *options,
		      const struct jag_content_options *content_options)
{
	int64_t rows[COUNT * 3];
	uint8_t *bytes = malloc(COUNT * NBYTES);
	struct maker m = maker_at(dir);
	assert_non_null(bytes);
	for (size_t i = 0; i < COUNT; i++) {
		memcpy(rows + i * 3, (const int64_t[]){ 3, SIDE, SIDE }, 3 * sizeof(rows[0]));
		memset(bytes + i * NBYTES, (int)i, NBYTES);
	}
	if (nested)
		add_nested(&m, "image", "uint8", 3, COUNT, rows);
	else
		add_dense(&m, "image", "uint8", 4, (const int64_t[]){ COUNT, 3, SIDE, SIDE });
	put_bytes(dir, "image.memmap", bytes, COUNT * NBYTES);
	free(bytes);
	add_value(&m, "title", false, "\"hello\"");
	finish(&m, "[6]");
	struct opened o = { .path = strdup(path_in(dir, "image.memmap")), .store = open_store(dir, JAG_STORE_WRITE) };
	o.tree = open_tree(o.store, "", options);
	assert_int_equal(jag_content_create(o.tree, content_options, &o.content), 0);
	return o;
}

struct opened open_images(const char *dir, const struct jag_tree_options *options,
			  const struct jag_content_options *content_options)
{
	return open_as(dir, true, options, content_options);
}

void close_images(struct opened *o)
{
	jag_content_destroy(o->content);
	jag_tree_close(o->tree);
	jag_store_close(o->store);
	free(o->path);
}

void place_at(const struct opened *o, const char *path, jag_node *node, struct jag_place *place)
{
	*node = node_at(o->tree, path);
	assert_int_equal(jag_tree_place(o->tree, *node, place), 0);
}

void change(const struct opened *o, unsigned i, unsigned seed)
{
	uint8_t bytes[NBYTES];
	int fd = open(o->path, O_RDWR);
	assert_true(fd >= 0);
	for (size_t n = 0; n < NBYTES; n++) {
		seed = seed * 1103515245U + 12345U;
		bytes[n] = (uint8_t)(seed >> 16);
	}
	assert_int_equal(pwrite(fd, bytes, NBYTES, (off_t)i * NBYTES), NBYTES);
	close(fd);
}

uint64_t size_of(const struct opened *o, const char *path, uint64_t *hash)
{
	struct jag_place place;
	jag_node node;
	uint64_t size;
	place_at(o, path, &node, &place);
	assert_int_equal(jag_content_size(o->content, node, &place, &size, hash), 0);
	return size;
}
