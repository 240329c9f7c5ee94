/* SPDX-License-Identifier: MIT */
/* test_rates.c - the option `rate`: numbers and leaves, for all elements and for each, and which leaves then have .wav
 * files. */
#include "treestore.h"

#include "codec/bytes.h"

#define DIMS(...)                                                 \
	COUNT_OF(((int64_t[]){ __VA_ARGS__ })), (const int64_t[]) \
	{                                                         \
		__VA_ARGS__                                       \
	}
#define CLIPS 4

/* sound: int16 [C,T] of several lengths; beep: float32 [T]. hz: a rate each; mono_hz, one_hz: one for all. */
static void make_store(const char *dir)
{
	static const int64_t sound[CLIPS * 2] = { 2, 7, 2, 5, 1, 6, 2, 0 }, beep[CLIPS] = { 3, 4, 5, 6 };
	static const int64_t hz[CLIPS] = { 16000, 8000, 16000, 44100 };
	struct maker m = maker_at(dir);
	add_nested(&m, "sound", "int16", 2, CLIPS, sound);
	add_nested(&m, "beep", "float32", 1, CLIPS, beep);
	add_dense(&m, "tone", "int32", DIMS(CLIPS, 9));
	add_dense(&m, "hz", "int64", DIMS(CLIPS));
	put_i64(dir, "hz.memmap", hz, CLIPS);
	add_dense(&m, "one_hz", "int32", 0, NULL);
	put_bytes(dir, "one_hz.memmap", "\x22\x56\0\0", 4);
	add_dense(&m, "same_hz", "uint8", DIMS(CLIPS));
	put_bytes(dir, "same_hz.memmap", "\x64\x64\x64\x64", 4);
	add_dense(&m, "three_hz", "int64", DIMS(3));
	put_i64(dir, "three_hz.memmap", hz, 3);
	add_dense(&m, "zero_hz", "int64", DIMS(CLIPS));
	put_i64(dir, "zero_hz.memmap", (const int64_t[]){ 1, 1, 0, 1 }, CLIPS);
	add_dense(&m, "minus_hz", "int64", 0, NULL);
	put_i64(dir, "minus_hz.memmap", &(int64_t){ -1 }, 1);
	add_dense(&m, "large_hz", "int64", 0, NULL);
	put_i64(dir, "large_hz.memmap", &(int64_t){ INT64_C(1) << 32 }, 1);
	add_dense(&m, "float_hz", "float32", 0, NULL);
	add_dense(&m, "pairs", "int64", DIMS(CLIPS, 2));
	put_i64(dir, "pairs.memmap", (const int64_t[]){ 1, 1, 1, 1, 1, 1, 1, 1 }, 8);
	add_nested(&m, "empty", "int64", 1, 0, NULL);
	add_value(&m, "text", false, "16000");
	finish(&m, "[4]");
}

struct opened {
	struct jag_store *store;
	struct jag_tree *tree;
	struct jag_content *content;
};

static struct opened open_with(const char *path, const char *subpath, const char *rate, const char *format)
{
	const struct jag_tree_options options = { .rate = rate, .format = format };
	struct opened o = { .store = open_store(path, 0) };
	o.tree = open_tree(o.store, subpath, &options);
	assert_int_equal(jag_content_create(o.tree, NULL, &o.content), 0);
	return o;
}

static void close_all(struct opened *o)
{
	jag_content_destroy(o->content);
	jag_tree_close(o->tree);
	jag_store_close(o->store);
}

static uint32_t rate_of(const struct opened *o, const char *path)
{
	struct jag_buffer file = { 0 };
	read_file_at(o->content, path, &file);
	assert_memory_equal(file.data + 8, "WAVEfmt ", 8);
	uint32_t rate = jag_le32(file.data + 24);
	jag_buffer_free(&file);
	return rate;
}

static void assert_rates(const struct opened *o, const char *key, const uint32_t *rates)
{
	char path[64];
	for (unsigned i = 0; i < CLIPS; i++) {
		snprintf(path, sizeof(path), "%s/%u.wav", key, i);
		assert_int_equal(rate_of(o, path), rates[i]);
	}
}

static const uint32_t each[CLIPS] = { 16000, 8000, 16000, 44100 };

