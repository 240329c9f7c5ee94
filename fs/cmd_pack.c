/* SPDX-License-Identifier: MIT */
/* cmd_pack.c - `jagfs pack`: images -> a new store. Options, signals and messages; the work is jag_pack(). */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jag/pack.h"
#include "cli.h"
#include "job.h"
#include "name_list.h"
#include "size_args.h"

static const char help[] =
	"usage: jagfs pack [OPTIONS] SOURCE... STORE\n"
	"       find DIR -name '*.jpg' -print0 | jagfs pack [OPTIONS] -0 STORE\n"
	"\n"
	"Decode images into a new store: `image` (uint8 [C, H, W] each), `path` (the name below its source) and, where "
	"all\n"
	"images lie in class folders (the first level below a source), `label` and `classes`.\n"
	"\n"
	"A SOURCE is a folder (all that is below it; symbolic links are followed, hidden files are left out) or a "
	"file; `-`\n"
	"is a list of sources on standard input, each ended by a NUL byte. JPEG and PNG are told by content. STORE "
	"must not\n"
	"exist, or be an empty folder; it appears when it is complete.\n"
	"\n"
	"  -j N, --jobs N          threads (default: one for each CPU)\n"
	"  -m, --mode MODE         rgb (default), gray, rgba, or keep (the channels that each file has)\n"
	"      --size SIZE         resize while packing: 32x48 (height x width; one dense tensor), short:256 (shorter\n"
	"                          side), max:512 (longer side; never enlarges)\n" JAG_SIZE_ARGS_HELP
	"  -n, --dry-run           read the headers, print what would be packed, write nothing\n"
	"  -0                      take (more) sources from standard input, like `-`\n"
	"      --files0-from FILE  the same from a file\n"
	"      --on-error WHAT     stop (default), or skip: leave out what cannot be read or decoded, and name it\n"
	"      --exif              turn images upright as their EXIF orientation says (default: only count them)\n"
	"      --chunk-elements N  split into numbered collections of at most N scalars each (default 2147483647, the "
	"most\n"
	"                          that tensordict can load)\n"
	"      --allow-empty       class folders without images stay classes\n"
	"      --max-pixels N      refuse larger images (default 178956970; 0: no limit)\n"
	"      --max-scans N       refuse progressive JPEG files with more scans (default 500; 0: no limit)\n"
	"  -f, --force             replace the store that is at STORE\n"
	"      --no-sync           do not wait until everything is on the disk\n"
	"  -q, --quiet             no progress, no summary\n"
	"\n"
	"Images of 16 bits are reduced to 8. A file that is no image and has no image's suffix is left out and "
	"counted.\n"
	"\n"
	"example: jagfs pack photos photos.store\n"
	"         jagfs pack --size 224x224 --fit cover train/ train.store\n"
	"         jagfs pack -j8 --mode gray --on-error skip train/ train.store\n";

struct args {
	struct jag_pack_options pack;
	struct jag_size_args size;
	struct jag_name_list sources;
	const char *list; /* a file of sources, "-": standard input; NULL: none */
	bool quiet;
	struct jag_job job;
};

enum {
	OPT_ON_ERROR = 256,
	OPT_EXIF,
	OPT_CHUNK,
	OPT_ALLOW_EMPTY,
	OPT_PIXELS,
	OPT_SCANS,
	OPT_NO_SYNC,
	OPT_FILES0,
	OPT_SIZE,
	OPT_FIT,
	OPT_NO_ANTIALIAS
};

