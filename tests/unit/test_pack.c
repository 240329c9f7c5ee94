/* SPDX-License-Identifier: MIT */
/* test_pack.c - packing as a library call: what happens between the passes, cancellation, reports, JSON names. */
#include "unit.h"

#include "jag/codec.h"
#include "jag/pack.h"
#include "json_text.h"
#include "tempdir.h"

/* A gray PNG of this size; its pixels are their index. */
static void make_png(struct tempdir *t, const char *name, int64_t width, int64_t height)
{
	struct jag_shape shape = { .dtype = JAG_UINT8, .rank = 2, .dims = { height, width } };
	uint8_t *pixels = malloc((size_t)(width * height));
	for (int64_t i = 0; i < width * height; i++)
		pixels[i] = (uint8_t)i;
	struct jag_view view = { .shape = &shape, .data = pixels, .nbytes = (uint64_t)(width * height) };
	struct jag_look look;
	struct jag_buffer file = { 0 };
	jag_look_default(&look);
	look.layout = JAG_LAYOUT_PLANES;
	assert_int_equal(jag_codec_by_format(JAG_FORMAT_PNG)->encode(&view, &look, &file), 0);
	tempdir_file(t, name, file.data, file.nbytes);
	jag_buffer_free(&file);
	free(pixels);
}

struct job {
	struct tempdir *t;
	struct jag_pack_options options;
	struct jag_pack_result result;
	struct jag_watch watch;
	struct jag_error err;
	const char *source;
	enum jag_phase change_in;          /* when this phase has ended ... */
	void (*change)(struct tempdir *t); /* ... this happens */
	enum jag_phase cancel_in;          /* when this phase reports, the work is cancelled */
	bool cancels;
	unsigned phases; /* bits of those that reported */
	enum jag_phase last;
	bool backwards;
	unsigned notes;
};

static void on_report(void *ctx, const struct jag_progress_state *state)
{
	struct job *job = ctx;
	job->backwards = job->backwards || state->phase < job->last;
	job->last = state->phase;
	job->phases |= 1u << state->phase;
	if (job->cancels && state->phase == job->cancel_in)
		atomic_store(&job->watch.cancel, true);
	if (job->change && state->phase == job->change_in && state->items_done == state->items_total) {
		job->change(job->t);
		job->change = NULL;
	}
}

static void on_note(void *ctx, const char *what, const char *text)
{
	(void)what;
	(void)text;
	((struct job *)ctx)->notes++;
}

static int pack(struct job *job)
{
	job->source = tempdir_path(job->t, "src");
	job->watch.report = on_report;
	job->watch.ctx = job;
	job->options.sources = &job->source;
	job->options.source_count = 1;
	job->options.target = tempdir_path(job->t, "store");
	job->options.watch = &job->watch;
	job->options.note = on_note;
	job->options.note_ctx = job;
	job->options.workers = 1;
	return jag_pack(&job->options, &job->result, &job->err);
}

static void make_sources(struct tempdir *t)
{
	make_png(t, "src/a.png", 5, 4);
	make_png(t, "src/b.png", 6, 3);
	make_png(t, "src/c.png", 7, 2);
}

/* No store, and no temporary directory beside it. */
static void assert_nothing_made(struct tempdir *t)
{
	DIR *dir = opendir(t->dir);
	struct dirent *entry;
	while ((entry = readdir(dir)))
		assert_true(entry->d_name[0] == '.' || !strcmp(entry->d_name, "src"));
	closedir(dir);
}

static void cut_b(struct tempdir *t)
{
	assert_int_equal(truncate(tempdir_path(t, "src/b.png"), 60), 0);
}

static void swap_b(struct tempdir *t)
{
	/* The same number of bytes (level 0), another shape. */
	make_png(t, "src/b.png", 3, 6);
	make_png(t, "src/other.png", 6, 3);
	struct stat a, b;
	assert_int_equal(stat(tempdir_path(t, "src/b.png"), &a), 0);
	assert_int_equal(stat(tempdir_path(t, "src/other.png"), &b), 0);
	if (a.st_size < b.st_size)
		assert_int_equal(truncate(tempdir_path(t, "src/b.png"), b.st_size), 0);
}

static void remove_b(struct tempdir *t)
{
	assert_int_equal(remove(tempdir_path(t, "src/b.png")), 0);
}

