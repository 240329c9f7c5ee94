/* SPDX-License-Identifier: MIT */
/* element.c - reading, writing, syncing and lending one located element, piece by piece; see jag/sequence.h. The file
 * calls are in store/file.c. */
#include <errno.h>
#include <string.h>

#include "checked.h"
#include "sequence.h"
#include "store/file.h"

/* An element may have been copied since it was located, so `pieces` is not trusted to point to its own `one`. */
static const struct jag_piece *pieces_of(const struct jag_element *element)
{
	return element->piece_count == 1 ? &element->one : element->pieces;
}

/* The part of [offset, offset + n) that lies in the first piece that it touches. */
struct run {
	const struct jag_piece *piece;
	uint64_t offset; /* in the file */
	size_t nbytes;
};

/* n > 0 and inside the element, so there is such a piece. */
static struct run run_at(const struct jag_element *element, uint64_t offset, size_t n)
{
	const struct jag_piece *piece = pieces_of(element);
	while (offset >= piece->nbytes) {
		offset -= piece->nbytes;
		piece++;
	}
	uint64_t left = piece->nbytes - offset;
	return (struct run){ piece, piece->offset + offset, left < n ? (size_t)left : n };
}

int jag_element_narrow(struct jag_element *element, unsigned lead_rank, uint64_t sub)
{
	uint64_t lead, nbytes, skip;
	struct jag_shape *shape = &element->shape;
	if (element->piece_count > 1 || lead_rank > shape->rank)
		return -EINVAL;
	int rc = jag_checked_product(shape->dims, lead_rank, &lead);
	if (rc)
		return rc;
	if (sub >= lead)
		return -ERANGE;
	shape->rank -= lead_rank;
	memmove(shape->dims, shape->dims + lead_rank, shape->rank * sizeof(*shape->dims));
	rc = jag_shape_nbytes(shape, &nbytes);
	if (rc == 0)
		rc = jag_checked_mul(sub, nbytes, &skip);
	if (rc)
		return rc;
	jag_element_one_piece(element, element->one.file, element->one.offset + skip, nbytes);
	return 0;
}

int jag_element_read(const struct jag_element *element, void *dst, size_t n, uint64_t offset)
{
	uint8_t *to = dst;
	if (!jag_range_inside(offset, n, element->nbytes))
		return -ERANGE;
	while (n > 0) {
		struct run run = run_at(element, offset, n);
		int rc = jag_file_read(run.piece->file, to, run.nbytes, run.offset);
		if (rc)
			return rc;
		to += run.nbytes;
		offset += run.nbytes;
		n -= run.nbytes;
	}
	return 0;
}

int jag_element_reserve(const struct jag_element *element, size_t n, uint64_t offset)
{
	int rc = 0;
	if (!jag_range_inside(offset, n, element->nbytes))
		return -ERANGE;
	while (n > 0 && rc == 0) {
		struct run run = run_at(element, offset, n);
		rc = jag_file_reserve(run.piece->file, run.nbytes, run.offset);
		offset += run.nbytes;
		n -= run.nbytes;
	}
	return rc;
}

int jag_element_write(const struct jag_element *element, const void *src, size_t n, uint64_t offset)
{
	const uint8_t *from = src;
	if (!jag_range_inside(offset, n, element->nbytes))
		return -ERANGE;
	/* all of it or nothing, also where it lies in several files */
	int reserved = jag_element_reserve(element, n, offset);
	if (reserved)
		return reserved;
	while (n > 0) {
		struct run run = run_at(element, offset, n);
		int rc = jag_file_write(run.piece->file, from, run.nbytes, run.offset);
		if (rc)
			return rc;
		from += run.nbytes;
		offset += run.nbytes;
		n -= run.nbytes;
	}
	return 0;
}

int jag_element_sync(const struct jag_element *element)
{
	const struct jag_piece *piece = pieces_of(element);
	for (size_t i = 0; i < element->piece_count; i++) {
		int rc = jag_file_sync(piece[i].file, piece[i].nbytes, piece[i].offset);
		if (rc)
			return rc;
	}
	return 0;
}

int jag_element_fd(const struct jag_element *element, size_t n, uint64_t offset, int *fd, uint64_t *at)
{
	if (!jag_range_inside(offset, n, element->nbytes))
		return -ERANGE;
	if (n == 0)
		return -EOPNOTSUPP;
	struct run run = run_at(element, offset, n);
	if (run.nbytes != n)
		return -EOPNOTSUPP;
	*at = run.offset;
	return jag_file_fd(run.piece->file, n, run.offset, fd);
}

const char *jag_element_path(const struct jag_element *element)
{
	return element->piece_count ? pieces_of(element)->file->path : "";
}