static void without_a_rate_there_is_no_wav(void **state)
{
	make_store(*state);
	struct opened o = open_with(*state, "", NULL, NULL);
	assert_false(there_is(o.tree, "sound/0.wav"));
	assert_string_equal(listing(o.tree, "sound"), "0.npy 1.npy 2.npy 3.npy");
	close_all(&o);
}

static void one_number_is_for_all(void **state)
{
	make_store(*state);
	struct opened o = open_with(*state, "", "48000:beep=22050", NULL);
	assert_rates(&o, "sound", (const uint32_t[]){ 48000, 48000, 48000, 48000 });
	assert_rates(&o, "beep", (const uint32_t[]){ 22050, 22050, 22050, 22050 });
	assert_rates(&o, "sound@wav", (const uint32_t[]){ 48000, 48000, 48000, 48000 });
	assert_int_equal(rate_of(&o, "tone.wav"), 48000);
	assert_string_equal(listing(o.tree, "sound"), "0.npy 1.npy 2.npy 3.npy");
	assert_string_equal(listing(o.tree, "sound@wav"), "0.wav 1.wav 2.wav 3.wav");
	check_tree(o.tree);
	close_all(&o);
}

static void one_leaf_only(void **state)
{
	make_store(*state);
	struct opened o = open_with(*state, "", "sound=4294967295", "sound=wav");
	assert_string_equal(listing(o.tree, "sound"), "0.wav 1.wav 2.wav 3.wav");
	assert_int_equal(rate_of(&o, "sound/1.wav"), UINT32_MAX);
	assert_false(there_is(o.tree, "beep/0.wav"));
	check_tree(o.tree);
	close_all(&o);
}

static void a_leaf_has_a_rate_for_each(void **state)
{
	make_store(*state);
	struct opened o = open_with(*state, "", "hz", "wav");
	assert_rates(&o, "sound", each);
	assert_rates(&o, "beep", each);
	assert_rates(&o, "tone", each);
	assert_rates(&o, "sound@wav", each);
	/* a file of all has one header, and there is no one rate */
	assert_false(there_is(o.tree, "tone.wav"));
	assert_true(there_is(o.tree, "tone.npy"));
	check_tree(o.tree);
	close_all(&o);
}

/* Where some leaf takes them, others of another number of elements just have no .wav files. */
static void rates_of_another_number_are_not_for_a_leaf(void **state)
{
	make_store(*state);
	struct maker m = maker_at(*state);
	add_nested(&m, "sound", "int16", 2, 2, (const int64_t[]){ 2, 7, 2, 5 });
	add_nested(&m, "beep", "float32", 1, 3, (const int64_t[]){ 3, 4, 5 });
	add_dense(&m, "three_hz", "int64", DIMS(3));
	put_i64(*state, "three_hz.memmap", (const int64_t[]){ 7, 8, 9 }, 3);
	finish(&m, "[]");
	struct opened o = open_with(*state, "", "three_hz", "wav");
	assert_string_equal(listing(o.tree, "sound"), "0.npy 1.npy");
	assert_false(there_is(o.tree, "sound/0.wav"));
	assert_string_equal(listing(o.tree, "beep"), "0.wav 1.wav 2.wav");
	assert_int_equal(rate_of(&o, "beep/2.wav"), 9);
	check_tree(o.tree);
	close_all(&o);
}

static void a_leaf_has_one_rate_for_all(void **state)
{
	make_store(*state);
	struct opened o = open_with(*state, "", "one_hz:beep=same_hz:tone=same_hz", NULL);
	assert_rates(&o, "sound", (const uint32_t[]){ 22050, 22050, 22050, 22050 });
	assert_rates(&o, "beep", (const uint32_t[]){ 100, 100, 100, 100 });
	assert_int_equal(rate_of(&o, "tone.wav"), 100);
	close_all(&o);
}

