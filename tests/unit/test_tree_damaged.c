/* SPDX-License-Identifier: MIT */
/* test_tree_damaged.c - stores with random damage in their metadata and shape matrices: whatever still opens is a tree
 * whose names and nodes agree and whose files can be read to the size that they claim, or fail with an errno. Seeded;
 * meant for the sanitizer builds. */
#include "treestore.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROUNDS 150
#define FILE_MAX (1 << 20)

static unsigned seed;

static unsigned dice(unsigned sides)
{
	seed = seed * 1103515245U + 12345U;
	return (seed >> 16) % sides;
}

/* Files that say where things are: these get damaged. */
struct targets {
	char *paths[64];
	size_t count;
};

static void copy_file(const char *from, const char *dir, const char *name)
{
	static uint8_t bytes[FILE_MAX];
	int fd = open(from, O_RDONLY);
	assert_true(fd >= 0);
	ssize_t nbytes = read(fd, bytes, sizeof(bytes));
	assert_true(nbytes >= 0);
	close(fd);
	put_bytes(dir, name, bytes, (size_t)nbytes);
}

static void copy_store(const char *from, const char *dir, const char *below, struct targets *targets)
{
	DIR *stream = opendir(from);
	assert_non_null(stream);
	for (struct dirent *entry; (entry = readdir(stream));) {
		char path[1024], name[1024];
		struct stat st;
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", from, entry->d_name);
		snprintf(name, sizeof(name), "%s%s%s", below, *below ? "/" : "", entry->d_name);
		assert_int_equal(stat(path, &st), 0);
		if (S_ISDIR(st.st_mode)) {
			copy_store(path, dir, name, targets);
			continue;
		}
		copy_file(path, dir, name);
		if (targets->count < COUNT_OF(targets->paths) &&
		    (strstr(name, "meta.json") || strstr(name, ".shape.memmap")))
			targets->paths[targets->count++] = strdup(path_in(dir, name));
	}
	closedir(stream);
}

/* Bytes that mean something to JSON and to numbers are likelier than others. */
static uint8_t odd_byte(void)
{
	static const char likely[] = "0123456789-[]{}\",:eE. \\/@~%\x01\xff";
	return dice(4) ? (uint8_t)likely[dice(sizeof(likely))] : (uint8_t)dice(256);
}

static void damage(const struct targets *targets)
{
	const char *path = targets->paths[dice((unsigned)targets->count)];
	struct stat st;
	int fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	for (unsigned n = 1 + dice(3); n > 0 && st.st_size > 0; n--) {
		uint8_t byte = odd_byte();
		assert_int_equal(pwrite(fd, &byte, 1, dice((unsigned)st.st_size)), 1);
	}
	if (dice(20) == 0)
		assert_int_equal(ftruncate(fd, dice((unsigned)st.st_size + 1)), 0);
	close(fd);
}

static void read_node(struct jag_content *content, jag_node node, const struct jag_place *place)
{
	uint64_t size;
	struct jag_blob *blob;
	if (jag_content_size(content, node, place, &size, NULL) || size > FILE_MAX)
		return;
	if (jag_content_is_snapshot(place)) {
		if (jag_content_snapshot(content, node, place, &blob))
			return;
		assert_int_equal(blob->nbytes, size);
		jag_blob_unref(blob);
		return;
	}
	uint8_t *bytes = malloc(size + 1);
	assert_non_null(bytes);
	int64_t n = jag_content_read(content, place, bytes, size + 1, 0);
	assert_true(n < 0 || (uint64_t)n == size);
	free(bytes);
}

/* The first entries of each directory; a damaged count may say millions. */
static void read_some(struct jag_content *content, jag_node dir, unsigned depth)
{
	const struct jag_tree *tree = jag_content_tree(content);
	struct jag_dirent entry = { .next = 0 };
	while (entry.next < 20 && jag_tree_entry(tree, dir, entry.next, &entry) == 1) {
		struct jag_place place;
		if (jag_tree_place(tree, entry.node, &place))
			continue;
		if (place.type == JAG_NODE_FILE)
			read_node(content, entry.node, &place);
		else if (depth < 8)
			read_some(content, entry.node, depth + 1);
	}
}

static void look(const char *dir, unsigned *opened)
{
	static const struct jag_tree_options options[] = { { .skip_faults = true },
							   { .skip_faults = true, .format = "jpg", .views = "npy" },
							   { .skip_faults = true, .layout = "planes", .batch = "1" } };
	struct jag_store *store;
	struct jag_tree *tree;
	struct jag_content *content;
	struct jag_error err = { 0 };
	if (jag_store_open(dir, 0, &store, &err)) {
		assert_true(err.message[0]);
		return;
	}
	if (jag_tree_open(store, "", &options[dice(COUNT_OF(options))], &tree, &err) == 0) {
		struct jag_dirent entry;
		*opened += 1;
		assert_int_equal(jag_content_create(tree, NULL, &content), 0);
		read_some(content, JAG_NODE_ROOT, 0);
		if (jag_tree_entry(tree, JAG_NODE_ROOT, 5000, &entry) == 0)
			jag_tree_entry(tree, JAG_NODE_ROOT, UINT64_MAX, &entry);
		jag_content_destroy(content);
		jag_tree_close(tree);
	} else {
		assert_true(err.message[0]);
	}
	jag_store_close(store);
}

static void damaged_stores_never_break_the_tree(void **state)
{
	static const char *const names[] = { "nested_images", "plain",       "lazystack",  "nontensor",
					     "keys",          "tensorclass", "make_memmap" };
	unsigned opened = 0;
	seed = 20;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		for (unsigned round = 0; round < ROUNDS; round++) {
			char name[32];
			struct targets targets = { .count = 0 };
			snprintf(name, sizeof(name), "%zu-%u", i, round % 2);
			char *dir = strdup(path_in(*state, name)), *from = strdup(fixture(names[i]));
			assert_true(mkdir(dir, 0755) == 0 || errno == EEXIST);
			copy_store(from, dir, "", &targets);
			damage(&targets);
			look(dir, &opened);
			for (size_t t = 0; t < targets.count; t++)
				free(targets.paths[t]);
			free(dir);
			free(from);
		}
	}
	/* the damage is not so great that nothing is looked at */
	assert_true(opened > COUNT_OF(names) * ROUNDS / 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(damaged_stores_never_break_the_tree, temp_setup, temp_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
