/* SPDX-License-Identifier: MIT */
/* tempstore.h - stores that a test writes itself, in a directory of its own that is removed afterwards. */
#ifndef JAG_TEST_TEMPSTORE_H
#define JAG_TEST_TEMPSTORE_H

#include "unit.h"

#include "jag/store.h"

/* Setup and teardown for cmocka_unit_test_setup_teardown(): *state is the path of an empty directory. */
int temp_setup(void **state);
int temp_teardown(void **state);

/* "dir/name" in static memory (a few at a time). */
const char *path_in(const char *dir, const char *name);

/* All of these fail the test if they cannot. `name` is below `dir`; directories on the way are made. */
void put_bytes(const char *dir, const char *name, const void *bytes, size_t nbytes);
void put_text(const char *dir, const char *name, const char *text);
void put_i64(const char *dir, const char *name, const int64_t *values, size_t count);
void put_hole(const char *dir, const char *name, uint64_t nbytes);
void cut_file(const char *dir, const char *name, uint64_t nbytes);
void remove_file(const char *dir, const char *name);

/* meta.json of a TensorDict: `entries` is what stands before "shape". */
void put_meta(const char *dir, const char *entries, const char *batch);

/* Open, and fail the test with the reason if that fails. */
struct jag_store *open_store(const char *path, unsigned flags);

/* The leaf or collection at `path`; fails the test if there is none. */
const struct jag_leaf *get_leaf(const struct jag_store *store, const char *path);
const struct jag_collection *get_collection(const struct jag_store *store, const char *path);

/* The bytes of a whole dense leaf are these. */
void assert_leaf_bytes(const struct jag_store *store, const char *path, const void *expected, size_t nbytes);

/* A fixture of tests/fixtures/tensordict. */
const char *fixture(const char *name);

#endif