/* The leaf is looked for in what is mounted, then in the store; also where the mount's root is the sounds alone. */
static void a_path_may_be_that_of_the_store(void **state)
{
	make_store(*state);
	char *inner = strdup(path_in(*state, "train"));
	struct maker root = maker_at(*state), m = maker_at(inner);
	add_nested(&m, "sound", "int16", 1, 2, (const int64_t[]){ 3, 4 });
	add_dense(&m, "hz", "int64", DIMS(2));
	put_i64(inner, "hz.memmap", (const int64_t[]){ 11, 12 }, 2);
	finish(&m, "[2]");
	add_child(&root, "train");
	add_dense(&root, "hz", "int64", DIMS(2));
	put_i64(*state, "hz.memmap", (const int64_t[]){ 21, 22 }, 2);
	add_dense(&root, "other", "int64", 0, NULL);
	put_i64(*state, "other.memmap", &(int64_t){ 23 }, 1);
	finish(&root, "[]");
	struct opened o = open_with(*state, "", "train/sound=train/hz", NULL);
	assert_int_equal(rate_of(&o, "train/sound/1.wav"), 12);
	close_all(&o);
	o = open_with(*state, "train", "hz", NULL);
	assert_int_equal(rate_of(&o, "sound/1.wav"), 12);
	close_all(&o);
	o = open_with(*state, "train", "other", NULL);
	assert_int_equal(rate_of(&o, "sound/1.wav"), 23);
	close_all(&o);
	o = open_with(*state, "train/sound", "hz", "wav");
	assert_string_equal(listing(o.tree, ""), "0.wav 1.wav");
	assert_int_equal(rate_of(&o, "0.wav"), 21);
	close_all(&o);
	free(inner);
}

/* The chunks of a packed store are one sequence; so are their rates. */
static void rates_of_chunks_are_joined(void **state)
{
	struct maker root = maker_at(*state);
	for (int c = 0; c < 2; c++) {
		char *path = strdup(path_in(*state, c ? "1" : "0"));
		struct maker m = maker_at(path);
		add_nested(&m, "sound", "int16", 1, 2, (const int64_t[]){ 3, 4 });
		add_dense(&m, "hz", "int64", DIMS(2));
		put_i64(path, "hz.memmap", (const int64_t[]){ 10 * c + 1, 10 * c + 2 }, 2);
		finish(&m, "[2]");
		add_child(&root, c ? "1" : "0");
		free(path);
	}
	add_value(&root, "jagfs", false, "{\"jagfs\":\"0.1.0\",\"chunks\":2}");
	finish(&root, "[]");
	struct opened o = open_with(*state, "", "hz", "wav");
	assert_rates(&o, "sound", (const uint32_t[]){ 1, 2, 11, 12 });
	assert_false(there_is(o.tree, "0/sound/0.wav")); /* half of them */
	check_tree(o.tree);
	close_all(&o);
}

/* Each child of a lazy stack has a sound and its rate. */
static void rates_of_a_lazy_stack(void **state)
{
	put_text(*state, "meta.json",
		 "{\"_type\":\"<class 'tensordict._lazy.LazyStackedTensorDict'>\",\"stack_dim\":0}");
	for (int c = 0; c < 2; c++) {
		char *path = strdup(path_in(*state, c ? "1" : "0"));
		struct maker m = maker_at(path);
		add_dense(&m, "sound", "int16", 1, &(int64_t){ 3 + c });
		add_dense(&m, "hz", "int64", 0, NULL);
		put_i64(path, "hz.memmap", &(int64_t){ 100 + c }, 1);
		finish(&m, "[]");
		free(path);
	}
	struct opened o = open_with(*state, "", "hz", "wav");
	assert_string_equal(listing(o.tree, "sound"), "0.wav 1.wav");
	assert_int_equal(rate_of(&o, "sound/0.wav"), 100);
	assert_int_equal(rate_of(&o, "sound/1.wav"), 101);
	close_all(&o);
}

/* RIFF has 32 bits for sizes. */
static void what_is_too_large_is_listed_as_npy(void **state)
{
	static const int64_t lengths[3] = { 5, INT64_C(0xfffffffe) - 36, INT64_C(0xffffffff) - 36 };
	put_i64(*state, "sound.shape.memmap", lengths, 3);
	put_hole(*state, "sound.memmap", (uint64_t)(lengths[0] + lengths[1] + lengths[2]));
	put_meta(*state, "\"sound\":{\"device\":\"cpu\",\"shape\":[3,1],\"dtype\":\"torch.uint8\",\"is_nested\":true}",
		 "[3]");
	struct opened o = open_with(*state, "", "8000", "wav");
	struct jag_tree_sequence_info info;
	struct jag_place place;
	assert_string_equal(listing(o.tree, "sound"), "0.wav 1.wav 2.npy");
	assert_int_equal(jag_tree_describe(o.tree, "sound", &info), 0);
	assert_int_equal(info.misfit_count, 1);
	assert_int_equal(jag_tree_place(o.tree, node_at(o.tree, "sound/1.wav"), &place), 0);
	assert_int_equal(place.size, INT64_C(0xfffffffe) + 8);
	check_tree(o.tree);
	close_all(&o);
}

