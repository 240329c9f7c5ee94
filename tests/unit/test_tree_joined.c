/* SPDX-License-Identifier: MIT */
/* test_tree_joined.c - keys that are joined over chunks and children, names that two want, and values that are lists. */
#include "treestore.h"

#define DIMS(...)                                                 \
	COUNT_OF(((int64_t[]){ __VA_ARGS__ })), (const int64_t[]) \
	{                                                         \
		__VA_ARGS__                                       \
	}
#define IMAGES 23

static const char recorded[] = "{\"jagfs\":\"0.1.0\",\"layout\":\"chw\",\"keys\":[\"image\",\"path\",\"label\"]%s}";

struct opened {
	struct jag_store *store;
	struct jag_tree *tree;
	struct jag_content *content;
};

static struct opened open_all(const char *path)
{
	struct opened o = { .store = open_store(path, 0) };
	o.tree = open_tree(o.store, "", NULL);
	assert_int_equal(jag_content_create(o.tree, NULL, &o.content), 0);
	return o;
}

static void close_all(struct opened *o)
{
	jag_content_destroy(o->content);
	jag_tree_close(o->tree);
	jag_store_close(o->store);
}

/* Keys `image`, `path` and `label` of images [first, first + count), the bytes of an image following from its index. */
static void put_part(struct maker *m, size_t first, size_t count)
{
	int64_t rows[IMAGES * 3], lengths[IMAGES], labels[IMAGES];
	uint8_t bytes[IMAGES * 108];
	size_t used = 0;
	image_rows(rows, IMAGES, 3);
	for (size_t i = 0; i < count; i++) {
		const int64_t *row = rows + (first + i) * 3;
		labels[i] = (int64_t)(first + i) * 1000;
		lengths[i] = 4;
		for (int64_t n = 0; n < row[0] * row[1] * row[2]; n++)
			bytes[used++] = (uint8_t)(n * 7 + (int64_t)(first + i) * 31);
	}
	add_nested(m, "image", "uint8", 3, count, rows + first * 3);
	put_bytes(m->dir, "image.memmap", bytes, used);
	add_nested(m, "path", "uint8", 1, count, lengths);
	add_dense(m, "label", "int64", 1, &(int64_t){ (int64_t)count });
	put_i64(m->dir, "label.memmap", labels, count);
}

static void make_packed(const char *dir, unsigned chunks)
{
	char value[256], extra[32] = "", batch[32];
	struct maker root = maker_at(dir);
	if (chunks) {
		size_t first = 0;
		snprintf(extra, sizeof(extra), ",\"chunks\":%u", chunks);
		for (unsigned c = 0; c < chunks; c++) {
			size_t count = (IMAGES - first) / (chunks - c);
			char name[16];
			snprintf(name, sizeof(name), "%u", c);
			char *path = strdup(path_in(dir, name));
			struct maker m = maker_at(path);
			put_part(&m, first, count);
			snprintf(batch, sizeof(batch), "[%zu]", count);
			finish(&m, batch);
			free(path);
			add_child(&root, name);
			first += count;
		}
	} else {
		put_part(&root, 0, IMAGES);
	}
	snprintf(value, sizeof(value), recorded, extra);
	add_value(&root, "classes", false, "[\"a\",\"b\"]");
	add_value(&root, "jagfs", false, value);
	snprintf(batch, sizeof(batch), chunks ? "[]" : "[%d]", IMAGES);
	finish(&root, batch);
}

static void what_pack_keeps_for_itself_is_hidden(void **state)
{
	make_packed(*state, 0);
	struct opened o = open_all(*state);
	assert_string_equal(listing(o.tree, ""), "image/ label.npy classes.json meta.json");
	assert_true(there_is(o.tree, "path/00.bin"));
	assert_true(there_is(o.tree, "jagfs.json"));
	check_tree(o.tree);
	close_all(&o);
}