static const struct option options[] = {
	{ "jobs", required_argument, NULL, 'j' },
	{ "mode", required_argument, NULL, 'm' },
	{ "dry-run", no_argument, NULL, 'n' },
	{ "files0-from", required_argument, NULL, OPT_FILES0 },
	{ "on-error", required_argument, NULL, OPT_ON_ERROR },
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "fit", required_argument, NULL, OPT_FIT },
	{ "no-antialias", no_argument, NULL, OPT_NO_ANTIALIAS },
	{ "exif", no_argument, NULL, OPT_EXIF },
	{ "chunk-elements", required_argument, NULL, OPT_CHUNK },
	{ "allow-empty", no_argument, NULL, OPT_ALLOW_EMPTY },
	{ "max-pixels", required_argument, NULL, OPT_PIXELS },
	{ "max-scans", required_argument, NULL, OPT_SCANS },
	{ "force", no_argument, NULL, 'f' },
	{ "no-sync", no_argument, NULL, OPT_NO_SYNC },
	{ "quiet", no_argument, NULL, 'q' },
	{ NULL, 0, NULL, 0 },
};

static int take_on_error(struct args *args)
{
	static const char *const names[] = { "stop", "skip", NULL };
	size_t i = 0;
	int rc = jag_cli_choice(&jag_cmd_pack, "--on-error", names, &i);
	args->pack.skip_errors = i == 1;
	return rc;
}

/* One option with a value. */
static int take_value(struct args *args, int option)
{
	uint64_t n = 0;
	int rc = 0;
	switch (option) {
	case 'j':
		return jag_cli_jobs(&jag_cmd_pack, &args->pack.workers);
	case 'm':
		return jag_cli_mode(&jag_cmd_pack, &args->pack.mode);
	case OPT_ON_ERROR:
		return take_on_error(args);
	case OPT_SIZE:
		return jag_size_args_size(&args->size, &jag_cmd_pack, optarg);
	case OPT_FIT:
		return jag_size_args_fit(&args->size, &jag_cmd_pack, optarg);
	case OPT_FILES0:
		args->list = optarg;
		break;
	case OPT_CHUNK:
		return jag_cli_number(&jag_cmd_pack, "--chunk-elements", 1, INT64_MAX, &args->pack.chunk_elements);
	case OPT_PIXELS:
		return jag_cli_number(&jag_cmd_pack, "--max-pixels", 0, UINT64_MAX, &args->pack.limits.pixels);
	case OPT_SCANS:
		rc = jag_cli_number(&jag_cmd_pack, "--max-scans", 0, UINT32_MAX, &n);
		args->pack.limits.scans = (unsigned)n;
		break;
	default:
		break;
	}
	return rc;
}

static int take_option(struct args *args, int option)
{
	switch (option) {
	case 'n':
		args->pack.dry_run = true;
		break;
	case '0':
		args->list = "-";
		break;
	case OPT_NO_ANTIALIAS:
		args->size.spec.no_antialias = true;
		break;
	case OPT_EXIF:
		args->pack.exif = true;
		break;
	case OPT_ALLOW_EMPTY:
		args->pack.allow_empty = true;
		break;
	case 'f':
		args->pack.force = true;
		break;
	case OPT_NO_SYNC:
		args->pack.nosync = true;
		break;
	case 'q':
		args->quiet = true;
		break;
	default:
		return take_value(args, option);
	}
	return 0;
}

static int parse_options(struct args *args, int argc, char **argv)
{
	int option, rc = 0;
	opterr = 0;
	while (!rc && (option = getopt_long(argc, argv, ":j:m:n0fq", options, NULL)) != -1)
		rc = option == ':' || option == '?' ? jag_cli_bad_option(&jag_cmd_pack, argc, argv, option)
						    : take_option(args, option);
	args->pack.size = args->size.size ? &args->size.spec : NULL;
	if (!rc)
		rc = jag_size_args_check(&args->size, &jag_cmd_pack);
	return rc;
}

static int read_list(struct args *args, const char *path)
{
	int rc = jag_name_list_read(&args->sources, path);
	if (!rc)
		return 0;
	const char *what = !strcmp(path, "-") ? "standard input" : path;
	return jag_ui_error(what, "cannot read the list of sources: %s",
			    rc == -EBUSY ? "too many lists" : strerror(-rc));
}