static void assert_refused(const char *dir, const char *rate, const char *format, const char *message)
{
	struct jag_store *store = open_store(dir, 0);
	const struct jag_tree_options options = { .rate = rate, .format = format };
	struct jag_tree *tree = NULL;
	struct jag_error err = { 0 };
	assert_int_equal(jag_tree_open(store, "", &options, &tree, &err), -EINVAL);
	assert_string_equal(err.message, message);
	jag_store_close(store);
}

static void bad_rates_are_refused_by_name(void **state)
{
	static const char *const rows[][2] = {
		{ "0", "option rate: 0 is not from 1 to 4294967295" },
		{ "4294967296", "option rate: 4294967296 is not from 1 to 4294967295" },
		{ "99999999999999999999999", "option rate: 99999999999999999999999 is not from 1 to 4294967295" },
		{ "-8000", "option rate: -8000 is not a whole number of Hz" },
		{ "44.1", "option rate: 44.1 is not a whole number of Hz" },
		{ "sound=0", "option rate: 0 is not from 1 to 4294967295" },
		{ "", "option rate: \"\" is neither VALUE nor PATH=VALUE" },
		{ "nowhere=8000", "option rate: no leaf is called \"nowhere\" here" },
		{ "nowhere", "option rate: nowhere is neither a number of Hz nor a leaf of the store" },
		{ "hz/0", "option rate: hz/0 is neither a number of Hz nor a leaf of the store" },
		{ "8000:beep=nowhere", "option rate: nowhere is neither a number of Hz nor a leaf of the store" },
		{ "zero_hz", "option rate: value 2 of zero_hz is not from 1 to 4294967295" },
		{ "minus_hz", "option rate: value 0 of minus_hz is not from 1 to 4294967295" },
		{ "large_hz", "option rate: value 0 of large_hz is not from 1 to 4294967295" },
		{ "float_hz", "option rate: float_hz does not hold integers" },
		{ "sound", "option rate: sound does not have one value for each element" },
		{ "empty", "option rate: empty is empty" },
		{ "text", "option rate: text is no tensor that can be read" },
		{ "sound=three_hz", "option rate: three_hz has 3 values, sound has 4 elements" },
		{ "three_hz", "option rate: three_hz has 3 values, and no leaf of sounds has so many elements" },
		{ "sound=pairs", "option rate: pairs has 8 values, sound has 4 elements" },
	};
	make_store(*state);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_refused(*state, rows[i][0], NULL, rows[i][1]);
	assert_refused(*state, NULL, "wav", "option format: wav needs the samples a second, as in rate=16000");
	assert_refused(*state, NULL, "sound=wav", "option format: wav needs the samples a second, as in rate=16000");
}

static void many_different_rates_are_refused(void **state)
{
	int64_t hz[257], lengths[257];
	for (unsigned n = 256; n <= 257; n++) {
		struct maker m = maker_at(*state);
		for (unsigned i = 0; i < n; i++) {
			hz[i] = 1000 + i;
			lengths[i] = 1;
		}
		add_nested(&m, "sound", "uint8", 1, n, lengths);
		add_dense(&m, "hz", "int64", 1, &(int64_t){ n });
		put_i64(*state, "hz.memmap", hz, n);
		finish(&m, "[]");
		if (n == 257) {
			assert_refused(*state, "hz", NULL, "option rate: hz has more than 256 different values");
			continue;
		}
		struct opened o = open_with(*state, "", "hz", NULL);
		assert_int_equal(rate_of(&o, "sound/255.wav"), 1255);
		close_all(&o);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_setup, temp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rates_of_another_number_are_not_for_a_leaf),
		TEST(without_a_rate_there_is_no_wav),
		TEST(one_number_is_for_all),
		TEST(one_leaf_only),
		TEST(a_leaf_has_a_rate_for_each),
		TEST(a_leaf_has_one_rate_for_all),
		TEST(a_path_may_be_that_of_the_store),
		TEST(rates_of_chunks_are_joined),
		TEST(rates_of_a_lazy_stack),
		TEST(what_is_too_large_is_listed_as_npy),
		TEST(bad_rates_are_refused_by_name),
		TEST(many_different_rates_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
