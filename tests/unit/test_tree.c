/* SPDX-License-Identifier: MIT */
/* test_tree.c - what a store is shown as: listed, hidden, refused. One table row of the contract a test. */
#include "treestore.h"

#define DIMS(...)                                                 \
	COUNT_OF(((int64_t[]){ __VA_ARGS__ })), (const int64_t[]) \
	{                                                         \
		__VA_ARGS__                                       \
	}

struct fixture_tree {
	struct jag_store *store;
	struct jag_tree *tree;
};

static struct fixture_tree open_at(const char *path, const char *subpath, const struct jag_tree_options *options)
{
	struct fixture_tree f = { .store = open_store(path, 0) };
	f.tree = open_tree(f.store, subpath, options);
	return f;
}

static void close_fixture(struct fixture_tree *f)
{
	jag_tree_close(f->tree);
	jag_store_close(f->store);
}

/* One of everything that is no stack. */
static void make_mixed(const char *dir)
{
	int64_t images[12 * 3];
	struct maker m = maker_at(dir), sub = maker_at(path_in(dir, "obs"));
	image_rows(images, 12, 7);
	add_nested(&m, "image", "uint8", 3, 12, images);
	add_nested(&m, "name", "uint8", 1, 12, (int64_t[]){ 5, 0, 3, 9, 1, 1, 2, 2, 7, 8, 3, 4 });
	add_dense(&m, "mask", "uint8", DIMS(12, 5, 6));
	add_dense(&m, "label", "int64", DIMS(12));
	add_dense(&m, "feature", "float32", DIMS(12, 4));
	add_dense(&m, "volume", "float32", DIMS(12, 4, 5));
	add_dense(&m, "scale", "float64", 0, NULL);
	add_value(&m, "classes", false, "[\"cat\", \"d\\u00f6g\", 7, {\"a\": [1, 2]}]");
	add_value(&m, "title", false, "\"hello\"");
	add_value(&m, "tags", true, "[\"x\",\"y\"]");
	add_child(&m, "obs");
	finish(&m, "[12]");
	add_dense(&sub, "pixels", "bool", DIMS(12, 8, 8));
	finish(&sub, "[12]");
}

static void each_datum_is_listed_once(void **state)
{
	make_mixed(*state);
	struct fixture_tree f = open_at(*state, "", NULL);
	assert_string_equal(listing(f.tree, ""), "image/ name/ mask/ label.npy feature.npy volume/ scale.txt "
						 "classes.json title.json tags.json obs/ meta.json");
	assert_string_equal(listing(f.tree, "obs"), "pixels/ meta.json");
	assert_string_equal(listing(f.tree, "name"), "00.bin 01.bin 02.bin 03.bin 04.bin 05.bin 06.bin 07.bin 08.bin "
						     "09.bin 10.bin 11.bin");
	assert_string_equal(listing(f.tree, "classes"), "0.txt 1.txt 2.json 3.json");
	close_fixture(&f);
}

static void other_forms_resolve_by_name(void **state)
{
	static const char *const there[] = { "image.shape.npy",  "image/03.bin",  "image/03.npy",
					     "image/03.png",     "image@npy",     "image@npy/03.npy",
					     "image@raw/03.png", "mask.npy",      "mask.bin",
					     "mask@raw/00.bin",  "label",         "label/11.npy",
					     "label.bin",        "image/03.ppm",  "mask/00.pgm",
					     "image/03.pam",     "label/11.txt",  "volume.npy",
					     "scale.bin",        "tags/1.txt",    "name/01.npy",
					     "feature/00.bin",   "obs/pixels.npy" };
	static const char *const absent[] = { "image.npy",    "image/3.png",  "image/12.png",    "image/003.png",
					      "image/03.PNG", "image/03.pgm", "mask/00.ppm",     "image/03",
					      "image/03.zzz", "label/00.png", "label.png",       "scale",
					      "title",        "image@zzz",    "label.npy/x",     "image@npy~2",
					      "@npy",         "obs@npy",      "image.shape.bin", "tags/1.json",
					      "name/00.png",  "meta.json/",   "image/03.png/x" };
	make_mixed(*state);
	struct fixture_tree f = open_at(*state, "", NULL);
	for (size_t i = 0; i < COUNT_OF(there); i++)
		if (!there_is(f.tree, there[i]))
			fail_msg("%s is not there", there[i]);
	for (size_t i = 0; i < COUNT_OF(absent); i++)
		if (there_is(f.tree, absent[i]) && strcmp(absent[i], "meta.json/") != 0)
			fail_msg("%s is there", absent[i]);
	close_fixture(&f);
}

