/* SPDX-License-Identifier: MIT */
/* test_copy.c - copying a whole store. */
#include "unit.h"

#include "jag/map.h"
#include "tempdir.h"

static int copy(struct tempdir *t, const char *from, const char *to, unsigned flags, struct jag_error *err)
{
	return jag_copy_store(tempdir_path(t, from), tempdir_path(t, to), flags | JAG_CREATE_NOSYNC, 3, NULL, err);
}

static void assert_content(struct tempdir *t, const char *name, const char *expected)
{
	char *text = tempdir_read(t, name, NULL);
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void make_store(struct tempdir *t)
{
	tempdir_file(t, "s/meta.json", "{}", 2);
	tempdir_file(t, "s/a.memmap", "abc", 3);
	tempdir_file(t, "s/empty", "", 0);
	tempdir_file(t, "s/sub/deep/meta.json", "{\"x\":1}", 7);
	tempdir_file(t, "s/other.pickle", "pickle", 6);
	assert_int_equal(symlink("../elsewhere", tempdir_path(t, "s/link")), 0);
	assert_int_equal(chmod(tempdir_path(t, "s/a.memmap"), 0444), 0);
}

static void every_file_is_copied(void **state)
{
	struct stat st;
	make_store(*state);
	assert_int_equal(copy(*state, "s", "c", 0, NULL), 0);
	assert_content(*state, "c/meta.json", "{}");
	assert_content(*state, "c/a.memmap", "abc");
	assert_content(*state, "c/empty", "");
	assert_content(*state, "c/sub/deep/meta.json", "{\"x\":1}");
	assert_content(*state, "c/other.pickle", "pickle");
	assert_int_equal(stat(tempdir_path(*state, "c/a.memmap"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0444);
}

/* Another process may be adding to the store; its directory is gone a moment later. */
static void directories_of_those_who_add_are_not_copied(void **state)
{
	make_store(*state);
	tempdir_file(*state, "s/sub/.jagfs-0123456789ab-aBcD09.tmp/b.memmap", "b", 1);
	tempdir_file(*state, "s/.jagfs-aBcD09.tmp/meta.json.new", "{}", 2);
	assert_int_equal(copy(*state, "s", "c", 0, NULL), 0);
	assert_int_equal(access(tempdir_path(*state, "c/sub/deep/meta.json"), F_OK), 0);
	assert_int_not_equal(access(tempdir_path(*state, "c/sub/.jagfs-0123456789ab-aBcD09.tmp"), F_OK), 0);
	assert_int_not_equal(access(tempdir_path(*state, "c/.jagfs-aBcD09.tmp"), F_OK), 0);
}

static void links_stay_links(void **state)
{
	char target[64] = "";
	make_store(*state);
	assert_int_equal(copy(*state, "s", "c", 0, NULL), 0);
	assert_true(readlink(tempdir_path(*state, "c/link"), target, sizeof(target) - 1) > 0);
	assert_string_equal(target, "../elsewhere");
}

/* Larger than a piece, with data at odd places and holes between. */
static void large_files_keep_bytes_and_holes(void **state)
{
	make_store(*state);
	const off_t size = (off_t)100 << 20;
	const off_t places[] = { 0, ((off_t)32 << 20) - 3, ((off_t)64 << 20) - 1, size - 5 };
	int fd = open(tempdir_path(*state, "s/big.memmap"), O_RDWR | O_CREAT, 0666);
	assert_int_equal(ftruncate(fd, size), 0);
	for (size_t i = 0; i < COUNT_OF(places); i++)
		assert_int_equal(pwrite(fd, "12345", 5, places[i]), 5);
	close(fd);
	assert_int_equal(copy(*state, "s", "c", 0, NULL), 0);
	fd = open(tempdir_path(*state, "c/big.memmap"), O_RDONLY);
	struct stat st;
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, size);
	assert_true((off_t)st.st_blocks * 512 < size / 10);
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		char got[5];
		assert_int_equal(pread(fd, got, 5, places[i]), 5);
		assert_memory_equal(got, "12345", 5);
	}
	close(fd);
}

static void existing_targets_are_refused(void **state)
{
	make_store(*state);
	tempdir_file(*state, "c/meta.json", "old", 3);
	assert_int_equal(copy(*state, "s", "c", 0, NULL), -EEXIST);
	assert_content(*state, "c/meta.json", "old");
	assert_int_equal(copy(*state, "s", "c", JAG_CREATE_FORCE, NULL), 0);
	assert_content(*state, "c/meta.json", "{}");
	assert_int_equal(copy(*state, "s", "s", JAG_CREATE_FORCE, NULL), -EBUSY);
	assert_content(*state, "s/a.memmap", "abc");
}

static void what_is_no_store_is_refused(void **state)
{
	tempdir_file(*state, "s/file", "x", 1);
	assert_int_equal(copy(*state, "s", "c", 0, NULL), -EINVAL);
	assert_int_equal(copy(*state, "none", "c", 0, NULL), -ENOENT);
	assert_false(tempdir_exists(*state, "c"));
}

static void a_failed_copy_leaves_nothing(void **state)
{
	struct tempdir *t = *state;
	struct jag_error err = { 0 };
	make_store(t);
	mkfifo(tempdir_path(t, "s/sub/pipe"), 0666);
	assert_int_equal(copy(t, "s", "c", 0, &err), -EINVAL);
	assert_non_null(strstr(err.message, "sub/pipe"));
	DIR *dir = opendir(t->dir);
	unsigned names = 0;
	while (readdir(dir))
		names++;
	closedir(dir);
	assert_int_equal(names, 3); /* ".", "..", "s" */
}

#define T(test) cmocka_unit_test_setup_teardown(test, tempdir_setup, tempdir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(every_file_is_copied),
		T(directories_of_those_who_add_are_not_copied),
		T(links_stay_links),
		T(large_files_keep_bytes_and_holes),
		T(existing_targets_are_refused),
		T(what_is_no_store_is_refused),
		T(a_failed_copy_leaves_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
