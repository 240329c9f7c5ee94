/* SPDX-License-Identifier: MIT */
/* cmd_create.c - `jagfs create`: preallocate a leaf, in a new store or one that is there, or adopt a data file. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "jag/create.h"
#include "cli.h"
#include "job.h"
#include "shapes_file.h"
#include "target.h"

static const char help[] =
	"usage: jagfs create [OPTIONS] STORE KEY\n"
	"\n"
	"Preallocate a leaf. If STORE does not exist, it is made; else KEY is added to it, and all else stays as it "
	"is. KEY may\n"
	"be SUB/KEY; collections that are missing are made. What tensordict cannot load is told.\n"
	"\n"
	"  -s, --shapes FILE       a nested leaf: a shape for each element, from .npy ([n, d] integers) or .csv "
	"(3,480,640)\n"
	"      --shape D,D,...     a dense leaf of this shape\n"
	"      --like STORE/KEY    the shape, and the dtype unless it is given, of another leaf\n"
	"  -d, --dtype TYPE        uint8, int64, float32, bfloat16, bool, complex64, float8_e4m3fn, ...\n"
	"      --fill VALUE        every element (default: zeros); one that the type cannot hold is refused\n"
	"      --adopt FILE        FILE, which has exactly the bytes of the leaf, becomes its data: it is moved, not "
	"copied;\n"
	"                          a file that is STORE/KEY.memmap already gets its meta.json and stays\n"
	"      --chunk-elements N  split a nested leaf of a new store into numbered collections of at most N scalars "
	"each\n"
	"      --batch D,D,...     batch size of a new store (default: none)\n"
	"      --sparse            leave holes instead of reserving the space\n"
	"  -j N, --jobs N          threads that fill (default: one for each CPU)\n"
	"      --no-sync           do not wait until everything is on the disk\n"
	"  -q, --quiet             no progress\n"
	"\n"
	"example: jagfs create masks.store mask --shapes shapes.csv --dtype bool --fill true\n"
	"         jagfs create photos.store mask --like photos.store/image --dtype uint8\n"
	"         jagfs create old.store image --shapes shapes.npy --dtype uint8 --adopt images.bin\n";

struct args {
	const char *store, *key, *shapes, *like, *adopt;
	struct jag_shape dense; /* --shape; rank and dims */
	bool has_dense, has_fill, quiet;
	const char *fill_text; /* as it was given */
	enum jag_dtype dtype;
	struct jag_scalar fill;
	uint64_t chunk_elements;
	unsigned workers;
	int64_t batch[JAG_MAX_RANK];
	unsigned batch_rank;
	unsigned flags;
	struct jag_job job;
};

enum { OPT_SHAPE = 256, OPT_LIKE, OPT_FILL, OPT_ADOPT, OPT_CHUNK, OPT_BATCH, OPT_SPARSE, OPT_NO_SYNC };

static const struct option options[] = {
	{ "shapes", required_argument, NULL, 's' },
	{ "shape", required_argument, NULL, OPT_SHAPE },
	{ "like", required_argument, NULL, OPT_LIKE },
	{ "dtype", required_argument, NULL, 'd' },
	{ "fill", required_argument, NULL, OPT_FILL },
	{ "adopt", required_argument, NULL, OPT_ADOPT },
	{ "chunk-elements", required_argument, NULL, OPT_CHUNK },
	{ "batch", required_argument, NULL, OPT_BATCH },
	{ "sparse", no_argument, NULL, OPT_SPARSE },
	{ "jobs", required_argument, NULL, 'j' },
	{ "no-sync", no_argument, NULL, OPT_NO_SYNC },
	{ "quiet", no_argument, NULL, 'q' },
	{ NULL, 0, NULL, 0 },
};

static int take_sizes(const char *option, int64_t *sizes, unsigned *count)
{
	int n = *optarg ? jag_sizes_parse(optarg, sizes, JAG_MAX_RANK) : 0;
	if (n < 0)
		return jag_ui_usage(&jag_cmd_create, "%s %s: want sizes like 3,224,224", option, optarg);
	*count = (unsigned)n;
	return 0;
}