static void names_nodes_and_entries_agree(void **state)
{
	static const struct jag_tree_options variants[] = {
		{ .quality = 0 },
		{ .format = "npy" },
		{ .format = "raw", .list = JAG_LIST_BOTH },
		{ .views = "png:npy:raw", .list = JAG_LIST_WHOLE },
		{ .format = "image=raw.dat:mask=npy", .batch = "volume=2" },
		{ .layout = "none" },
		{ .format = "image=raw.png:mask=raw.npy:label=raw.bin", .views = "png:npy:raw" },
		{ .format = "pnm", .views = "jpg:pam:txt" },
	};
	make_mixed(*state);
	for (size_t i = 0; i < COUNT_OF(variants); i++) {
		struct fixture_tree f = open_at(*state, "", &variants[i]);
		assert_true(check_tree(f.tree) > 40);
		close_fixture(&f);
	}
}

static void every_fixture_is_a_whole_tree(void **state)
{
	static const char *const names[] = { "plain",          "nested_images", "nested_2d",
					     "nested_scalars", "lazystack",     "nontensor",
					     "tensorclass",    "keys",          "keys_legacy",
					     "v1_lazy",        "v1_ntstack",    "v1_tc",
					     "make_memmap",    "zero_elem",     "scalar",
					     "dtypes",         "v1_keys",       "nested_all_zero",
					     "v1_nested",      "v1_plain",      "nested_zero_component" };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct fixture_tree f = open_at(fixture(names[i]), "", NULL);
		assert_true(check_tree(f.tree) > 0);
		close_fixture(&f);
	}
}

static void keys_that_are_no_file_names_are_encoded(void **state)
{
	(void)state;
	struct fixture_tree f = open_at(fixture("keys"), "", NULL);
	assert_true(there_is(f.tree, "a%2Fb.npy"));
	assert_true(there_is(f.tree, "%.npy"));
	assert_true(there_is(f.tree, "%2E%2E/x.npy"));
	assert_true(there_is(f.tree, "%3C%3E%3A%22%7C%3F%2A%5C.npy"));
	assert_false(there_is(f.tree, "a b.npy"));
	close_fixture(&f);
}

static void rows_of_images_count_as_batched(void **state)
{
	struct maker m = maker_at(*state);
	add_dense(&m, "image", "uint8", DIMS(6, 3, 7, 8));
	add_dense(&m, "hwc", "uint8", DIMS(6, 7, 8, 3));
	add_dense(&m, "mask", "bool", DIMS(6, 7, 8));
	add_dense(&m, "one", "uint8", DIMS(3, 7, 8));
	add_dense(&m, "plane", "uint8", DIMS(7, 8));
	add_dense(&m, "float", "float32", DIMS(6, 3, 7, 8));
	add_dense(&m, "clip", "uint8", DIMS(6, 5, 3, 7, 8));
	add_dense(&m, "other", "uint8", DIMS(6, 5, 7, 8));
	finish(&m, "[]");
	struct fixture_tree f = open_at(*state, "", NULL);
	assert_string_equal(listing(f.tree, ""),
			    "image/ hwc/ mask/ one.png plane.png float.npy clip/ other.npy meta.json");
	assert_string_equal(listing(f.tree, "image"), "0.png 1.png 2.png 3.png 4.png 5.png");
	assert_string_equal(listing(f.tree, "clip"), "0/ 1/ 2/ 3/ 4/ 5/");
	assert_string_equal(listing(f.tree, "clip/3"), "0.png 1.png 2.png 3.png 4.png");
	assert_true(there_is(f.tree, "clip/3.npy"));
	assert_true(there_is(f.tree, "clip/3/4.npy"));
	assert_false(there_is(f.tree, "clip/3.png"));
	assert_false(there_is(f.tree, "clip/3/5.png"));
	assert_true(there_is(f.tree, "one/2.png"));
	check_tree(f.tree);
	close_fixture(&f);
}

