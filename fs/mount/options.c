/* SPDX-License-Identifier: MIT */
/* options.c - parses the command line of a mount: one table for the -o options of our own, one for those that mount(8)
 * and fstab hand to every file system. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char jag_mount_help[] =
	"usage: jagfs [mount] STORE[/KEY] MOUNTPOINT [-f] [-d] [-s] [-o OPTION[,OPTION...]]\n"
	"\n"
	"Show a store, or the part of it at KEY, as a directory of files. Returns when the mount answers.\n"
	"\n"
	"  -f                     stay in the foreground, messages on stderr\n"
	"  -d                     also print every request (implies -f)\n"
	"  -s                     one thread\n"
	"\n"
	"what is shown:\n" JAG_TREE_ARGS_HELP "\n"
	"how it is served:\n"
	"  ro                     read-only\n"
	"  immutable              nobody writes the store: implies ro, caches pages, names and attributes\n"
	"  direct                 no page cache for raw, npy, pnm, wav at all: no shared mappings on older "
	"systems\n"
	"  page_cache             always the page cache, as on systems that cannot map what they read past it\n"
	"  cache_mb=N             finished encodings kept, in MiB (64)\n"
	"  stage_mb=N             bytes that may be written and not committed yet, in MiB (1024)\n"
	"  readback_mb=N          files kept as they were written, until they change, in MiB (64; 0: none)\n"
	"  fit                    resize images of another size that are written to an element\n"
	"  attr_timeout=SECONDS   how long a stat may be out of date (1)\n"
	"  entry_timeout=SECONDS  the same for names (1)\n"
	"  max_threads=N          requests served at a time\n"
	"  allow_other            other users may use the mount, within the modes of the files\n"
	"  allow_root             root may use the mount\n"
	"  uid=N, gid=N           owner of all files, instead of the data's (root or the store's owner)\n"
	"  umask=OCTAL            modes of all files: 0666 and directories 0777 without these bits\n"
	"  nonempty               mount over a directory that is not empty\n"
	"\n"
	"Unmount with `jagfs umount MOUNTPOINT` or `fusermount3 -u MOUNTPOINT`.\n"
	"\n"
	"example: jagfs photos.store /mnt/photos -o format=jpg,quality=90\n";

#define TEXT_MAX 1024
#define MEBIBYTES_MAX (1UL << 32) /* 4 EiB */
#define SECONDS_MAX 1e9           /* 30 years; the kernel keeps whole jiffies */

enum kind { FLAG, UNSIGNED, COUNT, OCTAL, SECONDS, MEBIBYTES, MEBIBYTES_OR_NONE, TEXT };

struct row {
	const char *name;
	enum kind kind;
	size_t offset;     /* of the value in struct jag_mount_options */
	size_t has_offset; /* of a bool that says it was given; 0: none */
};
#define AT(member) offsetof(struct jag_mount_options, member)

static const struct row rows[] = {
	{ "ro", FLAG, AT(read_only), 0 },
	{ "immutable", FLAG, AT(immutable), 0 },
	{ "direct", FLAG, AT(direct), 0 },
	{ "page_cache", FLAG, AT(page_cache), 0 },
	{ "nonempty", FLAG, AT(nonempty), 0 },
	{ "allow_other", FLAG, AT(allow_other), 0 },
	{ "allow_root", FLAG, AT(allow_root), 0 },
	{ "clone_fd", FLAG, AT(clone_fd), 0 },
	{ "uid", UNSIGNED, AT(uid), AT(has_uid) },
	{ "gid", UNSIGNED, AT(gid), AT(has_gid) },
	{ "umask", OCTAL, AT(umask), AT(has_umask) },
	{ "max_threads", COUNT, AT(max_threads), 0 },
	{ "attr_timeout", SECONDS, AT(attr_timeout), 0 },
	{ "entry_timeout", SECONDS, AT(entry_timeout), 0 },
	{ "cache_mb", MEBIBYTES, AT(cache_nbytes), 0 },
	{ "readback_mb", MEBIBYTES_OR_NONE, AT(readback_nbytes), 0 },
	{ "stage_mb", MEBIBYTES, AT(stage_nbytes), 0 },
	{ "fit", FLAG, AT(fit), 0 },
	{ "fsname", TEXT, AT(fsname), 0 },
};

