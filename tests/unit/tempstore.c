/* SPDX-License-Identifier: MIT */
/* tempstore.c - see tempstore.h. */
#include "tempstore.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jag/sequence.h"

int temp_setup(void **state)
{
	const char *base = getenv("TMPDIR");
	char *path = NULL;
	if (asprintf(&path, "%s/jag-unit.XXXXXX", base ? base : "/tmp") < 0 || !mkdtemp(path))
		return -1;
	/* as jag_store_open() will see it */
	*state = realpath(path, NULL);
	free(path);
	return *state ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

int temp_teardown(void **state)
{
	int rc = nftw(*state, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(*state);
	return rc;
}

const char *path_in(const char *dir, const char *name)
{
	static char paths[8][4096];
	static unsigned next;
	char *path = paths[next++ % 8];
	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

static int create(const char *dir, const char *name)
{
	char *path = strdup(path_in(dir, name));
	assert_non_null(path);
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
		*at = '/';
	}
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	free(path);
	return fd;
}

void put_bytes(const char *dir, const char *name, const void *bytes, size_t nbytes)
{
	int fd = create(dir, name);
	assert_int_equal(write(fd, bytes, nbytes), nbytes);
	close(fd);
}

void put_text(const char *dir, const char *name, const char *text)
{
	put_bytes(dir, name, text, strlen(text));
}

void put_i64(const char *dir, const char *name, const int64_t *values, size_t count)
{
	put_bytes(dir, name, values, count * sizeof(*values));
}

void put_hole(const char *dir, const char *name, uint64_t nbytes)
{
	int fd = create(dir, name);
	assert_int_equal(ftruncate(fd, (off_t)nbytes), 0);
	close(fd);
}

void cut_file(const char *dir, const char *name, uint64_t nbytes)
{
	assert_int_equal(truncate(path_in(dir, name), (off_t)nbytes), 0);
}

void remove_file(const char *dir, const char *name)
{
	assert_int_equal(unlink(path_in(dir, name)), 0);
}

void put_meta(const char *dir, const char *entries, const char *batch)
{
	char *text = NULL;
	int n = asprintf(&text,
			 "{%s%s\"shape\":%s,\"device\":\"cpu\",\"_type\":\"<class 'tensordict._td.TensorDict'>\"}",
			 entries, entries[0] ? "," : "", batch);
	assert_true(n > 0);
	put_text(dir, "meta.json", text);
	free(text);
}

struct jag_store *open_store(const char *path, unsigned flags)
{
	struct jag_store *store = NULL;
	struct jag_error err = { 0 };
	if (jag_store_open(path, flags, &store, &err))
		fail_msg("%s: %s", err.path, err.message);
	return store;
}

static struct jag_entry get(const struct jag_store *store, const char *path)
{
	struct jag_entry entry = { 0 };
	if (jag_store_find(store, path, &entry))
		fail_msg("no \"%s\" in %s", path, jag_store_path(store));
	return entry;
}

const struct jag_leaf *get_leaf(const struct jag_store *store, const char *path)
{
	struct jag_entry entry = get(store, path);
	assert_int_equal(entry.type, JAG_ENTRY_LEAF);
	return entry.leaf;
}

const struct jag_collection *get_collection(const struct jag_store *store, const char *path)
{
	struct jag_entry entry = get(store, path);
	assert_int_equal(entry.type, JAG_ENTRY_COLLECTION);
	return entry.collection;
}

void assert_leaf_bytes(const struct jag_store *store, const char *path, const void *expected, size_t nbytes)
{
	struct jag_sequence *seq;
	struct jag_element element;
	uint8_t bytes[256];
	assert_int_equal(jag_sequence_whole(get_leaf(store, path), &seq), 0);
	assert_int_equal(jag_sequence_locate(seq, 0, &element), 0);
	assert_int_equal(element.nbytes, nbytes);
	assert_int_equal(jag_element_read(&element, bytes, nbytes, 0), 0);
	assert_memory_equal(bytes, expected, nbytes);
	jag_sequence_free(seq);
}

const char *fixture(const char *name)
{
	return path_in(JAG_TEST_SOURCE "/fixtures/tensordict", name);
}