static void a_leaf_that_does_not_begin_with_the_batch_is_whole(void **state)
{
	struct maker m = maker_at(*state);
	add_dense(&m, "weights", "float32", DIMS(5, 6, 7));
	add_dense(&m, "batched", "float32", DIMS(4, 6, 7));
	finish(&m, "[4]");
	struct fixture_tree f = open_at(*state, "", NULL);
	assert_string_equal(listing(f.tree, ""), "weights.npy batched/ meta.json");
	close_fixture(&f);
}

static void two_batch_dimensions_are_numbered_as_one(void **state)
{
	struct maker m = maker_at(*state);
	add_dense(&m, "image", "uint8", DIMS(2, 3, 3, 7, 8));
	finish(&m, "[2,3]");
	struct fixture_tree f = open_at(*state, "", NULL);
	assert_string_equal(listing(f.tree, "image"), "0.png 1.png 2.png 3.png 4.png 5.png");
	close_fixture(&f);
	f = open_at(*state, "", &(struct jag_tree_options){ .batch = "1" });
	assert_string_equal(listing(f.tree, "image"), "0/ 1/");
	assert_string_equal(listing(f.tree, "image/1"), "0.png 1.png 2.png");
	close_fixture(&f);
	f = open_at(*state, "", &(struct jag_tree_options){ .batch = "image=0" });
	assert_string_equal(listing(f.tree, ""), "image.npy meta.json");
	close_fixture(&f);
}

static void elements_that_do_not_fit_are_listed_as_npy(void **state)
{
	static const int64_t rows[] = { 3, 4, 5, 3, 0, 5, 1, 4, 5, 3, 1, 1 };
	struct jag_tree_sequence_info info;
	struct maker m = maker_at(*state);
	add_nested(&m, "image", "uint8", 3, 4, rows);
	finish(&m, "[4]");
	struct fixture_tree f = open_at(*state, "", NULL);
	assert_string_equal(listing(f.tree, "image"), "0.png 1.npy 2.png 3.png");
	assert_int_equal(jag_tree_describe(f.tree, "image", &info), 0);
	assert_int_equal(info.count, 4);
	assert_int_equal(info.misfit_count, 1);
	assert_string_equal(info.listed->name, "png");
	assert_int_equal(jag_tree_describe(f.tree, "meta.json", &info), -ENOENT);
	check_tree(f.tree);
	close_fixture(&f);
}

static void gray_and_colour_have_their_own_suffix(void **state)
{
	static const int64_t rows[] = { 3, 4, 5, 1, 2, 5, 1, 4, 5 };
	struct maker m = maker_at(*state);
	add_nested(&m, "image", "uint8", 3, 3, rows);
	finish(&m, "[3]");
	struct fixture_tree f = open_at(*state, "", &(struct jag_tree_options){ .format = "pnm" });
	assert_string_equal(listing(f.tree, "image"), "0.ppm 1.pgm 2.pgm");
	assert_string_equal(listing(f.tree, "image@png"), "0.png 1.png 2.png");
	check_tree(f.tree);
	close_fixture(&f);
}

static void clips_of_several_lengths_are_directories(void **state)
{
	static const int64_t rows[] = { 11, 3, 4, 5, 1, 3, 2, 2, 0, 3, 4, 5, 2, 3, 0, 5 };
	struct maker m = maker_at(*state);
	add_nested(&m, "clip", "uint8", 4, 4, rows);
	finish(&m, "[4]");
	struct fixture_tree f = open_at(*state, "", &(struct jag_tree_options){ .views = "npy" });
	assert_string_equal(listing(f.tree, "clip"), "0/ 1/ 2.npy 3.npy");
	assert_string_equal(listing(f.tree, "clip/0"),
			    "00.png 01.png 02.png 03.png 04.png 05.png 06.png 07.png 08.png 09.png 10.png");
	assert_string_equal(listing(f.tree, "clip/1"), "0.png");
	assert_string_equal(listing(f.tree, "clip@npy/1"), "0.npy");
	assert_int_equal(check_tree(f.tree), 2 + 1 + 2 * (4 + 12));
	close_fixture(&f);
}