static void a_file_that_changes_between_the_passes_is_refused(void **state)
{
	void (*const changes[])(struct tempdir * t) = { cut_b, swap_b, remove_b };
	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		make_sources(*state);
		struct job job = { .t = *state, .change_in = JAG_PHASE_HEADERS, .change = changes[i] };
		assert_true(pack(&job) < 0);
		assert_string_equal(job.err.path, tempdir_path(*state, "src/b.png"));
		assert_nothing_made(*state);
		remove(tempdir_path(*state, "src/other.png"));
	}
}

static void it_is_left_out_where_errors_are_skipped(void **state)
{
	make_sources(*state);
	struct job job = { .t = *state, .change_in = JAG_PHASE_HEADERS, .change = remove_b };
	job.options.skip_errors = true;
	assert_int_equal(pack(&job), 0);
	assert_int_equal(job.result.images, 2);
	assert_int_equal(job.result.refused, 1);
	assert_int_equal(job.notes, 1);
	size_t n;
	char *data = tempdir_read(*state, "store/image.memmap", &n);
	assert_int_equal(n, 3 * (5 * 4 + 7 * 2));
	/* The element after the hole is whole: gray, so three equal planes. */
	for (int i = 0; i < 3 * 7 * 2; i++)
		assert_int_equal(data[60 + i], i % 14);
	free(data);
}

static void cancelling_in_any_phase_leaves_nothing(void **state)
{
	make_sources(*state);
	const enum jag_phase phases[] = { JAG_PHASE_HEADERS, JAG_PHASE_WORK, JAG_PHASE_SYNC };
	for (size_t i = 0; i < COUNT_OF(phases); i++) {
		struct job job = { .t = *state, .cancels = true, .cancel_in = phases[i] };
		assert_int_equal(pack(&job), -ECANCELED);
		assert_nothing_made(*state);
	}
}

static void phases_are_reported_in_order(void **state)
{
	make_sources(*state);
	struct job job = { .t = *state };
	assert_int_equal(pack(&job), 0);
	assert_false(job.backwards);
	assert_true(job.phases & 1u << JAG_PHASE_HEADERS);
	assert_true(job.phases & 1u << JAG_PHASE_WORK);
	assert_true(job.phases & 1u << JAG_PHASE_SYNC);
}

static void the_target_is_looked_at_first(void **state)
{
	struct job job = { .t = *state };
	tempdir_file(*state, "store/file", "x", 1);
	assert_int_equal(pack(&job), -EEXIST);
	assert_int_equal(job.phases, 0);
}

static void assert_quoted(const char *bytes, enum jag_json_bad bad, const char *expected, int odd)
{
	struct jag_buffer out = { 0 };
	assert_int_equal(jag_json_quote(&out, bytes, strlen(bytes), bad), odd);
	jag_buffer_append(&out, "", 1);
	assert_string_equal((const char *)out.data, expected);
	jag_buffer_free(&out);
}

static void assert_name(const char *bytes, const char *expected, int odd)
{
	assert_quoted(bytes, JAG_JSON_PERCENT, expected, odd);
}

static void names_become_json(void **state)
{
	(void)state;
	assert_name("a\"b\\c\n\x7f", "\"a\\\"b\\\\c\\u000a\x7f\"", 0);
	assert_name("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", 0);
	assert_name("\xff", "\"%FF\"", 1);
	assert_name("\xc0\xaf", "\"%C0%AF\"", 1);               /* overlong "/" */
	assert_name("\xed\xa0\x80", "\"%ED%A0%80\"", 1);        /* a surrogate */
	assert_name("\xf4\x90\x80\x80", "\"%F4%90%80%80\"", 1); /* beyond U+10FFFF */
	assert_name("\xe2\x82", "\"%E2%82\"", 1);               /* cut */
	assert_quoted("a\xff\xc3\xa9", JAG_JSON_SURROGATE, "\"a\\udcff\xc3\xa9\"", 1);
	assert_quoted("a\xe2\x82z", JAG_JSON_REPLACED, "\"a\\ufffd\\ufffdz\"", 1);
}

#define T(test) cmocka_unit_test_setup_teardown(test, tempdir_setup, tempdir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_file_that_changes_between_the_passes_is_refused),
		T(it_is_left_out_where_errors_are_skipped),
		T(cancelling_in_any_phase_leaves_nothing),
		T(phases_are_reported_in_order),
		T(the_target_is_looked_at_first),
		cmocka_unit_test(names_become_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
