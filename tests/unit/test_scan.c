/* SPDX-License-Identifier: MIT */
/* test_scan.c - the list of files that packing starts from. */
#include "unit.h"

#include "pack/pack_impl.h"
#include "tempdir.h"

struct scan {
	struct jag_pack pack;
	struct jag_pack_options options;
	struct jag_pack_result result;
	const char *sources[4];
	char notes[2048];
};

static void take_note(void *ctx, const char *what, const char *text)
{
	struct scan *scan = ctx;
	const char *name = strrchr(what, '/');
	size_t n = strlen(scan->notes);
	snprintf(scan->notes + n, sizeof(scan->notes) - n, "%s: %s\n", name ? name + 1 : what, text);
}

static int run_scan(struct scan *scan, const char *first, const char *second, bool skip, struct jag_error *err)
{
	scan->sources[0] = first;
	scan->sources[1] = second;
	scan->options.sources = scan->sources;
	scan->options.source_count = second ? 2 : 1;
	scan->options.skip_errors = skip;
	scan->options.note = take_note;
	scan->options.note_ctx = scan;
	scan->pack.options = &scan->options;
	scan->pack.result = &scan->result;
	pthread_mutex_init(&scan->pack.mutex, NULL);
	return jag_pack_scan(&scan->pack, err);
}

static void release(struct scan *scan)
{
	while (scan->pack.arena) {
		struct jag_arena_block *next = scan->pack.arena->next;
		free(scan->pack.arena);
		scan->pack.arena = next;
	}
	free(scan->pack.files);
	free(scan->pack.class_dirs);
	pthread_mutex_destroy(&scan->pack.mutex);
}

/* The recorded names, separated by spaces. */
static void assert_names(const struct scan *scan, const char *expected)
{
	char text[4096] = "";
	for (size_t i = 0; i < scan->pack.file_count; i++) {
		const struct jag_pack_file *file = &scan->pack.files[i];
		size_t n = strlen(text);
		snprintf(text + n, sizeof(text) - n, "%s%s", i ? " " : "", file->path + file->name);
	}
	assert_string_equal(text, expected);
}

static void make(struct tempdir *t, const char *names)
{
	char *copy = strdup(names);
	for (char *save, *name = strtok_r(copy, " ", &save); name; name = strtok_r(NULL, " ", &save))
		tempdir_file(t, name, "", 0);
	free(copy);
}

static void order_is_that_of_imagefolder(void **state)
{
	make(*state, "s/b/x.jpg s/a-b/x.jpg s/a/10.jpg s/a/9.jpg s/a/sub/x.jpg s/a/sub-1/x.jpg s/a/z.jpg s/A/x.jpg");
	struct scan scan = { 0 };
	assert_int_equal(run_scan(&scan, tempdir_path(*state, "s"), NULL, false, NULL), 0);
	assert_names(&scan, "A/x.jpg a/10.jpg a/9.jpg a/z.jpg a/sub/x.jpg a/sub-1/x.jpg a-b/x.jpg b/x.jpg");
	assert_int_equal(scan.pack.class_dir_count, 4);
	assert_false(scan.pack.loose);
	release(&scan);
}

static void sources_stay_in_their_order(void **state)
{
	make(*state, "z/1.jpg a/1.jpg a/0.jpg");
	struct scan scan = { 0 };
	assert_int_equal(run_scan(&scan, tempdir_path(*state, "z"), tempdir_path(*state, "a"), false, NULL), 0);
	assert_names(&scan, "1.jpg 0.jpg 1.jpg");
	release(&scan);
}

static void a_slash_at_the_end_changes_nothing(void **state)
{
	make(*state, "s/a/1.jpg");
	char path[512];
	snprintf(path, sizeof(path), "%s/", tempdir_path(*state, "s"));
	struct scan scan = { 0 };
	assert_int_equal(run_scan(&scan, path, NULL, false, NULL), 0);
	assert_names(&scan, "a/1.jpg");
	assert_string_equal(scan.pack.class_dirs[0], "a");
	release(&scan);
}

