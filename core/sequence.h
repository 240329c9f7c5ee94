/* SPDX-License-Identifier: MIT */
/* sequence.h (private) - what a kind of sequence is to the rest of core/sequence*.c: one small vtable. */
#ifndef JAG_SEQUENCE_PRIVATE_H
#define JAG_SEQUENCE_PRIVATE_H

#include "jag/sequence.h"

struct jag_sequence_ops {
	/* i < count; `out` is zeroed but for its shape. Sets shape, nbytes and pieces. */
	int (*locate)(const struct jag_sequence *seq, uint64_t i, struct jag_element *out);
	/* count > 0 and dim < rank. */
	int (*dim_stats)(const struct jag_sequence *seq, unsigned dim, struct jag_dim_stats *out);
	/* Release what the sequence owns; the memory of the sequence itself is freed by the caller. */
	void (*finish)(struct jag_sequence *seq);
};

/* First member of every kind. */
struct jag_sequence {
	const struct jag_sequence_ops *ops;
	uint64_t count;
	enum jag_dtype dtype;
	int rank; /* of every element; -1: they differ */
};

/* The bytes [offset, offset + nbytes) of `file` as the element's one piece; none if nbytes is 0. */
void jag_element_one_piece(struct jag_element *element, struct jag_file *file, uint64_t offset, uint64_t nbytes);

/* Stats of a dimension that is v in every element. */
struct jag_dim_stats jag_dim_stats_of(int64_t v);

#endif