static int take_dtype(struct args *args)
{
	args->dtype = jag_dtype_from_name(optarg);
	return args->dtype
		       ? 0
		       : jag_ui_usage(&jag_cmd_create,
				      "--dtype %s: unknown dtype; want the name of one of torch, as uint8 or float32",
				      optarg);
}

/* Options with a value that has to be understood. */
static int take_value(struct args *args, int option)
{
	switch (option) {
	case OPT_SHAPE:
		args->has_dense = true;
		return take_sizes("--shape", args->dense.dims, &args->dense.rank);
	case OPT_BATCH:
		return take_sizes("--batch", args->batch, &args->batch_rank);
	case 'd':
		return take_dtype(args);
	case OPT_FILL:
		args->has_fill = true;
		args->fill_text = optarg;
		return jag_scalar_parse(optarg, &args->fill)
			       ? jag_ui_usage(&jag_cmd_create, "--fill %s: want a number that float64 has room for",
					      optarg)
			       : 0;
	case OPT_CHUNK:
		return jag_cli_number(&jag_cmd_create, "--chunk-elements", 1, INT64_MAX, &args->chunk_elements);
	case 'j':
		return jag_cli_jobs(&jag_cmd_create, &args->workers);
	default:
		return 0;
	}
}

static int take_option(struct args *args, int option)
{
	switch (option) {
	case 's':
		args->shapes = optarg;
		break;
	case OPT_LIKE:
		args->like = optarg;
		break;
	case OPT_ADOPT:
		args->adopt = optarg;
		break;
	case OPT_SPARSE:
		args->flags |= JAG_CREATE_SPARSE;
		break;
	case OPT_NO_SYNC:
		args->flags |= JAG_CREATE_NOSYNC;
		break;
	case 'q':
		args->quiet = true;
		break;
	default:
		return take_value(args, option);
	}
	return 0;
}

static int check_args(struct args *args)
{
	if (!!args->shapes + args->has_dense + !!args->like != 1)
		return jag_ui_usage(&jag_cmd_create, "want exactly one of --shapes, --shape and --like");
	if (!args->dtype && !args->like)
		return jag_ui_usage(&jag_cmd_create, "--dtype is needed");
	if (args->adopt && args->has_fill)
		return jag_ui_usage(&jag_cmd_create, "--adopt and --fill exclude each other");
	if (args->chunk_elements && (!args->shapes || args->adopt))
		return jag_ui_usage(&jag_cmd_create, "--chunk-elements needs --shapes, and no --adopt");
	if (args->has_fill && args->dtype && jag_scalar_fits(&args->fill, args->dtype))
		return jag_ui_usage(&jag_cmd_create, "--fill %s: %s cannot hold this value", args->fill_text,
				    jag_dtype_info(args->dtype)->torch);
	return 0;
}

static int parse(struct args *args, int argc, char **argv)
{
	int option, rc = 0;
	opterr = 0;
	while (!rc && (option = getopt_long(argc, argv, ":s:d:j:q", options, NULL)) != -1)
		rc = option == ':' || option == '?' ? jag_cli_bad_option(&jag_cmd_create, argc, argv, option)
						    : take_option(args, option);
	if (rc)
		return rc;
	if (argc - optind != 2)
		return jag_ui_usage(&jag_cmd_create, "want STORE and KEY");
	args->store = argv[optind];
	args->key = argv[optind + 1];
	return check_args(args);
}

