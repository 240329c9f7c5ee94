/* SPDX-License-Identifier: MIT */
/* test_readback.c - files as they were written: found for the content they stand for, dropped for any other, bounded. */
#include "unit.h"

#include "content/readback.h"

static struct jag_readback *make(uint64_t limit)
{
	struct jag_readback *readback;
	assert_int_equal(jag_readback_create(limit, &readback), 0);
	return readback;
}

static bool finds(struct jag_readback *readback, jag_node element, uint64_t hash, const char *text)
{
	struct jag_blob *blob = jag_readback_get(readback, element, JAG_FORMAT_PNG, hash);
	bool same = blob && blob->nbytes == strlen(text) && !memcmp(blob->data, text, blob->nbytes);
	jag_blob_unref(blob);
	return same;
}

static void the_same_bytes_for_the_same_content(void **state)
{
	struct jag_readback *readback = make(10000);
	(void)state;
	assert_false(jag_readback_touched(readback, 5));
	jag_readback_set(readback, 5, JAG_FORMAT_PNG, 77, "file", 4, false);
	assert_true(jag_readback_touched(readback, 5));
	assert_true(finds(readback, 5, 77, "file"));
	assert_null(jag_readback_get(readback, 5, JAG_FORMAT_JPG, 77));
	assert_null(jag_readback_get(readback, 6, JAG_FORMAT_PNG, 77));
	jag_readback_set(readback, 5, JAG_FORMAT_PNG, 78, "other", 5, false);
	assert_true(finds(readback, 5, 78, "other"));
	jag_readback_destroy(readback);
}

static void files_of_the_usual_size_are_told_apart(void **state)
{
	struct jag_readback *readback = make(10000);
	(void)state;
	jag_readback_set(readback, 5, JAG_FORMAT_PNG, 77, "file", 4, true);
	jag_readback_set(readback, 6, JAG_FORMAT_PNG, 77, "other", 5, false);
	assert_true(jag_readback_touched(readback, 5));
	assert_false(jag_readback_resized(readback, 5));
	assert_true(jag_readback_resized(readback, 6));
	assert_true(finds(readback, 5, 77, "file"));
	jag_readback_destroy(readback);
}

static void another_content_ends_it(void **state)
{
	struct jag_readback *readback = make(10000);
	(void)state;
	jag_readback_set(readback, 5, JAG_FORMAT_PNG, 77, "file", 4, false);
	assert_false(finds(readback, 5, 78, "file"));
	assert_false(finds(readback, 5, 77, "file")); /* also when the old content comes back */
	assert_true(jag_readback_touched(readback, 5));
	assert_int_equal(jag_readback_nbytes(readback), 0);
	jag_readback_destroy(readback);
}

static void the_oldest_go(void **state)
{
	struct jag_readback *readback = make(4000);
	char bytes[1000] = "";
	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		jag_readback_set(readback, i, JAG_FORMAT_PNG, i, bytes, sizeof(bytes), false);
		assert_true(jag_readback_nbytes(readback) <= 4000);
	}
	for (unsigned i = 0; i < 100; i++) {
		struct jag_blob *blob = jag_readback_get(readback, i, JAG_FORMAT_PNG, i);
		assert_int_equal(blob != NULL, i >= 97);
		jag_blob_unref(blob);
	}
	jag_readback_destroy(readback);
}

static void what_does_not_fit_ends_the_old_one(void **state)
{
	struct jag_readback *readback = make(1000);
	char bytes[2000] = "";
	(void)state;
	jag_readback_set(readback, 5, JAG_FORMAT_PNG, 77, "file", 4, false);
	jag_readback_set(readback, 5, JAG_FORMAT_PNG, 77, bytes, sizeof(bytes), false);
	assert_null(jag_readback_get(readback, 5, JAG_FORMAT_PNG, 77));
	jag_readback_destroy(readback);
}

static void off_remembers_nothing(void **state)
{
	struct jag_readback *readback = make(0);
	(void)state;
	jag_readback_set(readback, 5, JAG_FORMAT_PNG, 77, "", 0, false);
	assert_false(jag_readback_touched(readback, 5));
	assert_null(jag_readback_get(readback, 5, JAG_FORMAT_PNG, 77));
	jag_readback_destroy(readback);
}

static void two_files_of_one_content_are_told_apart(void **state)
{
	struct jag_readback *readback = make(10000);
	(void)state;
	jag_readback_set(readback, 5, JAG_FORMAT_PNG, 77, "file", 4, false);
	jag_readback_set(readback, 6, JAG_FORMAT_PNG, 77, "other", 5, false);
	struct jag_blob *a = jag_readback_get(readback, 5, JAG_FORMAT_PNG, 77);
	struct jag_blob *b = jag_readback_get(readback, 6, JAG_FORMAT_PNG, 77);
	assert_int_not_equal(a->hash, b->hash);
	assert_int_not_equal(a->hash, 77);
	jag_readback_destroy(readback);
	assert_memory_equal(a->data, "file", 4); /* who holds it keeps it */
	jag_blob_unref(a);
	jag_blob_unref(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_bytes_for_the_same_content),
		cmocka_unit_test(files_of_the_usual_size_are_told_apart),
		cmocka_unit_test(another_content_ends_it),
		cmocka_unit_test(the_oldest_go),
		cmocka_unit_test(what_does_not_fit_ends_the_old_one),
		cmocka_unit_test(off_remembers_nothing),
		cmocka_unit_test(two_files_of_one_content_are_told_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
