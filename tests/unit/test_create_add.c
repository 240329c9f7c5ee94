/* SPDX-License-Identifier: MIT */
/* test_create_add.c - adding keys to stores that are there; adopting data files. */
#include "unit.h"

#include <sys/file.h>
#include <sys/wait.h>

#include "jag/create.h"
#include "jag/store.h"
#include "create/read_meta.h"
#include "tempdir.h"

#define END "\"shape\":[2],\"device\":\"cpu\",\"_type\":\"<class 'tensordict._td.TensorDict'>\""
#define ENTRY(key, n) "\"" key "\":{\"device\":\"cpu\",\"shape\":[" n "],\"dtype\":\"torch.uint8\",\"is_nested\":false}"

static void make_store(struct tempdir *t)
{
	tempdir_file(t, "s/meta.json", "{" ENTRY("a", "2") "," END "}", strlen("{" ENTRY("a", "2") "," END "}"));
	tempdir_file(t, "s/a.memmap", "xy", 2);
}

static void assert_meta(struct tempdir *t, const char *name, const char *expected)
{
	char *text = tempdir_read(t, name, NULL);
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static struct jag_create *begin(struct tempdir *t)
{
	struct jag_create *create = NULL;
	assert_int_equal(jag_create_add(tempdir_path(t, "s"), 0, &create, NULL), 0);
	return create;
}

static int plan(struct jag_create *create, const char *key, struct jag_error *err)
{
	struct jag_shape shape = { .dtype = JAG_UINT8, .rank = 1, .dims = { 2 } };
	struct jag_create_leaf *leaf;
	return jag_create_dense(jag_create_root(create), key, &shape, &leaf, err);
}

/* Names in the store, the hidden ones too; "." and ".." not. */
static unsigned count_names(struct tempdir *t, const char *name)
{
	DIR *dir = opendir(tempdir_path(t, name));
	unsigned n = 0;
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

static void a_new_key_comes_after_all_others(void **state)
{
	make_store(*state);
	struct jag_create *create = begin(*state);
	assert_int_equal(plan(create, "b", NULL), 0);
	assert_int_equal(jag_create_finish(create, NULL), 0);
	assert_meta(*state, "s/meta.json", "{" ENTRY("a", "2") "," END "," ENTRY("b", "2") "}");
	assert_int_equal(count_names(*state, "s"), 3);
}

static void unknown_entries_stay_as_they_are(void **state)
{
	const char *const old =
		"{ \"x\": {\"y\" : [1, NaN]},\n \"_format_version\":1, \"big\":123456789012345678901 \n}\n";
	tempdir_file(*state, "s/meta.json", old, strlen(old));
	struct jag_create *create = begin(*state);
	assert_int_equal(plan(create, "b", NULL), 0);
	assert_int_equal(jag_create_finish(create, NULL), 0);
	assert_meta(*state, "s/meta.json",
		    "{ \"x\": {\"y\" : [1, NaN]},\n \"_format_version\":1, \"big\":123456789012345678901," ENTRY(
			    "b", "2") " \n}\n");
}

static void collections_and_values_can_be_added(void **state)
{
	make_store(*state);
	struct jag_create *create = begin(*state);
	struct jag_create_dir *sub, *deep;
	assert_int_equal(jag_create_collection(jag_create_root(create), "sub", &sub, NULL), 0);
	assert_int_equal(jag_create_collection(sub, "deep", &deep, NULL), 0);
	assert_int_equal(jag_create_value(jag_create_root(create), "v", "1", NULL), 0);
	assert_int_equal(jag_create_finish(create, NULL), 0);
	assert_meta(*state, "s/meta.json",
		    "{" ENTRY("a", "2") "," END
					",\"sub\":{\"type\":\"TensorDict\"},\"v\":{\"type\":\"NonTensorData\"}}");
	assert_meta(*state, "s/sub/deep/meta.json", "{" END "}");
	assert_int_equal(count_names(*state, "s"), 4);
}

static void keys_and_files_that_are_there_are_refused(void **state)
{
	make_store(*state);
	tempdir_file(*state, "s/orphan.memmap", "z", 1);
	struct jag_create *create = begin(*state);
	assert_int_equal(plan(create, "a", NULL), -EEXIST);
	assert_int_equal(plan(create, "orphan", NULL), -EEXIST);
	jag_create_discard(create);
}

static void the_batch_size_is_kept(void **state)
{
	make_store(*state);
	struct jag_create *create = begin(*state);
	const int64_t batch = 3, rows[] = { 1, 1, 1 };
	struct jag_rows three = { .count = 3, .rank = 1, .values = rows };
	struct jag_create_leaf *leaf;
	assert_int_equal(jag_create_nested(jag_create_root(create), "n", JAG_UINT8, &three, &leaf, NULL), -EINVAL);
	assert_int_equal(jag_create_set_batch(jag_create_root(create), 1, &batch, NULL), -EINVAL);
	jag_create_discard(create);
}

static void discarding_leaves_the_store_alone(void **state)
{
	make_store(*state);
	struct jag_create *create = begin(*state);
	assert_int_equal(plan(create, "b", NULL), 0);
	assert_int_equal(jag_create_allocate(create, NULL), 0);
	jag_create_discard(create);
	assert_meta(*state, "s/meta.json", "{" ENTRY("a", "2") "," END "}");
	assert_int_equal(count_names(*state, "s"), 2);
}

static void two_that_add_different_keys_both_get_them(void **state)
{
	make_store(*state);
	struct jag_create *one = begin(*state), *two = begin(*state);
	assert_int_equal(plan(one, "b", NULL), 0);
	assert_int_equal(plan(two, "c", NULL), 0);
	assert_int_equal(jag_create_finish(two, NULL), 0);
	assert_int_equal(jag_create_finish(one, NULL), 0);
	assert_meta(*state, "s/meta.json", "{" ENTRY("a", "2") "," END "," ENTRY("c", "2") "," ENTRY("b", "2") "}");
}

static void of_two_that_add_one_key_the_second_fails(void **state)
{
	make_store(*state);
	struct jag_create *one = begin(*state), *two = begin(*state);
	struct jag_error err = { 0 };
	assert_int_equal(plan(one, "b", NULL), 0);
	assert_int_equal(plan(two, "b", NULL), 0);
	assert_int_equal(jag_create_finish(two, NULL), 0);
	assert_int_equal(jag_create_finish(one, &err), -EEXIST);
	assert_non_null(strstr(err.message, "meanwhile"));
	assert_meta(*state, "s/meta.json", "{" ENTRY("a", "2") "," END "," ENTRY("b", "2") "}");
	assert_int_equal(count_names(*state, "s"), 3);
}

/* A file appears under the name of the second new file: the first one goes back. */
static void a_file_that_appears_meanwhile_undoes_the_addition(void **state)
{
	make_store(*state);
	struct jag_create *create = begin(*state);
	assert_int_equal(plan(create, "b", NULL), 0);
	assert_int_equal(plan(create, "c", NULL), 0);
	assert_int_equal(jag_create_allocate(create, NULL), 0);
	tempdir_file(*state, "s/c.memmap", "z", 1);
	assert_int_equal(jag_create_finish(create, NULL), -EEXIST);
	assert_meta(*state, "s/meta.json", "{" ENTRY("a", "2") "," END "}");
	assert_int_equal(count_names(*state, "s"), 3);
	assert_meta(*state, "s/c.memmap", "z");
}

static void many_processes_add_at_the_same_time(void **state)
{
	make_store(*state);
	for (int i = 0; i < 8; i++)
		if (!fork()) {
			char key[8];
			snprintf(key, sizeof(key), "k%d", i);
			struct jag_create *create;
			int rc = jag_create_add(tempdir_path(*state, "s"), JAG_CREATE_NOSYNC, &create, NULL);
			_exit(rc || plan(create, key, NULL) || jag_create_finish(create, NULL));
		}
	for (int i = 0; i < 8; i++) {
		int status;
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	struct jag_store *store;
	assert_int_equal(jag_store_open(tempdir_path(*state, "s"), 0, &store, NULL), 0);
	assert_int_equal(jag_store_first_fault(store, NULL, NULL), 0);
	assert_int_equal(jag_store_root(store)->entry_count, 9);
	jag_store_close(store);
	assert_int_equal(count_names(*state, "s"), 2 + 8);
}

static void waiting_for_the_lock_can_be_cancelled(void **state)
{
	make_store(*state);
	struct jag_create *create = begin(*state);
	struct jag_watch watch = { 0 };
	jag_create_watch(create, &watch);
	assert_int_equal(plan(create, "b", NULL), 0);
	assert_int_equal(jag_create_allocate(create, NULL), 0);
	int fd = open(tempdir_path(*state, "s"), O_RDONLY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	atomic_store(&watch.cancel, true);
	assert_int_equal(jag_create_finish(create, NULL), -ECANCELED);
	close(fd);
	assert_int_equal(count_names(*state, "s"), 2);
}

static void assert_refused(struct tempdir *t, const char *meta, int code)
{
	struct jag_create *create;
	tempdir_file(t, "s/meta.json", meta, strlen(meta));
	assert_int_equal(jag_create_add(tempdir_path(t, "s"), 0, &create, NULL), code);
}

static void what_has_no_keys_is_refused(void **state)
{
	assert_refused(*state, "{\"_type\":\"x\",\"stack_dim\":0}", -EINVAL);
	assert_refused(*state, "{\"_type\":\"x\",\"data\":1,\"_is_non_tensor\":true}", -EINVAL);
	assert_refused(*state, "{\"_type\":\"x\",\"_format_version\":2,\"shape\":[]}", -ENOTSUP);
	assert_refused(*state, "", -EINVAL);
	assert_refused(*state, "{\"a\":", -EINVAL);
	mkdir(tempdir_path(*state, "s/_tensordict"), 0777);
	assert_refused(*state, "{\"_type\":\"x\"}", -EINVAL);
	struct jag_create *create;
	assert_int_equal(jag_create_add(tempdir_path(*state, "none"), 0, &create, NULL), -ENOENT);
	mkdir(tempdir_path(*state, "empty"), 0777);
	assert_int_equal(jag_create_add(tempdir_path(*state, "empty"), 0, &create, NULL), -ENOENT);
}

static void an_adopted_file_moves_into_a_new_store(void **state)
{
	struct jag_create *create;
	struct stat before, after;
	const char *file = tempdir_file(*state, "data.bin", "pq", 2);
	stat(file, &before);
	assert_int_equal(jag_create_new(tempdir_path(*state, "new"), 0, &create, NULL), 0);
	assert_int_equal(jag_create_adopt_next(create, file, NULL), 0);
	assert_int_equal(plan(create, "a", NULL), 0);
	assert_int_equal(jag_create_nbytes(create), 0);
	assert_int_equal(jag_create_finish(create, NULL), 0);
	assert_int_equal(stat(tempdir_path(*state, "new/a.memmap"), &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_false(tempdir_exists(*state, "data.bin"));
}

static void an_adopted_file_moves_into_a_store_that_is_there(void **state)
{
	make_store(*state);
	struct jag_create *create = begin(*state);
	assert_int_equal(jag_create_adopt_next(create, tempdir_file(*state, "data.bin", "pq", 2), NULL), 0);
	assert_int_equal(plan(create, "b", NULL), 0);
	assert_int_equal(jag_create_finish(create, NULL), 0);
	assert_meta(*state, "s/b.memmap", "pq");
	assert_false(tempdir_exists(*state, "data.bin"));
}

static void a_file_in_its_place_is_adopted_there(void **state)
{
	struct jag_create *create;
	const char *file = tempdir_file(*state, "bare/b.memmap", "pq", 2);
	tempdir_file(*state, "bare/other", "x", 1);
	assert_int_equal(jag_create_add(tempdir_path(*state, "bare"), JAG_CREATE_BARE, &create, NULL), 0);
	assert_int_equal(jag_create_adopt_next(create, file, NULL), 0);
	assert_int_equal(plan(create, "b", NULL), 0);
	assert_int_equal(jag_create_finish(create, NULL), 0);
	assert_meta(*state, "bare/b.memmap", "pq");
	assert_meta(
		*state, "bare/meta.json",
		"{" ENTRY("b",
			  "2") ",\"shape\":[],\"device\":\"cpu\",\"_type\":\"<class 'tensordict._td.TensorDict'>\"}");
	assert_int_equal(count_names(*state, "bare"), 3);
}

static void files_that_do_not_fit_are_not_adopted(void **state)
{
	struct jag_create *create;
	const char *file = tempdir_file(*state, "data.bin", "pqr", 3);
	assert_int_equal(symlink("data.bin", tempdir_path(*state, "link")), 0);
	assert_int_equal(jag_create_new(tempdir_path(*state, "new"), 0, &create, NULL), 0);
	assert_int_equal(jag_create_adopt_next(create, tempdir_path(*state, "none"), NULL), -ENOENT);
	assert_int_equal(jag_create_adopt_next(create, tempdir_path(*state, "link"), NULL), -EINVAL);
	assert_int_equal(jag_create_adopt_next(create, file, NULL), 0);
	assert_int_equal(plan(create, "a", NULL), -EINVAL);
	jag_create_discard(create);
	assert_meta(*state, "data.bin", "pqr");
}

static void a_failed_adoption_leaves_the_file(void **state)
{
	struct jag_create *create;
	struct jag_watch watch = { 0 };
	assert_int_equal(jag_create_new(tempdir_path(*state, "new"), 0, &create, NULL), 0);
	assert_int_equal(jag_create_adopt_next(create, tempdir_file(*state, "data.bin", "pq", 2), NULL), 0);
	assert_int_equal(plan(create, "a", NULL), 0);
	assert_int_equal(jag_create_allocate(create, NULL), 0);
	jag_create_watch(create, &watch);
	atomic_store(&watch.cancel, true);
	assert_int_equal(jag_create_finish(create, NULL), -ECANCELED);
	assert_meta(*state, "data.bin", "pq");
	assert_false(tempdir_exists(*state, "new"));
}

static void entries_are_put_before_the_last_brace(void **state)
{
	(void)state;
	static const char *const rows[][2] = { { "{}", "{E}" },
					       { " { } ", " {E } " },
					       { "{\"a\":{}}", "{\"a\":{},E}" },
					       { "{\"a\":\"}\"\n}\n", "{\"a\":\"}\",E\n}\n" } };
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct jag_buffer old = { 0 }, entries = { 0 }, out = { 0 };
		jag_buffer_append(&old, rows[i][0], strlen(rows[i][0]));
		jag_buffer_append(&entries, "E", 1);
		assert_int_equal(jag_meta_insert(&old, &entries, &out), 0);
		assert_int_equal(out.nbytes, strlen(rows[i][1]));
		assert_memory_equal(out.data, rows[i][1], out.nbytes);
		jag_buffer_free(&old);
		jag_buffer_free(&entries);
		jag_buffer_free(&out);
	}
}

#define T(test) cmocka_unit_test_setup_teardown(test, tempdir_setup, tempdir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_new_key_comes_after_all_others),
		T(unknown_entries_stay_as_they_are),
		T(collections_and_values_can_be_added),
		T(keys_and_files_that_are_there_are_refused),
		T(the_batch_size_is_kept),
		T(discarding_leaves_the_store_alone),
		T(two_that_add_different_keys_both_get_them),
		T(of_two_that_add_one_key_the_second_fails),
		T(a_file_that_appears_meanwhile_undoes_the_addition),
		T(many_processes_add_at_the_same_time),
		T(waiting_for_the_lock_can_be_cancelled),
		T(what_has_no_keys_is_refused),
		T(an_adopted_file_moves_into_a_new_store),
		T(an_adopted_file_moves_into_a_store_that_is_there),
		T(a_file_in_its_place_is_adopted_there),
		T(files_that_do_not_fit_are_not_adopted),
		T(a_failed_adoption_leaves_the_file),
		cmocka_unit_test(entries_are_put_before_the_last_brace),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