static void chunks_are_one_sequence(void **state)
{
	make_packed(*state, 7);
	struct opened o = open_all(*state);
	assert_string_equal(listing(o.tree, ""), "image/ label.npy classes.json meta.json");
	assert_true(there_is(o.tree, "image/22.png"));
	assert_false(there_is(o.tree, "image/23.png"));
	assert_true(there_is(o.tree, "6/image/0.png"));
	assert_string_equal(listing(o.tree, "6"), "image/ label.npy meta.json");
	check_tree(o.tree);
	close_all(&o);
}

static void same_file(struct opened *a, struct opened *b, const char *path)
{
	struct jag_buffer x = { 0 }, y = { 0 };
	read_file_at(a->content, path, &x);
	read_file_at(b->content, path, &y);
	assert_int_equal(x.nbytes, y.nbytes);
	assert_memory_equal(x.data, y.data, x.nbytes);
	jag_buffer_free(&x);
	jag_buffer_free(&y);
}

static void chunks_show_what_one_store_shows(void **state)
{
	char path[64];
	char *one = strdup(path_in(*state, "one")), *seven = strdup(path_in(*state, "seven"));
	make_packed(one, 0);
	make_packed(seven, 7);
	struct opened a = open_all(one), b = open_all(seven);
	for (unsigned i = 0; i < IMAGES; i++) {
		static const char *const suffixes[] = { "png", "npy", "bin" };
		for (size_t s = 0; s < COUNT_OF(suffixes); s++) {
			snprintf(path, sizeof(path), "image/%02u.%s", i, suffixes[s]);
			same_file(&a, &b, path);
		}
	}
	same_file(&a, &b, "label.npy");
	same_file(&a, &b, "label/22.npy");
	same_file(&a, &b, "image.shape.npy");
	same_file(&a, &b, "classes.json");
	close_all(&a);
	close_all(&b);
	free(one);
	free(seven);
}

static void one_element_has_one_lock_whatever_its_path(void **state)
{
	struct jag_place joined, chunk, other, whole;
	make_packed(*state, 7);
	struct opened o = open_all(*state);
	assert_int_equal(jag_tree_place(o.tree, node_at(o.tree, "image/22.png"), &joined), 0);
	assert_int_equal(jag_tree_place(o.tree, node_at(o.tree, "6/image@npy/3.bin"), &chunk), 0);
	assert_int_equal(jag_tree_place(o.tree, node_at(o.tree, "image/21.png"), &other), 0);
	assert_int_equal(jag_tree_place(o.tree, node_at(o.tree, "label.npy"), &whole), 0);
	assert_true(joined.lock_key == chunk.lock_key);
	assert_true(joined.lock_key != other.lock_key);
	assert_true(whole.lock_key == 0 && other.lock_key != 0);
	close_all(&o);
}

static void chunks_that_are_not_all_there_are_not_joined(void **state)
{
	struct maker root = maker_at(*state), m = maker_at(path_in(*state, "0"));
	put_part(&m, 0, 5);
	finish(&m, "[5]");
	add_child(&root, "0");
	add_value(&root, "jagfs", false, "{\"jagfs\":\"0.1.0\",\"chunks\":2}");
	finish(&root, "[]");
	struct opened o = open_all(*state);
	assert_string_equal(listing(o.tree, ""), "0/ meta.json");
	close_all(&o);
}

static void a_lazy_stack_without_batch_joins_its_children(void **state)
{
	char *paths[3];
	for (unsigned i = 0; i < 3; i++) {
		char name[8];
		snprintf(name, sizeof(name), "%u", i);
		paths[i] = strdup(path_in(*state, name));
		struct maker m = maker_at(paths[i]), sub = maker_at(path_in(paths[i], "sub"));
		add_dense(&m, "image", "uint8", DIMS(3, 4 + i, 5));
		if (i != 1)
			add_dense(&m, "some", "float32", DIMS(2));
		add_value(&m, "name", false, i == 2 ? "[1, 2]" : "\"n\"");
		add_child(&m, "sub");
		finish(&m, "[]");
		add_dense(&sub, "depth", "uint16", DIMS(6, 7));
		finish(&sub, "[]");
	}
	put_text(*state, "meta.json",
		 "{\"_type\":\"<class 'tensordict._lazy.LazyStackedTensorDict'>\",\"stack_dim\":0}");
	struct opened o = open_all(*state);
	assert_string_equal(listing(o.tree, ""), "image/ some/ name.json sub/ meta.json");
	assert_string_equal(listing(o.tree, "image"), "0.png 1.png 2.png");
	assert_string_equal(listing(o.tree, "some"), "0.npy 1.npy");
	assert_string_equal(listing(o.tree, "name"), "0.txt 1.txt 2.json");
	assert_string_equal(listing(o.tree, "sub/depth"), "0.png 1.png 2.png");
	assert_string_equal(listing(o.tree, "1"), "image.png name.json sub/ meta.json");
	check_tree(o.tree);
	close_all(&o);
	for (unsigned i = 0; i < 3; i++)
		free(paths[i]);
}

