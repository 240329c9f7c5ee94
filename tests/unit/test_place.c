/* SPDX-License-Identifier: MIT */
/* test_place.c - where a new store may go, and the change from the temporary to the final name. */
#include "unit.h"

#include <sys/file.h>
#include <time.h>

#include "create/place.h"
#include "tempdir.h"

static int find(struct tempdir *t, const char *name, bool force)
{
	struct jag_place place;
	int rc = jag_place_find(&place, tempdir_path(t, name), force, NULL);
	jag_place_finish(&place);
	return rc;
}

static void a_free_name_is_a_place(void **state)
{
	assert_int_equal(find(*state, "s", false), 0);
	assert_int_equal(find(*state, "s///", false), 0);
}

static void an_empty_directory_is_a_place(void **state)
{
	mkdir(tempdir_path(*state, "s"), 0777);
	assert_int_equal(find(*state, "s", false), 0);
}

static void files_and_full_directories_are_none(void **state)
{
	tempdir_file(*state, "file", "x", 1);
	tempdir_file(*state, "full/file", "x", 1);
	assert_int_equal(find(*state, "file", true), -EEXIST);
	assert_int_equal(find(*state, "full", false), -EEXIST);
}

static void force_replaces_stores_only(void **state)
{
	tempdir_file(*state, "full/file", "x", 1);
	tempdir_file(*state, "store/meta.json", "{}", 2);
	assert_int_equal(find(*state, "full", true), -EEXIST);
	assert_int_equal(find(*state, "store", false), -EEXIST);
	assert_int_equal(find(*state, "store", true), 0);
}

static void a_missing_parent_is_named(void **state)
{
	struct jag_place place;
	struct jag_error err = { 0 };
	const char *path = tempdir_path(*state, "no/s");
	assert_int_equal(jag_place_find(&place, path, false, &err), -ENOENT);
	assert_string_equal(err.path, path);
	jag_place_finish(&place);
	tempdir_file(*state, "file", "x", 1);
	assert_int_equal(find(*state, "file/s", false), -ENOTDIR);
}

static void names_that_are_none_are_refused(void **state)
{
	(void)state;
	struct jag_place place;
	assert_int_equal(jag_place_find(&place, "", false, NULL), -ENOENT);
	jag_place_finish(&place);
	assert_int_equal(jag_place_find(&place, "/", false, NULL), -EINVAL);
	jag_place_finish(&place);
}

static void commit_and_discard_leave_no_temporary_name(void **state)
{
	struct tempdir *t = *state;
	for (int keep = 0; keep < 2; keep++) {
		struct jag_place place;
		assert_int_equal(jag_place_find(&place, tempdir_path(t, "s"), false, NULL), 0);
		assert_int_equal(jag_place_make(&place, NULL), 0);
		assert_int_equal(mkdirat(place.fd, "deep", 0777), 0);
		assert_true(tempdir_exists(t, place.temp));
		if (keep)
			assert_int_equal(jag_place_commit(&place, true, NULL), 0);
		else
			jag_place_discard(&place);
		jag_place_finish(&place);
		assert_int_equal(tempdir_exists(t, "s/deep"), keep);
	}
	rmdir(tempdir_path(t, "s/deep"));
	rmdir(tempdir_path(t, "s"));
	assert_int_equal(rmdir(t->dir), 0);
	assert_int_equal(mkdir(t->dir, 0777), 0);
}

static void a_replaced_store_is_gone(void **state)
{
	struct tempdir *t = *state;
	struct jag_place place;
	tempdir_file(t, "s/meta.json", "old", 3);
	tempdir_file(t, "s/sub/a.memmap", "old", 3);
	assert_int_equal(jag_place_find(&place, tempdir_path(t, "s"), true, NULL), 0);
	assert_int_equal(jag_place_make(&place, NULL), 0);
	assert_int_equal(mkdirat(place.fd, "new", 0777), 0);
	assert_int_equal(jag_place_commit(&place, false, NULL), 0);
	jag_place_finish(&place);
	assert_true(tempdir_exists(t, "s/new"));
	assert_false(tempdir_exists(t, "s/meta.json"));
	rmdir(tempdir_path(t, "s/new"));
	rmdir(tempdir_path(t, "s"));
	assert_int_equal(rmdir(t->dir), 0);
	assert_int_equal(mkdir(t->dir, 0777), 0);
}

