/* SPDX-License-Identifier: MIT */
/* pack_impl.h - what the passes of packing share: the list of files, and what is known of each. */
#ifndef JAG_PACK_IMPL_H
#define JAG_PACK_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "jag/create.h"
#include "jag/pack.h"

enum jag_pack_state {
	JAG_FILE_NEW,    /* found by the scan */
	JAG_FILE_IMAGE,  /* its header is good, its shape is known */
	JAG_FILE_OTHER,  /* neither image content nor an image's suffix */
	JAG_FILE_REFUSED /* an error, left out (skip_errors) */
};

#define JAG_NO_LABEL UINT32_MAX

/* One file. 10 million of these must fit in memory, so no strings of its own. */
struct jag_pack_file {
	const char *path;       /* as it is opened; memory of the list */
	uint32_t source;        /* index of its source: sorts first */
	uint16_t name;          /* offset in `path` of the recorded name; paths are shorter than PATH_MAX */
	uint16_t dir;           /* bytes of the recorded name that are its directory, without the slash */
	uint16_t class_dir;     /* bytes of it that are its first folder */
	uint32_t label;         /* index of its class folder, JAG_NO_LABEL */
	uint32_t width, height; /* of the pixels that are decoded, before --size */
	uint8_t channels;       /* of the element */
	uint8_t orientation;
	uint8_t state;   /* enum jag_pack_state */
	uint64_t nbytes; /* of the file */
};

/* One block of memory for many path strings. */
struct jag_arena_block {
	struct jag_arena_block *next;
	size_t used, size;
	char bytes[];
};

/* An error of one file that does not stop the work; told in order once a pass is over. */
struct jag_pack_refusal {
	uint64_t index;
	struct jag_error error;
};

struct jag_pack_chunk {
	uint64_t first, count; /* files [first, first + count) */
	uint64_t elements;     /* of `image` */
	struct jag_create_dir *dir;
	struct jag_create_leaf *image, *path, *label;
	struct jag_pack *pack;
	atomic_uint_least64_t todo; /* images not written yet; at 0 the data file can be closed */
};

struct jag_pack {
	const struct jag_pack_options *options;
	struct jag_pack_result *result;

	struct jag_arena_block *arena;
	struct jag_pack_file *files; /* after headers: images only */
	size_t file_count, file_capacity;

	const char **class_dirs; /* while scanning: first-level folders of folder sources, with repeats */
	size_t class_dir_count;
	bool loose;           /* a source is no folder: no labels */
	const char **classes; /* sorted, once each; NULL: no labels */
	size_t class_count;

	pthread_mutex_t mutex; /* refusals */
	struct jag_pack_refusal *refusals;
	size_t refusal_count;

	bool dense;        /* `image` is dense: --size HxW */
	uint64_t *offsets; /* of each image in its chunk's `image` */
	struct jag_pack_chunk *chunks;
	size_t chunk_count;
	struct jag_create *create;
};

/* scan.c: fill `files` from the sources, in their final order, and class_dirs. */
int jag_pack_scan(struct jag_pack *pack, struct jag_error *err);

/* headers.c: pass 1. Leaves only images in `files`, each with its shape. */
int jag_pack_headers(struct jag_pack *pack, struct jag_error *err);

/* classes.c: labels from class folders, if all images have one. */
int jag_pack_classes(struct jag_pack *pack, struct jag_error *err);

/* chunks.c: split `files` into chunks, and offsets. */
int jag_pack_split(struct jag_pack *pack, struct jag_error *err);

/* plan.c: keys and leaves of all chunks. */
int jag_pack_plan(struct jag_pack *pack, struct jag_error *err);

/* decode.c: pass 2. Files that fail under skip_errors are JAG_FILE_REFUSED afterwards; their bytes are undefined. */
int jag_pack_decode(struct jag_pack *pack, struct jag_error *err);

/* compact.c: take the places of refused files out of a chunk and of `files`. */
int jag_pack_compact(struct jag_pack *pack, struct jag_error *err);

/* plan.c: write `path` and `label`, once it is known which images stayed. */
int jag_pack_write_small(struct jag_pack *pack, struct jag_error *err);

/* Shape rows of a chunk, for jag_rows. */
int jag_pack_image_rows(void *chunk, uint64_t first, uint64_t n, int64_t *out);
int jag_pack_path_rows(void *chunk, uint64_t first, uint64_t n, int64_t *out);

/* size.c: what --size makes of one image; without it, what leaves it as it is. -EINVAL: no such size. */
int jag_pack_resize_plan(const struct jag_pack *pack, const struct jag_pack_file *file, struct jag_resize_plan *plan);

/* Bytes of the element (uint8) of one image; its shape has been checked. */
uint64_t jag_pack_element_nbytes(const struct jag_pack *pack, const struct jag_pack_file *file);

/* Once the images are known: are their elements all of one shape, so that `image` is dense? */
void jag_pack_judge_dense(struct jag_pack *pack);

/* A failure of file `index` (SIZE_MAX: of none): remembered and 0 under skip_errors, else `code`. Any thread. */
int jag_pack_refuse(struct jag_pack *pack, size_t index, int code, const struct jag_error *error);

/* Tell the remembered refusals in order, and forget them. */
void jag_pack_tell_refusals(struct jag_pack *pack);

void jag_pack_note(struct jag_pack *pack, const char *what, const char *fmt, ...) JAG_PRINTF(3, 4);

/* "strerror" of a failed system call on a path. */
int jag_pack_errno(struct jag_error *err, const char *path, int code, const char *what);

#endif
