/* SPDX-License-Identifier: MIT */
/* list.h - a sequence of byte strings as one JSON list. Made anew each time: nothing is kept here. */
#ifndef JAG_CONTENT_LIST_H
#define JAG_CONTENT_LIST_H

#include "jag/buffer.h"
#include "locks.h"

/* The most that a list may take in memory; ten million paths of 200 bytes. Above: -EFBIG. */
#define JAG_LIST_NBYTES_MAX (UINT64_C(2) << 30)

/* Size and XXH3 hash of the list as it is now; takes about a MiB of memory, however long it is. Errors: of reading the
 * elements; -EFBIG; -ENOMEM. */
int jag_list_measure(struct jag_locks *locks, const struct jag_text_list *list, uint64_t *nbytes, uint64_t *hash);

/* Append the list. On failure `out` holds a part of it. */
int jag_list_encode(struct jag_locks *locks, const struct jag_text_list *list, struct jag_buffer *out);

#endif