static void a_link_to_a_directory_stays_a_link(void **state)
{
	struct tempdir *t = *state;
	struct jag_place place;
	struct stat st;
	mkdir(tempdir_path(t, "real"), 0777);
	assert_int_equal(symlink("real", tempdir_path(t, "link")), 0);
	assert_int_equal(jag_place_find(&place, tempdir_path(t, "link"), false, NULL), 0);
	assert_string_equal(place.name, "real");
	assert_int_equal(jag_place_make(&place, NULL), 0);
	assert_int_equal(mkdirat(place.fd, "new", 0777), 0);
	assert_int_equal(jag_place_commit(&place, false, NULL), 0);
	jag_place_finish(&place);
	assert_int_equal(lstat(tempdir_path(t, "link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_true(tempdir_exists(t, "real/new"));
}

static void a_store_that_appeared_meanwhile_is_not_overwritten(void **state)
{
	struct tempdir *t = *state;
	struct jag_place place;
	assert_int_equal(jag_place_find(&place, tempdir_path(t, "s"), false, NULL), 0);
	assert_int_equal(jag_place_make(&place, NULL), 0);
	tempdir_file(t, "s/meta.json", "other", 5);
	assert_int_equal(jag_place_commit(&place, false, NULL), -EEXIST);
	jag_place_discard(&place);
	jag_place_finish(&place);
	assert_true(tempdir_exists(t, "s/meta.json"));
}

static void keep_text(void *ctx, const char *path, const char *text)
{
	char **told = ctx;
	free(*told);
	assert_true(asprintf(told, "%s: %s", strrchr(path, '/') + 1, text) > 0);
}

/* The lock goes with the descriptor, as it does with the process. */
static void what_a_dead_process_left_is_removed_and_no_other(void **state)
{
	struct tempdir *t = *state;
	struct jag_place living, dead, place;
	char *told = NULL, *left;
	const char *path = tempdir_path(t, "s");
	assert_int_equal(jag_place_find(&living, path, false, NULL), 0);
	assert_int_equal(jag_place_find(&dead, path, false, NULL), 0);
	assert_int_equal(jag_place_find(&place, path, false, NULL), 0);
	assert_int_equal(jag_place_make(&living, NULL), 0);
	assert_int_equal(jag_place_make(&dead, NULL), 0);
	assert_int_equal(mkdirat(dead.fd, "deep", 0777), 0);
	left = strdup(dead.temp);
	jag_place_sweep(&place, keep_text, &told);
	assert_null(told);
	assert_true(tempdir_exists(t, left));
	jag_place_finish(&dead);
	jag_place_sweep(&place, keep_text, &told);
	assert_non_null(told);
	assert_memory_equal(told, left, strlen(left));
	assert_non_null(strstr(told, ": removed"));
	assert_false(tempdir_exists(t, left));
	assert_true(tempdir_exists(t, living.temp));
	assert_int_equal(jag_place_commit(&living, true, NULL), 0);
	jag_place_finish(&living);
	jag_place_finish(&place);
	free(told);
	free(left);
}

/* Sweep while the unlocked directory `made` was last changed so long ago; is it there afterwards? */
static bool stays(struct tempdir *t, const struct jag_place *place, const struct jag_place *made, time_t seconds)
{
	struct timespec then[2] = { { .tv_sec = time(NULL) - seconds }, { .tv_sec = time(NULL) - seconds } };
	assert_int_equal(futimens(made->fd, then), 0);
	jag_place_sweep(place, NULL, NULL);
	return tempdir_exists(t, made->temp);
}

/* On a loaded machine a maker got its lock later than two seconds after the mkdir, and was taken for a killed one. */
static void an_empty_one_is_left_to_its_maker_for_a_minute(void **state)
{
	struct tempdir *t = *state;
	struct jag_place made, place;
	const char *path = tempdir_path(t, "s");
	assert_int_equal(jag_place_find(&made, path, false, NULL), 0);
	assert_int_equal(jag_place_find(&place, path, false, NULL), 0);
	assert_int_equal(jag_place_make(&made, NULL), 0);
	assert_int_equal(flock(made.fd, LOCK_UN), 0);
	assert_true(stays(t, &place, &made, 30));
	assert_false(stays(t, &place, &made, 3600));
	jag_place_finish(&made);
	jag_place_finish(&place);
}

static void long_names_are_cut_in_temporary_ones(void **state)
{
	struct tempdir *t = *state;
	struct jag_place place;
	char name[256] = { 0 }, *told = NULL;
	memset(name, 'n', 255);
	assert_int_equal(jag_place_find(&place, tempdir_path(t, name), false, NULL), 0);
	assert_int_equal(jag_place_make(&place, NULL), 0);
	assert_int_equal(mkdirat(place.fd, "deep", 0777), 0); /* an empty one could be about to be locked */
	jag_place_finish(&place);
	assert_int_equal(jag_place_find(&place, tempdir_path(t, name), false, NULL), 0);
	jag_place_sweep(&place, keep_text, &told);
	assert_non_null(told);
	jag_place_finish(&place);
	free(told);
	assert_int_equal(rmdir(t->dir), 0);
	assert_int_equal(mkdir(t->dir, 0777), 0);
}

static void removing_a_tree_does_not_follow_links(void **state)
{
	struct tempdir *t = *state;
	tempdir_file(t, "outside/file", "x", 1);
	tempdir_file(t, "tree/sub/file", "x", 1);
	assert_int_equal(symlink("../outside", tempdir_path(t, "tree/link")), 0);
	assert_int_equal(jag_remove_tree(AT_FDCWD, tempdir_path(t, "tree")), 0);
	assert_false(tempdir_exists(t, "tree"));
	assert_true(tempdir_exists(t, "outside/file"));
}

#define T(test) cmocka_unit_test_setup_teardown(test, tempdir_setup, tempdir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_free_name_is_a_place),
		T(an_empty_directory_is_a_place),
		T(files_and_full_directories_are_none),
		T(force_replaces_stores_only),
		T(a_missing_parent_is_named),
		T(names_that_are_none_are_refused),
		T(commit_and_discard_leave_no_temporary_name),
		T(a_replaced_store_is_gone),
		T(a_link_to_a_directory_stays_a_link),
		T(a_store_that_appeared_meanwhile_is_not_overwritten),
		T(what_a_dead_process_left_is_removed_and_no_other),
		T(an_empty_one_is_left_to_its_maker_for_a_minute),
		T(long_names_are_cut_in_temporary_ones),
		T(removing_a_tree_does_not_follow_links),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
