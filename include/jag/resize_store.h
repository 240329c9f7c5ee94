/* SPDX-License-Identifier: MIT */
/* resize_store.h - the images of one store -> a new store with images of one size, or of bounded size.
 *
 * Exact sizes give a dense leaf [n, ...] (unless the images differ in channels or leading dimensions), short: and max:
 * a nested one, under the key and with the dtype and layout that the images had. Leaves beside them that have as many
 * elements (`label`, `path`) and values (`classes`) are kept as they are. A nested uint8 leaf of rank 1 is taken as
 * image files, which are decoded to [C, H, W].
 *
 * A nested leaf that would have more elements than asked for is split into collections "0", "1", ..., as packing does.
 *
 * Threads: jag_resize_store() starts its own workers and has joined them when it returns.
 */
#ifndef JAG_RESIZE_STORE_H
#define JAG_RESIZE_STORE_H

#include "jag/progress.h"
#include "jag/resize.h"
#include "jag/store.h"

struct jag_resize_options {
	const char *target; /* the new store */
	struct jag_resize_spec spec;
	const char *layout;             /* chw, hwc, planes; NULL or auto: as the mount sees the images */
	enum jag_mode mode;             /* image files: JAG_MODE_RGB is 0 */
	bool exif;                      /* image files: turn them upright */
	struct jag_image_limits limits; /* image files; 0 in a field: no limit */
	unsigned workers;               /* 0: all CPUs; 1: the calling thread */
	uint64_t chunk_elements;        /* most scalars of one nested leaf; 0: what tensordict can load */
	bool force;                     /* replace a store that is at the target */
	bool nosync;                    /* do not wait for the disk */
	const char *writer;             /* version of the program, recorded in the store */

	/* One line about something that a user should know; `what` is a key, or NULL. Called on the caller's thread. */
	void (*note)(void *ctx, const char *what, const char *text);
	void *note_ctx;
	struct jag_watch *watch; /* may be NULL */
};

struct jag_resize_result {
	uint64_t images;
	uint64_t chunks;       /* 0: not split */
	uint64_t image_nbytes; /* of the results */
	uint64_t store_nbytes; /* of all leaves */
	uint64_t kept;         /* leaves and values beside the images */
	bool dense, decoded;   /* the result is a dense leaf; the source was image files */
};

/* `key` is the path of the images below the root of `store` ("image", "obs/pixels"). -ENOENT there is none; -EINVAL
 * they are no images; else as creating a store and reading one. After a failure nothing is left at the target. */
JAG_API int jag_resize_store(const struct jag_store *store, const char *key, const struct jag_resize_options *options,
			     struct jag_resize_result *result, struct jag_error *err);

#endif