/* What broke: all elements were listed under a picture's name, which then was not found. */
static void clips_without_frames_are_listed_as_npy(void **state)
{
	struct maker m = maker_at(*state);
	add_dense(&m, "clip", "uint8", DIMS(2, 0, 3, 7, 8));
	finish(&m, "[2]");
	struct fixture_tree f = open_at(*state, "", NULL);
	assert_string_equal(listing(f.tree, "clip"), "0.npy 1.npy");
	check_tree(f.tree);
	close_fixture(&f);
}

static void lookalikes_are_told_from_free_names(void **state)
{
	static const struct {
		const char *name;
		enum jag_name_class class;
	} cases[] = {
		{ "03.png", JAG_NAME_EXISTS },       { "3.png", JAG_NAME_LOOKALIKE },
		{ "new.png", JAG_NAME_LOOKALIKE },   { "12.png", JAG_NAME_LOOKALIKE },
		{ "x.NPY", JAG_NAME_LOOKALIKE },     { "a.bin", JAG_NAME_LOOKALIKE },
		{ "a.dat", JAG_NAME_LOOKALIKE },     { "a.json", JAG_NAME_LOOKALIKE },
		{ ".03.png.Ab3dEf", JAG_NAME_FREE }, { "03.png~", JAG_NAME_FREE },
		{ "4913", JAG_NAME_FREE },           { "notes", JAG_NAME_FREE },
		{ ".03.png.swp", JAG_NAME_FREE },    { "new.jpeg", JAG_NAME_LOOKALIKE },
		{ "new.JPG", JAG_NAME_LOOKALIKE },
	};
	enum jag_name_class class;
	make_mixed(*state);
	struct fixture_tree f = open_at(*state, "", &(struct jag_tree_options){ .format = "image=raw.dat" });
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_int_equal(jag_tree_classify(f.tree, node_at(f.tree, "image"), cases[i].name, &class), 0);
		if (class != cases[i].class)
			fail_msg("%s: %d", cases[i].name, (int)class);
	}
	assert_int_equal(jag_tree_classify(f.tree, node_at(f.tree, "label.npy"), "x", &class), -ENOTDIR);
	close_fixture(&f);
}

static void faults_refuse_the_tree_unless_skipped(void **state)
{
	struct jag_tree *tree;
	struct jag_error err = { 0 };
	make_mixed(*state);
	cut_file(*state, "label.memmap", 3);
	struct jag_store *store = open_store(*state, 0);
	assert_true(jag_tree_open(store, "", NULL, &tree, &err) < 0);
	assert_non_null(strstr(err.path, "label"));
	assert_true(jag_tree_open(store, "label", NULL, &tree, &err) < 0);
	tree = open_tree(store, "obs", NULL);
	assert_string_equal(listing(tree, ""), "pixels/ meta.json");
	jag_tree_close(tree);
	tree = open_tree(store, "", &(struct jag_tree_options){ .skip_faults = true });
	assert_false(there_is(tree, "label.npy"));
	assert_true(there_is(tree, "image/00.png"));
	jag_tree_close(tree);
	jag_store_close(store);
}

static void raw_may_take_the_suffix_of_another_format(void **state)
{
	struct jag_place place;
	make_mixed(*state);
	struct fixture_tree f = open_at(*state, "", &(struct jag_tree_options){ .format = "image=raw.png" });
	static const struct {
		const char *path;
		enum jag_format format;
	} cases[] = { { "image/03.png", JAG_FORMAT_RAW },     { "image/03.bin", JAG_FORMAT_RAW },
		      { "image@png/03.png", JAG_FORMAT_PNG }, { "image@png/03.bin", JAG_FORMAT_RAW },
		      { "image@raw/03.png", JAG_FORMAT_RAW }, { "image/03.npy", JAG_FORMAT_NPY } };
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_int_equal(jag_tree_place(f.tree, node_at(f.tree, cases[i].path), &place), 0);
		assert_int_equal(place.codec->format, cases[i].format);
	}
	close_fixture(&f);
}