/* What fstab, mount(8) and systemd hand to everybody and what does not concern us; and options that are always on. */
static const char *const ignored[] = { "rw",
				       "defaults",
				       "auto",
				       "noauto",
				       "user",
				       "nouser",
				       "users",
				       "group",
				       "owner",
				       "nofail",
				       "_netdev",
				       "dev",
				       "nodev",
				       "suid",
				       "nosuid",
				       "exec",
				       "atime",
				       "relatime",
				       "norelatime",
				       "strictatime",
				       "nostrictatime",
				       "diratime",
				       "lazytime",
				       "nolazytime",
				       "async",
				       "sync",
				       "dirsync",
				       "iversion",
				       "noiversion",
				       "mand",
				       "nomand",
				       "silent",
				       "loud",
				       "default_permissions",
				       "uhelper=",
				       "helper=",
				       "comment=",
				       "x-",
				       "X-",
				       "subtype=",
				       NULL };

/* Handed on to the kernel as they are. */
static const char *const passed[] = { "noexec",     "noatime",     "nodiratime",   "context=",
				      "fscontext=", "defcontext=", "rootcontext=", NULL };

/* Entries that end in '=' or '-' stand for everything that begins like that. */
static bool is_listed(const char *const *list, const char *item)
{
	for (; *list; list++) {
		size_t n = strlen(*list);
		bool prefix = (*list)[n - 1] == '=' || (*list)[n - 1] == '-';
		if (prefix ? !strncmp(*list, item, n) : !strcmp(*list, item))
			return true;
	}
	return false;
}

static int bad_value(const struct row *row, const char *value, const char *expected, struct jag_error *err)
{
	return jag_error_set(err, -EINVAL, NULL, 0, "option %s=%s: expected %s", row->name, value, expected);
}

static int parse_unsigned(const char *value, int base, unsigned long max, unsigned long *out)
{
	char *end;
	errno = 0;
	*out = strtoul(value, &end, base);
	return errno || end == value || *end || *value == '-' || *value == '+' || *out > max ? -EINVAL : 0;
}

static int take_value(struct jag_mount_options *options, const struct row *row, const char *value,
		      struct jag_error *err)
{
	void *slot = (char *)options + row->offset;
	unsigned long n;
	double seconds;
	char *end;
	switch (row->kind) {
	case FLAG:
		*(bool *)slot = true;
		return 0;
	case UNSIGNED:
	case COUNT:
		if (parse_unsigned(value, 10, UINT32_MAX - 1, &n) || (n == 0 && row->kind == COUNT))
			return bad_value(row, value, row->kind == COUNT ? "a number above 0" : "a number", err);
		*(unsigned *)slot = (unsigned)n;
		return 0;
	case OCTAL:
		if (parse_unsigned(value, 8, 0777, &n))
			return bad_value(row, value, "an octal number up to 777", err);
		*(mode_t *)slot = (mode_t)n;
		return 0;
	case SECONDS:
		seconds = strtod(value, &end);
		if (end == value || *end || !isfinite(seconds) || seconds < 0.0 || seconds > SECONDS_MAX)
			return bad_value(row, value, "a number of seconds, at most 1e9", err);
		*(double *)slot = seconds;
		return 0;
	case MEBIBYTES:
	case MEBIBYTES_OR_NONE:
		if (parse_unsigned(value, 10, MEBIBYTES_MAX, &n) || (n == 0 && row->kind == MEBIBYTES))
			return bad_value(row, value,
					 row->kind == MEBIBYTES ? "a number of MiB, 1 to 4294967296"
								: "a number of MiB, up to 4294967296",
					 err);
		*(uint64_t *)slot = n ? (uint64_t)n << 20 : UINT64_MAX;
		return 0;
	case TEXT:
		/* mount(2) takes its source and options in a page */
		if (!*value || strlen(value) > TEXT_MAX)
			return bad_value(row, value, "a text of 1 to 1024 bytes", err);
		free(*(char **)slot);
		*(char **)slot = strdup(value);
		return *(char **)slot ? 0 : jag_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	}
	return -EINVAL;
}

static int pass_on(struct jag_mount_options *options, const char *item, struct jag_error *err)
{
	char *joined = NULL;
	int n = options->kernel ? asprintf(&joined, "%s,%s", options->kernel, item) : asprintf(&joined, "%s", item);
	if (n < 0)
		return jag_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	free(options->kernel);
	options->kernel = joined;
	return 0;
}

