/* SPDX-License-Identifier: MIT */
/* test_content.c - sizes, snapshots, live ranges and writes of the files of a tree. */
#include "imagestore.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static void sizes_are_those_of_the_bytes(void **state)
{
	static const char *const paths[] = { "image/0.png", "image/1.jpg",     "image/2.npy",     "image/3.bin",
					     "title.json",  "image.shape.npy", "image@jpg/4.jpg", "meta.json" };
	struct jag_buffer file = { 0 };
	for (int level = 0; level < 7; level += 6) {
		struct opened o = open_images(*state, &(struct jag_tree_options){ .png_level = level }, NULL);
		for (size_t i = 0; i < COUNT_OF(paths); i++) {
			uint64_t size = size_of(&o, paths[i], NULL);
			read_file_at(o.content, paths[i], &file);
			assert_int_equal(size, file.nbytes);
		}
		close_images(&o);
	}
	jag_buffer_free(&file);
}

static void what_others_store_is_what_the_next_open_reads(void **state)
{
	static const char *const paths[] = { "image/0.png", "image/1.jpg", "image/2.npy", "image/3.bin" };
	struct jag_buffer before = { 0 }, after = { 0 };
	struct opened o = open_images(*state, NULL, NULL);
	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		uint64_t old_size = size_of(&o, paths[i], NULL);
		read_file_at(o.content, paths[i], &before);
		change(&o, (unsigned)i, 1);
		uint64_t size = size_of(&o, paths[i], NULL);
		read_file_at(o.content, paths[i], &after);
		assert_int_equal(size, after.nbytes);
		assert_true(before.nbytes != after.nbytes || memcmp(before.data, after.data, after.nbytes) != 0);
		assert_true(strcmp(paths[i], "image/1.jpg") != 0 || size > old_size);
	}
	jag_buffer_free(&before);
	jag_buffer_free(&after);
	close_images(&o);
}