/* What is left of the command line: sources, the store last. */
static int parse_names(struct args *args, int argc, char **argv)
{
	int count = argc - optind, rc = 0;
	if (count < 1 || (count < 2 && !args->list))
		return jag_ui_usage(&jag_cmd_pack, count < 1 ? "what should be packed, and where to?"
							     : "one name is missing: SOURCE... and STORE");
	args->pack.target = argv[argc - 1];
	for (int i = optind; i < argc - 1 && !rc; i++) {
		if (!strcmp(argv[i], "-"))
			rc = args->list && !strcmp(args->list, "-") ? 0 : read_list(args, "-");
		else if (jag_name_list_add(&args->sources, argv[i]))
			rc = jag_ui_error(NULL, "out of memory");
	}
	if (!rc && args->list)
		rc = read_list(args, args->list);
	if (!rc && !args->sources.count)
		rc = jag_ui_error(NULL, "the list of sources is empty");
	args->pack.sources = args->sources.names;
	args->pack.source_count = args->sources.count;
	return rc;
}

static void print_nbytes(const char *name, uint64_t nbytes)
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB", "PB" };
	double value = (double)nbytes;
	unsigned unit = 0;
	for (; value >= 1000 && unit < 5; unit++)
		value /= 1000;
	printf("%-14s %" PRIu64, name, nbytes);
	if (unit)
		printf(" (%.1f %s)", value, units[unit]);
	putchar('\n');
}

static void print_count(const char *name, uint64_t count, const char *remark)
{
	if (count)
		printf("%-14s %" PRIu64 "%s%s\n", name, count, *remark ? "  " : "", remark);
}

static void print_summary(const struct args *args, const struct jag_pack_result *result)
{
	bool exif = args->pack.exif;
	print_count(args->pack.dry_run ? "would pack" : "images", result->images, args->pack.dry_run ? "images" : "");
	print_nbytes("from files of", result->source_nbytes);
	print_nbytes("store", result->store_nbytes);
	print_count("chunks", result->chunks, "");
	print_count("classes", result->classes, "");
	print_count("left out", result->refused, "cannot be read or decoded");
	print_count("not images", result->not_images, "left out");
	print_count("hidden", result->hidden, "left out");
	print_count("EXIF", result->oriented,
		    exif ? "turned upright" : "have an orientation that is not applied (--exif)");
	print_count("CMYK", result->cmyk, "converted");
	print_count("16 bits", result->deep, "reduced to 8");
	print_count("alpha", result->alpha, "dropped");
}

static int run_pack(struct args *args)
{
	struct jag_pack_result result;
	struct jag_error err = { 0 };
	jag_job_start(&args->job, "pack", "images", args->quiet);
	args->pack.watch = &args->job.watch;
	args->pack.note = jag_job_note;
	args->pack.note_ctx = &args->job;
	args->pack.writer = JAG_VERSION;
	int rc = jag_pack(&args->pack, &result, &err);
	int status = jag_job_finish(&args->job, "pack", rc, &err);
	/* A dry run that finds too little space still says how much is needed. */
	bool counted = !rc || (rc == -ENOSPC && args->pack.dry_run);
	if (!counted || (args->quiet && !args->pack.dry_run))
		return status;
	print_summary(args, &result);
	int flushed = jag_ui_flush();
	return status ? status : flushed;
}

static int run(int argc, char **argv)
{
	struct args args = { 0 };
	args.pack.limits.pixels = JAG_IMAGE_PIXELS_DEFAULT;
	args.pack.limits.scans = JAG_IMAGE_SCANS_DEFAULT;
	int status = parse_options(&args, argc, argv);
	if (!status)
		status = parse_names(&args, argc, argv);
	if (!status)
		status = run_pack(&args);
	jag_name_list_free(&args.sources);
	return status;
}

const struct jag_cmd jag_cmd_pack = { "pack", "decode images into a new store", help, run };