/* A directory without meta.json becomes a store where it lies only around a file that is adopted in it. */
static bool adopts_in_place(const struct args *args)
{
	const char *slash = args->adopt ? strrchr(args->adopt, '/') : NULL;
	char *dir = !args->adopt           ? NULL
		    : !slash               ? strdup(".")
		    : slash == args->adopt ? strdup("/")
					   : strndup(args->adopt, (size_t)(slash - args->adopt));
	struct stat a, b;
	bool same = dir && !stat(dir, &a) && !stat(args->store, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
	free(dir);
	return same;
}

static int plan_like(const struct args *args, struct jag_create_at *at, struct jag_store **like, struct jag_error *err)
{
	const char *rest;
	struct jag_entry entry;
	struct jag_create_leaf *leaf;
	int rc = jag_target_open(args->like, 0, like, &rest, err);
	if (rc)
		return rc;
	rc = jag_store_find(*like, rest, &entry);
	if (rc || entry.type != JAG_ENTRY_LEAF)
		return jag_error_set(err, -EINVAL, args->like, 0, "is no leaf of a store");
	enum jag_dtype dtype = args->dtype ? args->dtype : entry.leaf->shape.dtype;
	if (args->has_fill && jag_scalar_fits(&args->fill, dtype))
		return jag_error_set(err, -ERANGE, args->like, 0, "%s, its dtype, cannot hold --fill %s",
				     jag_dtype_info(dtype)->torch, args->fill_text);
	return jag_create_like(at->dir, at->key, entry.leaf, dtype, &leaf, err);
}

static int plan_shapes(const struct args *args, struct jag_create_at *at, struct jag_shapes *shapes,
		       struct jag_error *err)
{
	struct jag_create_leaf *leaf;
	int rc = jag_shapes_read(args->shapes, shapes, err);
	if (rc)
		return rc;
	struct jag_rows rows = { .count = shapes->count, .rank = shapes->rank, .values = shapes->values };
	if (!args->chunk_elements)
		return jag_create_nested(at->dir, at->key, args->dtype, &rows, &leaf, err);
	if (at->dir != jag_create_root(at->create))
		return jag_error_set(err, -EINVAL, args->key, 0, "chunks can only be made at the root of a new store");
	return jag_create_chunks(at->create, at->key, args->dtype, &rows, args->chunk_elements, JAG_VERSION, err);
}

/* What the leaf is; the memory of it lives until it is allocated. */
static int allocate(struct args *args, struct jag_create_at *at, struct jag_error *err)
{
	struct jag_shapes shapes = { 0 };
	struct jag_store *like = NULL;
	struct jag_create_leaf *leaf;
	int rc = args->adopt ? jag_create_adopt_next(at->create, args->adopt, err) : 0;
	args->dense.dtype = args->dtype;
	if (!rc && args->batch_rank)
		rc = jag_create_set_batch(jag_create_root(at->create), args->batch_rank, args->batch, err);
	if (!rc && args->like)
		rc = plan_like(args, at, &like, err);
	else if (!rc && args->shapes)
		rc = plan_shapes(args, at, &shapes, err);
	else if (!rc)
		rc = jag_create_dense(at->dir, at->key, &args->dense, &leaf, err);
	if (!rc)
		rc = jag_create_allocate(at->create, err);
	jag_store_close(like);
	free(shapes.values);
	return rc;
}

#define TRIES 1000 /* each follows a change that another process has made */

/* *late: the work was done, but at its end there was something in the way. */
static int create(struct args *args, bool *late, struct jag_error *err)
{
	struct jag_create_at at;
	*late = false;
	if (adopts_in_place(args))
		args->flags |= JAG_CREATE_BARE;
	int rc = jag_create_at(args->store, args->key, args->flags, &at, err);
	if (rc)
		return rc;
	jag_create_on_note(at.create, jag_job_note, &args->job);
	jag_create_watch(at.create, &args->job.watch);
	rc = allocate(args, &at, err);
	if (!rc && args->has_fill)
		rc = jag_create_fill_all(at.create, &args->fill, args->workers, err);
	free(at.key);
	if (rc) {
		jag_create_discard(at.create);
		return rc;
	}
	rc = jag_create_finish(at.create, err);
	*late = rc == -EEXIST;
	return rc;
}

static int run(int argc, char **argv)
{
	struct args args = { 0 };
	struct jag_error err = { 0 };
	int status = parse(&args, argc, argv);
	if (status)
		return status;
	jag_job_start(&args.job, "create", "blocks", args.quiet);
	bool late = false;
	int rc = create(&args, &late, &err);
	/* Another process has made the store while this one did, or added the key: add to what it made, or say so. */
	for (int i = 0; i < TRIES && late; i++)
		rc = create(&args, &late, &err);
	return jag_job_finish(&args.job, args.store, rc, &err);
}

const struct jag_cmd jag_cmd_create = { "create", "preallocate a leaf, or adopt a data file", help, run };