static void a_dirty_page_without_msync_is_seen(void **state)
{
	struct jag_buffer file = { 0 };
	struct opened o = open_images(*state, NULL, NULL);
	int fd = open(o.path, O_RDWR);
	uint8_t *map = mmap(NULL, COUNT * NBYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(map != MAP_FAILED);
	uint64_t before, after;
	size_of(&o, "image/1.jpg", &before);
	map[NBYTES + 5] = 200;
	size_of(&o, "image/1.jpg", &after);
	assert_true(before != after);
	read_file_at(o.content, "image/1.bin", &file);
	assert_int_equal(file.data[5], 200);
	munmap(map, COUNT * NBYTES);
	close(fd);
	jag_buffer_free(&file);
	close_images(&o);
}

static void a_snapshot_stays_what_it_was(void **state)
{
	struct jag_place place;
	struct jag_blob *old, *new;
	jag_node node;
	struct opened o = open_images(*state, NULL, NULL);
	place_at(&o, "image/3.jpg", &node, &place);
	assert_int_equal(jag_content_snapshot(o.content, node, &place, &old), 0);
	uint8_t *copy = malloc(old->nbytes);
	memcpy(copy, old->data, old->nbytes);
	change(&o, 3, 99);
	assert_int_equal(jag_content_snapshot(o.content, node, &place, &new), 0);
	assert_memory_equal(copy, old->data, old->nbytes);
	assert_true(old->hash != new->hash);
	jag_blob_unref(old);
	jag_blob_unref(new);
	free(copy);
	close_images(&o);
}

static void one_content_is_encoded_once(void **state)
{
	struct jag_content_stats stats;
	struct jag_buffer file = { 0 };
	struct opened o = open_images(*state, NULL, NULL);
	size_of(&o, "image/0.jpg", NULL);
	read_file_at(o.content, "image/0.jpg", &file);
	read_file_at(o.content, "image@jpg/0.jpg", &file);
	size_of(&o, "image@jpg/0.jpg", NULL);
	jag_content_stats(o.content, &stats);
	assert_int_equal(stats.encodes, 1);
	assert_int_equal(stats.encode_hits, 2);
	assert_int_equal(stats.sizes_remembered, 1);
	assert_int_equal(stats.cache_nbytes, file.nbytes);
	jag_buffer_free(&file);
	close_images(&o);
}

static void formats_of_one_content_are_told_apart(void **state)
{
	struct jag_buffer file = { 0 };
	struct opened o = open_images(*state, &(struct jag_tree_options){ .png_level = 6 }, NULL);
	read_file_at(o.content, "image/0.png", &file);
	assert_memory_equal(file.data, "\x89PNG", 4);
	read_file_at(o.content, "image/0.jpg", &file);
	assert_memory_equal(file.data, "\xff\xd8", 2);
	jag_buffer_free(&file);
	close_images(&o);
}

static void stored_png_is_kept_only_when_encoded_ahead(void **state)
{
	struct jag_content_stats stats;
	struct jag_buffer file = { 0 };
	struct opened o = open_images(*state, NULL, NULL);
	read_file_at(o.content, "image/0.png", &file);
	jag_content_stats(o.content, &stats);
	assert_int_equal(stats.cache_nbytes, 0);
	assert_int_equal(stats.sizes_remembered, 0);
	assert_int_equal(jag_content_warm(o.content, node_at(o.tree, "image/1.png")), 0);
	jag_content_stats(o.content, &stats);
	assert_int_equal(stats.cache_nbytes, size_of(&o, "image/1.png", NULL));
	read_file_at(o.content, "image/1.png", &file);
	jag_content_stats(o.content, &stats);
	assert_int_equal(stats.encodes, 2);
	assert_int_equal(stats.encode_hits, 1);
	jag_buffer_free(&file);
	close_images(&o);
}

static void immutable_trusts_what_it_remembers(void **state)
{
	struct opened o = open_images(*state, NULL, &(struct jag_content_options){ .immutable = true });
	uint64_t size = size_of(&o, "image/0.jpg", NULL);
	change(&o, 0, 5);
	assert_int_equal(size_of(&o, "image/0.jpg", NULL), size);
	close_images(&o);
}

static void any_range_of_a_live_file_is_that_of_the_whole(void **state)
{
	static const char *const paths[] = { "image/2.npy", "image/2.bin", "image.shape.npy", "meta.json" };
	struct jag_buffer file = { 0 };
	uint8_t part[600];
	struct opened o = open_images(*state, NULL, NULL);
	change(&o, 2, 3);
	for (size_t p = 0; p < COUNT_OF(paths); p++) {
		struct jag_place place;
		jag_node node;
		read_file_at(o.content, paths[p], &file);
		place_at(&o, paths[p], &node, &place);
		for (uint64_t offset = 0; offset < file.nbytes + 700; offset += 61) {
			size_t want = offset >= file.nbytes        ? 0
				      : file.nbytes - offset < 600 ? file.nbytes - offset
								   : 600;
			assert_int_equal(jag_content_read(o.content, &place, part, 600, offset), want);
			assert_true(want == 0 || memcmp(part, file.data + offset, want) == 0);
			struct jag_content_range range;
			int rc = jag_content_range(&place, 600, offset, &range);
			if (rc == -EOPNOTSUPP) { /* texts; nothing, or nothing but the header, in this range */
				assert_true(place.bytes || offset + want <= place.size - place.element.nbytes ||
					    want == 0);
				continue;
			}
			assert_int_equal(rc, 0);
			assert_int_equal(range.header_nbytes + range.nbytes, want);
			assert_memory_equal(range.header, file.data + offset, range.header_nbytes);
			assert_int_equal(pread(range.fd, part, range.nbytes, (off_t)range.offset), range.nbytes);
			assert_memory_equal(part, file.data + offset + range.header_nbytes, range.nbytes);
		}
	}
	jag_buffer_free(&file);
	close_images(&o);
}

static void writes_in_place_land_in_the_store(void **state)
{
	uint8_t byte = 77, seen = 0;
	struct jag_place place;
	jag_node node;
	struct opened o = open_images(*state, NULL, NULL);
	place_at(&o, "image/1.npy", &node, &place);
	uint64_t header = place.size - NBYTES;
	assert_int_equal(jag_content_write(o.content, &place, &byte, 1, header + 9), 0);
	int fd = open(o.path, O_RDONLY);
	assert_int_equal(pread(fd, &seen, 1, NBYTES + 9), 1);
	assert_int_equal(seen, 77);
	assert_int_equal(jag_content_write(o.content, &place, &byte, 1, place.size), -EFBIG);
	assert_int_equal(jag_content_write(o.content, &place, &byte, 1, 0), -EINVAL);
	place_at(&o, "image/1.png", &node, &place);
	assert_int_equal(jag_content_write(o.content, &place, &byte, 1, 0), -EPERM);
	place_at(&o, "image.shape.npy", &node, &place);
	assert_int_equal(jag_content_write(o.content, &place, &byte, 1, 140), -EPERM);
	place_at(&o, "title.json", &node, &place);
	assert_int_equal(jag_content_write(o.content, &place, &byte, 1, 0), -EPERM);
	close(fd);
	close_images(&o);
}

static void a_size_is_fresh_until_something_is_written(void **state)
{
	struct jag_place place, other;
	uint8_t byte = 77;
	uint64_t size = 0;
	double age = -1;
	jag_node node, raw;
	struct opened o = open_images(*state, NULL, NULL);
	place_at(&o, "image/2.jpg", &node, &place);
	place_at(&o, "image/4.bin", &raw, &other);
	assert_false(jag_content_fresh_size(o.content, node, 60, &size, &age));
	assert_int_equal(jag_content_warm(o.content, node), 0);
	assert_true(jag_content_fresh_size(o.content, node, 60, &size, &age));
	assert_int_equal(size, size_of(&o, "image/2.jpg", NULL));
	assert_true(age >= 0 && age < 60);
	assert_false(jag_content_fresh_size(o.content, node, -1, &size, &age)); /* too old for the asker */
	jag_content_outdated(o.content, node);
	assert_false(jag_content_fresh_size(o.content, node, 60, &size, &age));
	size_of(&o, "image/2.jpg", NULL);
	assert_true(jag_content_fresh_size(o.content, node, 60, &size, &age));
	assert_int_equal(jag_content_write(o.content, &other, &byte, 1, 9), 0);
	assert_false(jag_content_fresh_size(o.content, node, 60, &size, &age));
	assert_int_equal(jag_content_warm(o.content, node), 0);
	assert_true(jag_content_fresh_size(o.content, node, 60, &size, &age));
	close_images(&o);
}

static void an_unchanged_element_is_not_encoded_again(void **state)
{
	struct jag_place place;
	struct jag_blob *first, *again, *changed;
	struct jag_content_stats stats;
	jag_node node;
	struct opened o = open_images(*state, NULL, NULL);
	place_at(&o, "image/2.jpg", &node, &place);
	assert_int_equal(jag_content_snapshot(o.content, node, &place, &first), 0);
	assert_int_equal(jag_content_snapshot(o.content, node, &place, &again), 0);
	assert_ptr_equal(first, again);
	change(&o, 2, 200);
	assert_int_equal(jag_content_snapshot(o.content, node, &place, &changed), 0);
	assert_int_not_equal(first->hash, changed->hash);
	jag_content_stats(o.content, &stats);
	assert_int_equal(stats.encodes, 2);
	assert_int_equal(stats.encode_hits, 1);
	jag_blob_unref(first);
	jag_blob_unref(again);
	jag_blob_unref(changed);
	close_images(&o);
}

static void a_cut_file_is_an_error_of_that_element(void **state)
{
	struct jag_place place;
	struct jag_blob *blob;
	uint64_t size;
	jag_node node;
	struct opened o = open_images(*state, NULL, NULL);
	assert_int_equal(truncate(o.path, 2 * NBYTES + 10), 0);
	place_at(&o, "image/2.png", &node, &place);
	assert_int_equal(jag_content_snapshot(o.content, node, &place, &blob), -EIO);
	place_at(&o, "image/2.jpg", &node, &place);
	assert_int_equal(jag_content_size(o.content, node, &place, &size, NULL), -EIO);
	assert_true(size_of(&o, "image/1.jpg", NULL) > 0);
	close_images(&o);
}

#define WITH_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, temp_setup, temp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIRECTORY(sizes_are_those_of_the_bytes),
		WITH_DIRECTORY(what_others_store_is_what_the_next_open_reads),
		WITH_DIRECTORY(a_dirty_page_without_msync_is_seen),
		WITH_DIRECTORY(a_snapshot_stays_what_it_was),
		WITH_DIRECTORY(one_content_is_encoded_once),
		WITH_DIRECTORY(formats_of_one_content_are_told_apart),
		WITH_DIRECTORY(stored_png_is_kept_only_when_encoded_ahead),
		WITH_DIRECTORY(immutable_trusts_what_it_remembers),
		WITH_DIRECTORY(any_range_of_a_live_file_is_that_of_the_whole),
		WITH_DIRECTORY(writes_in_place_land_in_the_store),
		WITH_DIRECTORY(a_size_is_fresh_until_something_is_written),
		WITH_DIRECTORY(an_unchanged_element_is_not_encoded_again),
		WITH_DIRECTORY(a_cut_file_is_an_error_of_that_element),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