static int take_item(struct jag_mount_options *options, const char *item, struct jag_error *err)
{
	int rc = jag_tree_args_take(&options->tree, item, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		size_t n = strlen(row->name);
		if (strncmp(row->name, item, n) != 0 || (item[n] != '\0' && item[n] != '='))
			continue;
		if (item[n] != (row->kind == FLAG ? '\0' : '='))
			return jag_error_set(err, -EINVAL, NULL, 0, "option %s %s", row->name,
					     row->kind == FLAG ? "takes no value" : "needs a value");
		if (row->has_offset)
			*(bool *)(void *)((char *)options + row->has_offset) = true;
		return take_value(options, row, row->kind == FLAG ? "" : item + n + 1, err);
	}
	if (is_listed(passed, item))
		return pass_on(options, item, err);
	if (is_listed(ignored, item))
		return 0;
	/* The kernel would hold back what is written, and overwrite what others stored into the mapping meanwhile. */
	if (!strcmp(item, "writeback_cache"))
		return jag_error_set(err, -EINVAL, NULL, 0,
				     "option writeback_cache cannot be used with a store that "
				     "other processes may write");
	return jag_error_set(err, -EINVAL, NULL, 0, "unknown option: %s", item);
}

static int take_list(struct jag_mount_options *options, const char *list, struct jag_error *err)
{
	char *copy = strdup(list), *state = NULL;
	int rc = copy ? 0 : jag_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	for (char *item = copy ? strtok_r(copy, ",", &state) : NULL; item && rc == 0;
	     item = strtok_r(NULL, ",", &state))
		rc = take_item(options, item, err);
	free(copy);
	return rc;
}

/* Options and arguments in any order, as mount helpers are called: STORE MNT -o LIST. */
static int take_arguments(struct jag_mount_options *options, int argc, char **argv, struct jag_error *err)
{
	int opt, rc = 0;
	optind = 0; /* glibc: start anew, and take the first letter of the string below */
	while (rc == 0 && (opt = getopt(argc, argv, "-:fdso:")) != -1) {
		switch (opt) {
		case 1:
			if (!options->store)
				options->store = optarg;
			else if (!options->mountpoint)
				options->mountpoint = optarg;
			else
				rc = jag_error_set(err, -EINVAL, NULL, 0, "one argument too many: %s", optarg);
			break;
		case 'd':
			options->debug = true;
			options->foreground = true;
			break;
		case 'f':
			options->foreground = true;
			break;
		case 's':
			options->single_thread = true;
			break;
		case 'o':
			rc = take_list(options, optarg, err);
			break;
		case ':':
			rc = jag_error_set(err, -EINVAL, NULL, 0, "option -%c needs a value", optopt);
			break;
		default:
			rc = jag_error_set(err, -EINVAL, NULL, 0, "unknown option: %s", argv[optind - 1]);
		}
	}
	for (; rc == 0 && optind < argc; optind++) { /* after "--" */
		if (!options->store)
			options->store = argv[optind];
		else if (!options->mountpoint)
			options->mountpoint = argv[optind];
		else
			rc = jag_error_set(err, -EINVAL, NULL, 0, "one argument too many: %s", argv[optind]);
	}
	return rc;
}

int jag_mount_options_parse(struct jag_mount_options *options, int argc, char **argv, struct jag_error *err)
{
	*options = (struct jag_mount_options){ .attr_timeout = -1.0, .entry_timeout = -1.0 };
	int rc = take_arguments(options, argc, argv, err);
	if (rc)
		return rc;
	if (!options->store)
		return jag_error_set(err, -EINVAL, NULL, 0, "a store and a mount point are needed");
	if (!options->mountpoint)
		return jag_error_set(err, -EINVAL, NULL, 0, "a mount point is needed after the store %s",
				     options->store);
	if (options->allow_other && options->allow_root)
		return jag_error_set(err, -EINVAL, NULL, 0, "allow_other and allow_root exclude each other");
	if (options->direct && options->page_cache)
		return jag_error_set(err, -EINVAL, NULL, 0, "direct and page_cache exclude each other");
	if (options->immutable)
		options->read_only = true;
	/* With nobody writing, nothing can be out of date. */
	double timeout = options->immutable ? 86400.0 : 1.0;
	if (options->attr_timeout < 0.0)
		options->attr_timeout = timeout;
	if (options->entry_timeout < 0.0)
		options->entry_timeout = timeout;
	return 0;
}

void jag_mount_options_finish(struct jag_mount_options *options)
{
	jag_tree_args_finish(&options->tree);
	free(options->kernel);
	free(options->fsname);
	options->kernel = options->fsname = NULL;
}
