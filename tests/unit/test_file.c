/* SPDX-License-Identifier: MIT */
/* test_file.c - resolving beneath the store's directory, with and without openat2, and files that reopen. */
#include "tempstore.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "store/file.h"
#include "store/resolve.h"

static struct jag_root open_root(const char *path, bool no_openat2)
{
	struct jag_root root;
	assert_int_equal(jag_root_open(path, &root), 0);
	root.no_openat2 |= no_openat2;
	return root;
}

static void assert_resolves(const struct jag_root *root, const char *path, int code)
{
	int fd = jag_resolve(root, path, O_RDONLY);
	if (fd >= 0)
		close(fd);
	assert_int_equal(fd < 0 ? fd : 0, code);
}

static void put_links(const char *dir)
{
	put_text(dir, "store/a/b/file", "x");
	put_text(dir, "outside", "x");
	assert_int_equal(symlink("../outside", path_in(dir, "store/out")), 0);
	assert_int_equal(symlink("/etc/passwd", path_in(dir, "store/absolute")), 0);
	assert_int_equal(symlink("a/b", path_in(dir, "store/inside")), 0);
	assert_int_equal(symlink("..", path_in(dir, "store/a/up")), 0);
	assert_int_equal(symlink("../..", path_in(dir, "store/a/upup")), 0);
}

static void links_may_not_lead_out(void **state)
{
	put_links(*state);
	struct jag_root root = open_root(path_in(*state, "store"), false);
	if (root.no_openat2)
		skip();
	assert_resolves(&root, "a/b/file", 0);
	assert_resolves(&root, "inside/file", 0);
	assert_resolves(&root, "a/up/a/b/file", 0);
	assert_resolves(&root, "a/upup/outside", -EXDEV);
	assert_resolves(&root, "../outside", -EXDEV);
	assert_resolves(&root, "out", -EXDEV);
	assert_resolves(&root, "absolute", -EXDEV);
	assert_resolves(&root, "/etc/passwd", -EXDEV);
	jag_root_close(&root);
}

static void without_openat2_no_link_is_followed(void **state)
{
	put_links(*state);
	struct jag_root root = open_root(path_in(*state, "store"), true);
	assert_resolves(&root, "a/b/file", 0);
	assert_resolves(&root, "a", 0);
	assert_resolves(&root, "", 0);
	assert_resolves(&root, "inside/file", -ENOTDIR);
	assert_resolves(&root, "a/up/a/b/file", -ENOTDIR);
	assert_resolves(&root, "out", -ELOOP);
	assert_resolves(&root, "absolute", -ELOOP);
	assert_resolves(&root, "../outside", -EXDEV);
	assert_resolves(&root, "a/../a/b/file", -EXDEV);
	assert_resolves(&root, "missing/x", -ENOENT);
	jag_root_close(&root);
}

/* A file without a descriptor of its own, as those beyond the limit are. */
static struct jag_file *open_unkept(struct jag_root *root, bool write)
{
	struct jag_file *file = NULL;
	root->kept_max = 0;
	assert_int_equal(jag_file_open(root, "x", write, &file), 0);
	assert_int_equal(file->fd, -1);
	return file;
}

static void a_reopened_file_reads_and_writes(void **state)
{
	char c = 0;
	int fd;
	put_text(*state, "x", "hello");
	struct jag_root root = open_root(*state, false);
	struct jag_file *file = open_unkept(&root, true);
	assert_int_equal(jag_file_write(file, "J", 1, 0), 0);
	assert_int_equal(jag_file_read(file, &c, 1, 0), 0);
	assert_int_equal(c, 'J');
	assert_int_equal(jag_file_sync(file, 1, 0), 0);
	assert_int_equal(jag_file_fd(file, 5, 0, &fd), -EOPNOTSUPP); /* it keeps none */
	jag_file_close(file);
	jag_root_close(&root);
}