static void keys_of_several_kinds_stay_in_the_children(void **state)
{
	char *paths[2];
	for (unsigned i = 0; i < 2; i++) {
		paths[i] = strdup(path_in(*state, i ? "1" : "0"));
		struct maker m = maker_at(paths[i]);
		if (i)
			add_value(&m, "odd", false, "5");
		else
			add_dense(&m, "odd", "float32", DIMS(2));
		add_dense(&m, "same", "float32", DIMS(2));
		finish(&m, "[]");
	}
	put_text(*state, "meta.json",
		 "{\"_type\":\"<class 'tensordict._lazy.LazyStackedTensorDict'>\",\"stack_dim\":0}");
	struct opened o = open_all(*state);
	assert_string_equal(listing(o.tree, ""), "same/ meta.json");
	assert_true(there_is(o.tree, "0/odd.npy"));
	assert_true(there_is(o.tree, "1/odd.json"));
	assert_int_equal(jag_tree_note_count(o.tree), 1);
	close_all(&o);
	free(paths[0]);
	free(paths[1]);
}

static void keys_of_several_dtypes_stay_in_the_children(void **state)
{
	char *paths[2];
	for (unsigned i = 0; i < 2; i++) {
		paths[i] = strdup(path_in(*state, i ? "1" : "0"));
		struct maker m = maker_at(paths[i]);
		add_dense(&m, "odd", i ? "float32" : "float64", DIMS(2));
		add_dense(&m, "same", "float32", DIMS(2 + i));
		finish(&m, "[]");
	}
	put_text(*state, "meta.json",
		 "{\"_type\":\"<class 'tensordict._lazy.LazyStackedTensorDict'>\",\"stack_dim\":0}");
	struct opened o = open_all(*state);
	assert_string_equal(listing(o.tree, ""), "same/ meta.json");
	assert_true(there_is(o.tree, "1/odd.npy"));
	assert_int_equal(jag_tree_note_count(o.tree), 1);
	check_tree(o.tree);
	close_all(&o);
	free(paths[0]);
	free(paths[1]);
}

/* Keys come first, then generated names, then views; the loser is numbered. */
static void names_that_two_want(void **state)
{
	struct maker m = maker_at(*state);
	add_dense(&m, "a", "float32", DIMS(3));
	add_dense(&m, "a.npy", "float32", DIMS(3));
	add_dense(&m, "mask", "uint8", DIMS(3, 6, 7));
	add_dense(&m, "mask@npy", "uint8", DIMS(3, 6, 7));
	add_dense(&m, "x~2", "float32", 0, NULL);
	add_dense(&m, "x", "float32", 0, NULL);
	finish(&m, "[3]");
	struct jag_store *store = open_store(*state, 0);
	struct jag_tree *tree = open_tree(store, "", &(struct jag_tree_options){ .views = "npy" });
	assert_string_equal(listing(tree, ""),
			    "a~2.npy a.npy.npy mask/ mask@npy~2/ mask@npy/ mask@npy@npy/ x~2.txt x.txt "
			    "meta.json");
	assert_string_equal(listing(tree, "a.npy"), "0.txt 1.txt 2.txt"); /* the key's own elements */
	assert_string_equal(listing(tree, "mask@npy"), "0.png 1.png 2.png");
	assert_string_equal(listing(tree, "mask@npy~2"), "0.npy 1.npy 2.npy");
	assert_true(jag_tree_note_count(tree) >= 1);
	check_tree(tree);
	jag_tree_close(tree);
	tree = open_tree(store, "", NULL); /* the same names when views are not listed */
	assert_true(there_is(tree, "mask@npy~2/0.npy"));
	jag_tree_close(tree);
	jag_store_close(store);
}

