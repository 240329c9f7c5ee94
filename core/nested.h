/* SPDX-License-Identifier: MIT */
/* nested.h - where the components of a nested leaf begin: sparse prefix sums over its shape matrix.
 *
 * 64 rows share one 8-byte sum, so ten million components cost 1.2 MiB. To find a component, the rows of its block are
 * read again and added up. They lie in a file that others may change, so they are checked as if seen for the first
 * time, and against the sums: whatever they say now, no offset leaves the block that was measured at open. */
#ifndef JAG_NESTED_H
#define JAG_NESTED_H

#include "jag/error.h"
#include "jag/store.h"

#define JAG_INDEX_BLOCK 64

/* One pass over the int64 [n, d] matrix at `offset` of `file`, n and d > 0, d <= JAG_MAX_RANK. Fills dims[d].
 * The file must stay open. -EINVAL a negative size, -EOVERFLOW, -EIO, -ENOMEM; `err` says which row (its path is left
 * empty). */
int jag_index_build(const struct jag_file *file, uint64_t offset, uint64_t n, unsigned d, struct jag_index **out,
		    struct jag_dim_stats *dims, struct jag_error *err);

/* Elements in all components. */
uint64_t jag_index_numel(const struct jag_index *index);

/* NULL is fine. */
void jag_index_free(struct jag_index *index);

/* Row i (< n) into dims[d], and the number of elements before the component. -EIO: the matrix is not what it was. */
int jag_index_locate(const struct jag_index *index, uint64_t i, int64_t *dims, uint64_t *first_element);

#endif
