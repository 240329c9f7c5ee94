/* SPDX-License-Identifier: MIT */
/* cmd_resize.c - `jagfs resize`: images of a store -> a new store with images of one size. Options, signals and
 * messages; the work is jag_resize_store(). */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jag/resize_store.h"
#include "cli.h"
#include "job.h"
#include "size_args.h"
#include "target.h"

static const char help[] =
	"usage: jagfs resize [OPTIONS] --size SIZE STORE/KEY NEWSTORE\n"
	"\n"
	"Resize the images at KEY into a new store, in parallel, with the antialiased filter of torchvision's Resize.\n"
	"Leaves beside them that have as many elements (`label`, `path`) and values (`classes`) are kept. Elements "
	"that\n"
	"are image files (uint8 of rank 1) are decoded. NEWSTORE must not exist, or be an empty folder; it appears "
	"when\n"
	"it is complete.\n"
	"\n"
	"  -s, --size SIZE         32x48 (height x width; one dense tensor), short:256 (the shorter side), max:512 "
	"(the\n"
	"                          longer side; never enlarges)\n" JAG_SIZE_ARGS_HELP
	"  -j N, --jobs N          threads (default: one for each CPU)\n"
	"      --layout L          where images are in the dimensions: chw, hwc, planes (default: as a mount decides)\n"
	"  -m, --mode MODE         of image files: rgb (default), gray, rgba, or keep (the channels that each has)\n"
	"      --exif              turn image files upright as their EXIF orientation says\n"
	"      --chunk-elements N  split a nested result into numbered collections of at most N scalars each "
	"(default\n"
	"                          2147483647, the most that tensordict can load)\n"
	"  -f, --force             replace the store that is at NEWSTORE\n"
	"      --no-sync           do not wait until everything is on the disk\n"
	"  -q, --quiet             no progress, no summary\n"
	"\n"
	"example: jagfs resize --size 32x32 photos.store/image small.store\n"
	"         jagfs resize --size short:256 -j8 photos.store/image photos256.store\n";

struct args {
	struct jag_resize_options resize;
	struct jag_size_args size;
	const char *source;
	bool quiet;
	struct jag_job job;
};

enum { OPT_FIT = 256, OPT_NO_ANTIALIAS, OPT_LAYOUT, OPT_EXIF, OPT_CHUNK, OPT_NO_SYNC };

static const struct option options[] = {
	{ "size", required_argument, NULL, 's' },
	{ "fit", required_argument, NULL, OPT_FIT },
	{ "no-antialias", no_argument, NULL, OPT_NO_ANTIALIAS },
	{ "jobs", required_argument, NULL, 'j' },
	{ "layout", required_argument, NULL, OPT_LAYOUT },
	{ "mode", required_argument, NULL, 'm' },
	{ "exif", no_argument, NULL, OPT_EXIF },
	{ "chunk-elements", required_argument, NULL, OPT_CHUNK },
	{ "force", no_argument, NULL, 'f' },
	{ "no-sync", no_argument, NULL, OPT_NO_SYNC },
	{ "quiet", no_argument, NULL, 'q' },
	{ NULL, 0, NULL, 0 },
};

static int take_layout(struct args *args)
{
	static const char *const names[] = { "auto", "chw", "hwc", "planes", NULL };
	size_t i = 0;
	int rc = jag_cli_choice(&jag_cmd_resize, "--layout", names, &i);
	args->resize.layout = names[i];
	return rc;
}

static int take_option(struct args *args, int option)
{
	switch (option) {
	case 's':
		return jag_size_args_size(&args->size, &jag_cmd_resize, optarg);
	case OPT_FIT:
		return jag_size_args_fit(&args->size, &jag_cmd_resize, optarg);
	case 'j':
		return jag_cli_jobs(&jag_cmd_resize, &args->resize.workers);
	case 'm':
		return jag_cli_mode(&jag_cmd_resize, &args->resize.mode);
	case OPT_LAYOUT:
		return take_layout(args);
	case OPT_CHUNK:
		return jag_cli_number(&jag_cmd_resize, "--chunk-elements", 1, INT64_MAX, &args->resize.chunk_elements);
	case OPT_NO_ANTIALIAS:
		args->size.spec.no_antialias = true;
		break;
	case OPT_EXIF:
		args->resize.exif = true;
		break;
	case 'f':
		args->resize.force = true;
		break;
	case OPT_NO_SYNC:
		args->resize.nosync = true;
		break;
	default:
		args->quiet = true;
		break;
	}
	return 0;
}

static int parse(struct args *args, int argc, char **argv)
{
	int option, rc = 0;
	opterr = 0;
	while (!rc && (option = getopt_long(argc, argv, ":s:j:m:fq", options, NULL)) != -1)
		rc = option == ':' || option == '?' ? jag_cli_bad_option(&jag_cmd_resize, argc, argv, option)
						    : take_option(args, option);
	if (rc)
		return rc;
	if (argc - optind != 2)
		return jag_ui_usage(&jag_cmd_resize, "want STORE/KEY and NEWSTORE");
	args->source = argv[optind];
	args->resize.target = argv[optind + 1];
	if (!args->size.size)
		return jag_ui_usage(&jag_cmd_resize, "which --size?");
	args->resize.spec = args->size.spec;
	return jag_size_args_check(&args->size, &jag_cmd_resize);
}

static void print_summary(const struct jag_resize_result *result)
{
	printf("images         %" PRIu64 "%s, %s\n", result->images, result->decoded ? " (decoded)" : "",
	       result->dense ? "dense" : "nested");
	printf("store          %" PRIu64 " bytes\n", result->store_nbytes);
	if (result->chunks)
		printf("chunks         %" PRIu64 "\n", result->chunks);
	if (result->kept)
		printf("kept           %" PRIu64 "\n", result->kept);
}

static int run_resize(struct args *args)
{
	struct jag_resize_result result = { 0 };
	struct jag_error err = { 0 };
	struct jag_store *store = NULL;
	const char *key;
	int rc = jag_target_open(args->source, 0, &store, &key, &err);
	if (rc)
		return jag_ui_failure(args->source, rc, &err);
	jag_job_start(&args->job, "resize", "images", args->quiet);
	args->resize.watch = &args->job.watch;
	args->resize.note = jag_job_note;
	args->resize.note_ctx = &args->job;
	args->resize.writer = JAG_VERSION;
	rc = jag_resize_store(store, key, &args->resize, &result, &err);
	int status = jag_job_finish(&args->job, args->source, rc, &err);
	jag_store_close(store);
	if (status || args->quiet)
		return status;
	print_summary(&result);
	return jag_ui_flush();
}

static int run(int argc, char **argv)
{
	struct args args = { 0 };
	args.resize.limits.pixels = JAG_IMAGE_PIXELS_DEFAULT;
	args.resize.limits.scans = JAG_IMAGE_SCANS_DEFAULT;
	int status = parse(&args, argc, argv);
	return status ? status : run_resize(&args);
}

const struct jag_cmd jag_cmd_resize = {
	.name = "resize",
	.summary = "images of a store into a new store, in one size",
	.help = help,
	.run = run,
};
