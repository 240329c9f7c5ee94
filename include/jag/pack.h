/* SPDX-License-Identifier: MIT */
/* pack.h - image files -> a new store, in two passes: headers (shapes, sizes, refusals), then parallel decoding.
 *
 * What is written: `image` (nested uint8 [C, H, W]; dense where all are resized to one exact size), `path` (nested
 * uint8: the name below its source, as bytes), `label` (int64) and `classes` where all images lie in class folders,
 * and `jagfs` (the options). Where one nested leaf would have more elements than asked for, the store is a number of
 * such collections "0", "1", ...; then `classes` and `jagfs` are in the root.
 *
 * Order: sources as given; in a folder the class folders (its first level) by bytes, in each of them the directories
 * by the bytes of their paths, and in each directory the files by the bytes of their names. This is the order of
 * torchvision's ImageFolder.
 *
 * Threads: jag_pack() starts its own workers and has joined them when it returns. */
#ifndef JAG_PACK_H
#define JAG_PACK_H

#include "jag/error.h"
#include "jag/image.h"
#include "jag/progress.h"
#include "jag/resize.h"

struct jag_pack_options {
	const char *target;         /* the new store */
	const char *const *sources; /* folders and files; borrowed until jag_pack() returns */
	size_t source_count;
	enum jag_mode mode;                 /* JAG_MODE_RGB is 0 */
	const struct jag_resize_spec *size; /* resize images while they are packed; NULL: as they are */
	unsigned workers;                   /* 0: all CPUs; 1: the calling thread */
	uint64_t chunk_elements;            /* most scalars of one nested leaf; 0: JAG_NESTED_LOADABLE_MAX */
	struct jag_image_limits limits;     /* 0 in a field: no limit */
	bool force;                         /* replace a store that is at the target */
	bool skip_errors;                   /* leave out what cannot be read or decoded, instead of failing */
	bool allow_empty;                   /* class folders without images stay classes, instead of failing */
	bool exif;                          /* turn images upright as their EXIF orientation says */
	bool dry_run;                       /* stop after the first pass; nothing is written */
	bool nosync;                        /* do not wait for the disk */
	const char *writer;                 /* version of the program, recorded in the store */

	/* One line about something that a user should know; `what` is a path, or NULL. Called on the caller's thread. */
	void (*note)(void *ctx, const char *what, const char *text);
	void *note_ctx;
	struct jag_watch *watch; /* may be NULL */
};

struct jag_pack_result {
	uint64_t images;        /* packed, or would be */
	uint64_t chunks;        /* 0: not split */
	uint64_t classes;       /* 0: no labels */
	uint64_t source_nbytes; /* of the packed files */
	uint64_t image_nbytes;  /* of all elements of `image` */
	bool dense;             /* `image` is a dense leaf */
	uint64_t store_nbytes;  /* of all leaves */
	uint64_t not_images;    /* files skipped: neither image content nor an image's suffix, or no regular file */
	uint64_t hidden;        /* files and folders skipped: names that begin with a dot */
	uint64_t refused;       /* left out because of skip_errors; each was a note */
	uint64_t oriented;      /* EXIF orientation other than 1 */
	uint64_t cmyk;          /* CMYK or YCCK, converted */
	uint64_t deep;          /* 16 bits, reduced to 8 */
	uint64_t alpha;         /* had an alpha channel (or transparency) that the mode drops */
};

/* -ENOENT no image among the sources; else as creating a store, reading files and decoding images. After a failure
 * nothing is left at the target. `result` is filled as far as the work went. */
JAG_API int jag_pack(const struct jag_pack_options *options, struct jag_pack_result *result, struct jag_error *err);

#endif