static void inode_numbers_follow_key_format_and_index(void **state)
{
	struct jag_place a, b, c, view;
	char *first = strdup(path_in(*state, "first")), *second = strdup(path_in(*state, "second"));
	make_packed(first, 0);
	struct maker m = maker_at(second); /* other keys around it, another order */
	add_dense(&m, "zzz", "float32", DIMS(2));
	put_part(&m, 0, 9);
	finish(&m, "[9]");
	struct opened o = open_all(first), p = open_all(second);
	assert_int_equal(jag_tree_place(o.tree, node_at(o.tree, "image/05.png"), &a), 0);
	assert_int_equal(jag_tree_place(p.tree, node_at(p.tree, "image/5.png"), &b), 0);
	assert_int_equal(jag_tree_place(o.tree, node_at(o.tree, "image/05.npy"), &c), 0);
	assert_int_equal(jag_tree_place(o.tree, node_at(o.tree, "image@png/05.png"), &view), 0);
	assert_true(a.ino == b.ino);
	assert_true(a.ino != c.ino);
	assert_true(a.ino == view.ino);
	assert_true(a.element_node == c.element_node && a.element_node == view.element_node);
	close_all(&o);
	close_all(&p);
	free(first);
	free(second);
}

static void a_store_that_is_a_list_shows_its_items(void **state)
{
	(void)state;
	char *path = strdup(path_in(fixture("nontensor"), "s"));
	struct opened o = open_all(path);
	assert_string_equal(listing(o.tree, ""), "0.txt 1.txt 2.txt");
	close_all(&o);
	free(path);
}

static void list_items_keep_their_text(void **state)
{
	struct jag_buffer text = { 0 };
	struct maker m = maker_at(*state);
	add_value(&m, "v", false,
		  "[123456789012345678901234567890, 1.50, \"a,\\\"]b\", [], [1, [2]], {\"k\": \",\"}, null]");
	add_value(&m, "none", false, "[]");
	finish(&m, "[]");
	struct opened o = open_all(*state);
	assert_string_equal(listing(o.tree, "v"), "0.json 1.json 2.txt 3.json 4.json 5.json 6.json");
	read_file_at(o.content, "v/0.json", &text);
	assert_int_equal(text.nbytes, 30);
	assert_memory_equal(text.data, "123456789012345678901234567890", 30);
	read_file_at(o.content, "v/2.txt", &text);
	assert_int_equal(text.nbytes, 5);
	assert_memory_equal(text.data, "a,\"]b", 5);
	assert_string_equal(listing(o.tree, "none"), "");
	jag_buffer_free(&text);
	close_all(&o);
}

#define WITH_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, temp_setup, temp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIRECTORY(what_pack_keeps_for_itself_is_hidden),
		WITH_DIRECTORY(chunks_are_one_sequence),
		WITH_DIRECTORY(chunks_show_what_one_store_shows),
		WITH_DIRECTORY(one_element_has_one_lock_whatever_its_path),
		WITH_DIRECTORY(chunks_that_are_not_all_there_are_not_joined),
		WITH_DIRECTORY(a_lazy_stack_without_batch_joins_its_children),
		WITH_DIRECTORY(keys_of_several_kinds_stay_in_the_children),
		WITH_DIRECTORY(keys_of_several_dtypes_stay_in_the_children),
		WITH_DIRECTORY(names_that_two_want),
		WITH_DIRECTORY(inode_numbers_follow_key_format_and_index),
		cmocka_unit_test(a_store_that_is_a_list_shows_its_items),
		WITH_DIRECTORY(list_items_keep_their_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