static void a_file_source_means_no_classes(void **state)
{
	make(*state, "s/a/1.jpg x.jpg");
	struct scan scan = { 0 };
	assert_int_equal(run_scan(&scan, tempdir_path(*state, "s"), tempdir_path(*state, "x.jpg"), false, NULL), 0);
	assert_int_equal(scan.pack.file_count, 2);
	assert_true(scan.pack.loose);
	release(&scan);
}

static void hidden_names_and_odd_types_are_counted(void **state)
{
	make(*state, "s/.hidden s/.dir/1.jpg s/1.jpg");
	mkfifo(tempdir_path(*state, "s/pipe"), 0666);
	struct scan scan = { 0 };
	assert_int_equal(run_scan(&scan, tempdir_path(*state, "s"), NULL, false, NULL), 0);
	assert_names(&scan, "1.jpg");
	assert_int_equal(scan.result.hidden, 2);
	assert_int_equal(scan.result.not_images, 1);
	release(&scan);
}

static void a_loop_stops_or_is_left_out(void **state)
{
	make(*state, "s/a/1.jpg");
	assert_int_equal(symlink("..", tempdir_path(*state, "s/a/up")), 0);
	struct jag_error err = { 0 };
	struct scan scan = { 0 }, skip = { 0 };
	assert_int_equal(run_scan(&scan, tempdir_path(*state, "s"), NULL, false, &err), -ELOOP);
	assert_string_equal(err.path, tempdir_path(*state, "s/a/up"));
	release(&scan);
	assert_int_equal(run_scan(&skip, tempdir_path(*state, "s"), NULL, true, NULL), 0);
	assert_names(&skip, "a/1.jpg");
	assert_int_equal(skip.result.refused, 1);
	assert_non_null(strstr(skip.notes, "up: left out: is a loop"));
	release(&skip);
}

static void two_ways_to_one_folder_are_no_loop(void **state)
{
	make(*state, "real/1.jpg s/x/2.jpg");
	assert_int_equal(symlink("../real", tempdir_path(*state, "s/a")), 0);
	assert_int_equal(symlink("../real", tempdir_path(*state, "s/b")), 0);
	struct scan scan = { 0 };
	assert_int_equal(run_scan(&scan, tempdir_path(*state, "s"), NULL, false, NULL), 0);
	assert_names(&scan, "a/1.jpg b/1.jpg x/2.jpg");
	release(&scan);
}

static void a_cancelled_scan_ends(void **state)
{
	make(*state, "s/a/1.jpg");
	struct jag_watch watch = { 0 };
	atomic_store(&watch.cancel, true);
	struct scan scan = { .options.watch = &watch };
	assert_int_equal(run_scan(&scan, tempdir_path(*state, "s"), NULL, true, NULL), -ECANCELED);
	release(&scan);
}

static void many_files_in_deep_folders(void **state)
{
	struct tempdir *t = *state;
	char name[600] = "s";
	for (int depth = 0; depth < 100; depth++) {
		size_t n = strlen(name);
		snprintf(name + n, sizeof(name) - n, "/dd");
	}
	for (int i = 0; i < 3000; i++) {
		char path[700];
		snprintf(path, sizeof(path), "%s/%04d.jpg", i % 3 ? "s/flat" : name, i);
		tempdir_file(t, path, "", 0);
	}
	struct scan scan = { 0 };
	assert_int_equal(run_scan(&scan, tempdir_path(t, "s"), NULL, false, NULL), 0);
	assert_int_equal(scan.pack.file_count, 3000);
	for (size_t i = 1; i < 1000; i++)
		assert_true(strcmp(scan.pack.files[i - 1].path, scan.pack.files[i].path) < 0);
	release(&scan);
}

#define T(test) cmocka_unit_test_setup_teardown(test, tempdir_setup, tempdir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(order_is_that_of_imagefolder),
		T(sources_stay_in_their_order),
		T(a_slash_at_the_end_changes_nothing),
		T(a_file_source_means_no_classes),
		T(hidden_names_and_odd_types_are_counted),
		T(a_loop_stops_or_is_left_out),
		T(two_ways_to_one_folder_are_no_loop),
		T(a_cancelled_scan_ends),
		T(many_files_in_deep_folders),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