static void a_sub_path_becomes_the_root(void **state)
{
	struct jag_dirent whole, part;
	struct jag_error err = { 0 };
	struct jag_tree *tree;
	jag_node parent;
	make_mixed(*state);
	struct fixture_tree f = open_at(*state, "", NULL), g = open_at(*state, "/image/", NULL);
	assert_int_equal(jag_tree_entry(f.tree, node_at(f.tree, "image"), 3, &whole), 1);
	assert_int_equal(jag_tree_entry(g.tree, JAG_NODE_ROOT, 3, &part), 1);
	assert_string_equal(part.name, whole.name);
	assert_true(part.ino == whole.ino); /* stable, whatever is mounted */
	assert_int_equal(jag_tree_parent(g.tree, part.node, &parent), 0);
	assert_int_equal(parent, JAG_NODE_ROOT);
	assert_int_equal(check_tree(g.tree), 12);
	assert_int_equal(jag_tree_open(f.store, "nothing", NULL, &tree, &err), -ENOENT);
	assert_int_equal(jag_tree_open(f.store, "obs/nothing", NULL, &tree, &err), -ENOENT);
	assert_int_equal(jag_tree_open(f.store, "scale", NULL, &tree, &err), -ENOENT);
	close_fixture(&g);
	g = open_at(*state, "obs", &(struct jag_tree_options){ .format = "pixels=npy" });
	assert_string_equal(listing(g.tree, ""), "pixels/ meta.json");
	assert_true(strstr(listing(g.tree, "pixels"), "00.npy") != NULL);
	close_fixture(&g);
	close_fixture(&f);
}

static void bad_options_name_the_option(void **state)
{
	static const struct {
		struct jag_tree_options options;
		const char *word;
	} cases[] = {
		{ { .format = "gif" }, "format" },          { { .format = "label=png" }, "format" },
		{ { .format = "nothing=png" }, "nothing" }, { { .format = "" }, "format" },
		{ { .format = "image=" }, "format" },       { { .format = "raw." }, "format" },
		{ { .format = "raw.a/b" }, "format" },      { { .layout = "cwh" }, "layout" },
		{ { .batch = "many" }, "batch" },           { { .batch = "-1" }, "batch" },
		{ { .views = "npy:gif" }, "views" },        { { .channels = "rbg" }, "channels" },
		{ { .quality = 101 }, "quality" },          { { .png_level = 10 }, "png_level" },
	};
	make_mixed(*state);
	struct jag_store *store = open_store(*state, 0);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct jag_error err = { 0 };
		struct jag_tree *tree;
		assert_int_equal(jag_tree_open(store, "", &cases[i].options, &tree, &err), -EINVAL);
		if (!strstr(err.message, cases[i].word))
			fail_msg("case %zu: %s", i, err.message);
	}
	jag_store_close(store);
}

static void neighbours_stay_in_directory_and_format(void **state)
{
	jag_node next;
	make_mixed(*state);
	struct fixture_tree f = open_at(*state, "", NULL);
	assert_int_equal(jag_tree_neighbour(f.tree, node_at(f.tree, "image/03.npy"), 1, &next), 0);
	assert_int_equal(next, node_at(f.tree, "image/04.npy"));
	assert_int_equal(jag_tree_neighbour(f.tree, node_at(f.tree, "image@raw/03.png"), -1, &next), 0);
	assert_int_equal(next, node_at(f.tree, "image@raw/02.png"));
	assert_int_equal(jag_tree_neighbour(f.tree, node_at(f.tree, "image/11.png"), 1, &next), -ENOENT);
	assert_int_equal(jag_tree_neighbour(f.tree, node_at(f.tree, "image/00.png"), -1, &next), -ENOENT);
	assert_int_equal(jag_tree_neighbour(f.tree, node_at(f.tree, "label.npy"), 1, &next), -ENOENT);
	close_fixture(&f);
}

