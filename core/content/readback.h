/* SPDX-License-Identifier: MIT */
/* readback.h - the bytes that were written last, for as long as they still stand for the element's content, so that who
 * has just copied a file to an element reads the same file back (`cp` and `cmp`, `rsync -c`), and not our encoding of
 * the same pixels.
 *
 * An entry belongs to one element in one format and is good for one content, which its hash tells. It is dropped when
 * another content is seen, or when the limit in bytes needs its room (the oldest first).
 *
 * Locks: one mutex inside, a leaf: held for a look-up or an insertion, never while anything is copied or hashed.
 */
#ifndef JAG_CONTENT_READBACK_H
#define JAG_CONTENT_READBACK_H

#include "jag/content.h"

struct jag_readback;

/* limit 0: nothing is ever remembered. */
int jag_readback_create(uint64_t limit_nbytes, struct jag_readback **out);
void jag_readback_destroy(struct jag_readback *readback); /* NULL is fine */

/* The element `element` in this format has now the content `hash`, and these bytes were written. Copies them; what
 * cannot be remembered (no memory, larger than the limit) only makes the old entry go. `usual_size`: every encoding of
 * the element has this size, whatever its content. */
void jag_readback_set(struct jag_readback *readback, jag_node element, enum jag_format format, uint64_t hash,
		      const void *bytes, size_t nbytes, bool usual_size);

/* The written bytes, as a reference, if they stand for the content `hash`; NULL otherwise. The blob's hash is not the
 * content's: the same content may be read in an encoding of ours at the same time, and the two must not be mixed. */
struct jag_blob *jag_readback_get(struct jag_readback *readback, jag_node element, enum jag_format format,
				  uint64_t hash);

/* Has this element ever had an entry? May be true without one, never false with one. Lock-free. */
bool jag_readback_touched(const struct jag_readback *readback, jag_node element);

/* The same of entries of another size than the usual one. */
bool jag_readback_resized(const struct jag_readback *readback, jag_node element);

/* Bytes that are held now. */
uint64_t jag_readback_nbytes(struct jag_readback *readback);

#endif