static void a_reopened_file_must_be_the_same(void **state)
{
	char c;
	put_text(*state, "x", "hello");
	struct jag_root root = open_root(*state, false);
	struct jag_file *file = open_unkept(&root, false);
	put_text(*state, "y", "other");
	assert_int_equal(rename(path_in(*state, "y"), path_in(*state, "x")), 0);
	assert_int_equal(jag_file_read(file, &c, 1, 0), -ESTALE);
	remove_file(*state, "x");
	assert_int_equal(jag_file_read(file, &c, 1, 0), -ESTALE);
	jag_file_close(file);
	jag_root_close(&root);
}

static void opening_changes_nothing(void **state)
{
	struct stat before, after;
	put_text(*state, "x", "hello");
	assert_int_equal(stat(path_in(*state, "x"), &before), 0);
	struct jag_root root = open_root(*state, false);
	struct jag_file *file = NULL;
	assert_int_equal(jag_file_open(&root, "missing", true, &file), -ENOENT);
	assert_int_equal(jag_file_open(&root, "x", true, &file), 0);
	assert_int_equal(jag_file_sync(file, 5, 0), 0);
	jag_file_close(file);
	jag_root_close(&root);
	assert_int_equal(stat(path_in(*state, "x"), &after), 0);
	assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
	assert_int_equal(before.st_size, after.st_size);
	assert_int_equal(access(path_in(*state, "missing"), F_OK), -1);
}

/* version 2; user:: rw-, group:: ---, group:1000 rw-, mask rw-, other ---: st_mode says 0660 */
static void group_bits_are_those_of_the_acl_entry(void **state)
{
	static const uint8_t acl[] = { 2,    0, 0, 0,                         /* version */
				       0x01, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, /* user:: */
				       0x04, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, /* group:: */
				       0x08, 0, 6, 0, 0xe8, 0x03, 0,    0,    /* group:1000 */
				       0x10, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, /* mask */
				       0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff /* other */ };
	struct stat st;
	struct jag_file *file = NULL;
	put_text(*state, "x", "hello");
	if (setxattr(path_in(*state, "x"), "system.posix_acl_access", acl, sizeof(acl), 0) < 0)
		skip();
	assert_int_equal(stat(path_in(*state, "x"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0660);
	struct jag_root root = open_root(*state, false);
	assert_int_equal(jag_file_open(&root, "x", false, &file), 0);
	assert_int_equal(file->attr.mode, 0600);
	jag_file_close(file);
	jag_root_close(&root);
}

#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

static uint64_t dirty_pages(const char *path, uint64_t offset, uint64_t nbytes)
{
	uint64_t range[2] = { offset, nbytes }, stats[5] = { 0 };
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	if (syscall(SYS_cachestat, fd, range, stats, 0) < 0) {
		close(fd);
		skip(); /* before Linux 6.5 */
	}
	close(fd);
	return stats[1];
}

static void sync_cleans_its_range_and_nothing_else(void **state)
{
	const uint64_t page = 4096;
	uint8_t bytes[4096] = { 1 };
	put_hole(*state, "x", 64 * page);
	const char *path = path_in(*state, "x");
	struct jag_root root = open_root(*state, false);
	struct jag_file *file = NULL;
	assert_int_equal(jag_file_open(&root, "x", true, &file), 0);
	for (uint64_t i = 0; i < 64; i += 2)
		assert_int_equal(jag_file_write(file, bytes, sizeof(bytes), i * page), 0);
	uint64_t before = dirty_pages(path, 0, 64 * page);
	if (before < 32)
		skip(); /* written back already, or a filesystem without dirty pages */
	assert_int_equal(jag_file_sync(file, 5, 8 * page + 17), 0);
	assert_int_equal(dirty_pages(path, 8 * page, page), 0);
	assert_true(dirty_pages(path, 0, 64 * page) >= 16);
	jag_file_close(file);
	jag_root_close(&root);
}

#define in_temp(test) cmocka_unit_test_setup_teardown(test, temp_setup, temp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_temp(links_may_not_lead_out),
		in_temp(without_openat2_no_link_is_followed),
		in_temp(a_reopened_file_reads_and_writes),
		in_temp(a_reopened_file_must_be_the_same),
		in_temp(opening_changes_nothing),
		in_temp(group_bits_are_those_of_the_acl_entry),
		in_temp(sync_cleans_its_range_and_nothing_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