static void view_paths_lead_where_a_format_is_listed(void **state)
{
	char path[256];
	make_mixed(*state);
	struct fixture_tree f = open_at(*state, "", NULL);
	assert_string_equal(jag_tree_view_path(f.tree, node_at(f.tree, "image/03.npy"), path, sizeof(path)),
			    "image@npy/03.npy");
	assert_string_equal(jag_tree_view_path(f.tree, node_at(f.tree, "image/03.png"), path, sizeof(path)),
			    "image/03.png");
	close_fixture(&f);
}

static void forged_nodes_are_stale(void **state)
{
	static const jag_node forged[] = { 0,
					   2,
					   UINT64_C(1) << 63,
					   UINT64_MAX >> 1,
					   UINT64_C(1) << 44,
					   (UINT64_C(1) << 44) | (UINT64_C(5) << 36) | 12,
					   (UINT64_C(1) << 44) | (UINT64_C(15) << 36),
					   (UINT64_C(1) << 44) | (UINT64_C(15) << 40) | 1 };
	struct jag_place place;
	jag_node node;
	struct jag_dirent entry;
	make_mixed(*state);
	struct fixture_tree f = open_at(*state, "", NULL);
	for (size_t i = 0; i < COUNT_OF(forged); i++) {
		assert_int_equal(jag_tree_place(f.tree, forged[i], &place), -ESTALE);
		assert_int_equal(jag_tree_parent(f.tree, forged[i], &node), -ESTALE);
		assert_int_equal(jag_tree_lookup(f.tree, forged[i], "x", &node), -ESTALE);
		assert_int_equal(jag_tree_entry(f.tree, forged[i], 0, &entry), -ESTALE);
	}
	close_fixture(&f);
}

static void texts_and_shapes_are_read_only(void **state)
{
	static const char *const paths[] = { "meta.json", "title.json", "tags/0.txt", "image.shape.npy" };
	struct jag_place place;
	make_mixed(*state);
	struct fixture_tree f = open_at(*state, "", NULL);
	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		assert_int_equal(jag_tree_place(f.tree, node_at(f.tree, paths[i]), &place), 0);
		assert_true(place.read_only);
		assert_int_equal(place.attr.mode & 0222, 0);
	}
	assert_int_equal(jag_tree_place(f.tree, node_at(f.tree, "image/00.png"), &place), 0);
	assert_false(place.read_only);
	assert_int_equal(place.attr.mode, 0644);
	assert_int_equal(jag_tree_place(f.tree, node_at(f.tree, "image"), &place), 0);
	assert_int_equal(place.attr.mode, 0755);
	close_fixture(&f);
}

#define WITH_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, temp_setup, temp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIRECTORY(each_datum_is_listed_once),
		WITH_DIRECTORY(other_forms_resolve_by_name),
		WITH_DIRECTORY(names_nodes_and_entries_agree),
		cmocka_unit_test(every_fixture_is_a_whole_tree),
		cmocka_unit_test(keys_that_are_no_file_names_are_encoded),
		WITH_DIRECTORY(rows_of_images_count_as_batched),
		WITH_DIRECTORY(a_leaf_that_does_not_begin_with_the_batch_is_whole),
		WITH_DIRECTORY(two_batch_dimensions_are_numbered_as_one),
		WITH_DIRECTORY(elements_that_do_not_fit_are_listed_as_npy),
		WITH_DIRECTORY(gray_and_colour_have_their_own_suffix),
		WITH_DIRECTORY(clips_of_several_lengths_are_directories),
		WITH_DIRECTORY(clips_without_frames_are_listed_as_npy),
		WITH_DIRECTORY(lookalikes_are_told_from_free_names),
		WITH_DIRECTORY(faults_refuse_the_tree_unless_skipped),
		WITH_DIRECTORY(raw_may_take_the_suffix_of_another_format),
		WITH_DIRECTORY(a_sub_path_becomes_the_root),
		WITH_DIRECTORY(bad_options_name_the_option),
		WITH_DIRECTORY(neighbours_stay_in_directory_and_format),
		WITH_DIRECTORY(view_paths_lead_where_a_format_is_listed),
		WITH_DIRECTORY(forged_nodes_are_stale),
		WITH_DIRECTORY(texts_and_shapes_are_read_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
