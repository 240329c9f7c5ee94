/* SPDX-License-Identifier: MIT */
/* test_bad.c - every store of tests/bad is refused with its file and reason, and is not changed by that. */
#include "tempstore.h"

#include <ftw.h>
#include <sys/stat.h>

/* A sum over names, types, sizes and times of all files below a directory. */
static uint64_t tree_sum;

static int add_to_sum(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)type, (void)ftw;
	uint64_t parts[] = { st->st_mode, (uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec,
			     (uint64_t)st->st_mtim.tv_nsec, (uint64_t)st->st_blocks };
	uint64_t sum = 14695981039346656037U;
	for (const char *c = path; *c; c++)
		sum = (sum ^ (unsigned char)*c) * 1099511628211U;
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		sum = (sum ^ parts[i]) * 1099511628211U;
	tree_sum += sum;
	return 0;
}

static uint64_t sum_of(const char *dir)
{
	tree_sum = 0;
	assert_int_equal(nftw(dir, add_to_sum, 32, FTW_PHYS), 0);
	return tree_sum;
}

static void check_one(const char *path, const char *file, const char *text)
{
	struct jag_store *store = NULL;
	struct jag_error err = { 0 };
	int rc = jag_store_open(path, JAG_STORE_WRITE, &store, &err);
	if (rc == 0)
		rc = jag_store_first_fault(store, NULL, &err);
	if (rc == 0)
		fail_msg("%s: opened without a fault", path);
	jag_store_close(store);
	assert_int_equal(rc, err.code);
	if (strncmp(err.path, path, strlen(path)) != 0 || !strstr(err.path, file))
		fail_msg("%s: names %s, not %s", path, err.path, file);
	if (!strstr(err.message, text))
		fail_msg("%s: says \"%s\", not \"%s\"", path, err.message, text);
	for (const char *c = err.message; *c; c++)
		assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
}

static void every_bad_store_is_refused_and_left_alone(void **state)
{
	char command[4200], line[2048];
	size_t count = 0;
	char *stores = strdup(path_in(*state, "stores"));
	snprintf(command, sizeof(command), "'%s/bad/make.sh' '%s'", JAG_TEST_SOURCE, stores);
	assert_int_equal(system(command), 0);
	uint64_t before = sum_of(stores);
	FILE *expected = fopen(path_in(stores, "expected"), "r");
	assert_non_null(expected);
	while (fgets(line, sizeof(line), expected)) {
		char *rest = line, *name = strsep(&rest, "\t"), *file = strsep(&rest, "\t"),
		     *text = strsep(&rest, "\n");
		assert_non_null(text);
		check_one(path_in(stores, name), file, text);
		count++;
	}
	fclose(expected);
	assert_true(count > 50);
	assert_true(sum_of(stores) == before);
	free(stores);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_bad_store_is_refused_and_left_alone, temp_setup, temp_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
