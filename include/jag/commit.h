/* SPDX-License-Identifier: MIT */
/* commit.h - a whole file that somebody wrote becomes the content of an element: decoded once, checked against the
 * element's dtype, shape and layout, and stored with one write. Used by the mount (staged writes, renames) and by
 * `jagfs put`.
 *
 * Nothing is stored unless all of it is right: after any error the element is what it was. The type of an image is
 * told by its content, not by the name that it was written to, so a JPEG copied onto 000042.png is accepted if its
 * shape is right. `raw` takes the bytes as they are. What was written is read back as it was as long as nobody changes
 * the element (see jag_content_remember).
 *
 * Threads: may be called from any thread. A commit excludes snapshots and other commits of the same element, not of
 * others; no lock is held while decoding.
 */
#ifndef JAG_COMMIT_H
#define JAG_COMMIT_H

#include "jag/content.h"

enum {
	JAG_COMMIT_SYNC = 1 << 0, /* the element's bytes are on the disk when it returns 0 */
	JAG_COMMIT_FIT = 1 << 1,  /* an image of another size is resized to the element's */
};

/* Store the file `bytes` as the content of the element at `place` (a file of an element, not read-only).
 * Errors, with `err` naming the two shapes, sizes or the decoder's complaint:
 *   -EINVAL  it does not decode, or is another shape, dtype or size
 *   -EPERM   the place is read-only; -EACCES its directory lists another format (see jag_place.listed_format)
 *   -EROFS, -EACCES, -ENOSPC, -EIO, -ESTALE  from the backing file
 *   -ENOMEM
 * With JAG_COMMIT_SYNC an error of the sync itself is returned although the bytes are in the mapping. */
JAG_API int jag_commit(struct jag_content *content, const struct jag_place *place, const void *bytes, size_t nbytes,
		       unsigned flags, struct jag_error *err);

/* False as long as a file of `nbytes` bytes cannot be whole: raw is whole at exactly its size, the other formats may
 * be at any size but 0. Says nothing about its being right. */
JAG_API bool jag_commit_plausible(const struct jag_place *place, size_t nbytes);

#endif
