/* SPDX-License-Identifier: MIT */
/* compact.c - images that turned out to be bad in pass 2 leave a hole in the store: their shape was promised by the
 * header. The images after them are moved down over it, so that no element of zeros stays. */
#include "pack_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_NBYTES (size_t)(1 << 20)

/* Move bytes of a leaf to a lower offset; the two ranges may overlap, so it goes from low to high. */
static int move_down(struct jag_create_leaf *leaf, uint64_t from, uint64_t to, uint64_t nbytes, uint8_t *block)
{
	int rc = 0;
	while (nbytes && !rc) {
		size_t n = nbytes < BLOCK_NBYTES ? (size_t)nbytes : BLOCK_NBYTES;
		rc = jag_create_read(leaf, block, n, from);
		if (!rc)
			rc = jag_create_write(leaf, block, n, to);
		from += n;
		to += n;
		nbytes -= n;
	}
	return rc;
}

/* Close the holes of one chunk; `kept` is where its files go in the list. */
static int compact_chunk(struct jag_pack *pack, struct jag_pack_chunk *chunk, size_t kept, uint8_t *block)
{
	size_t first = kept;
	uint64_t to = 0;
	for (uint64_t i = chunk->first; i < chunk->first + chunk->count; i++) {
		struct jag_pack_file *file = &pack->files[i];
		if (file->state != JAG_FILE_IMAGE)
			continue;
		uint64_t from = pack->offsets[i], nbytes = jag_pack_element_nbytes(pack, file);
		int rc = from == to ? 0 : move_down(chunk->image, from, to, nbytes, block);
		if (rc)
			return rc;
		pack->files[kept] = *file;
		pack->offsets[kept++] = to;
		to += nbytes;
	}
	jag_create_close(chunk->image);
	chunk->first = first;
	chunk->count = kept - first;
	chunk->elements = to;
	return 0;
}

/* The leaves of a chunk get the shapes of the images that stayed. */
static int shrink_leaves(struct jag_pack_chunk *chunk, struct jag_error *err)
{
	int64_t batch = (int64_t)chunk->count;
	struct jag_rows image = { .count = chunk->count, .rank = 3, .fetch = jag_pack_image_rows, .ctx = chunk };
	struct jag_rows path = { .count = chunk->count, .rank = 1, .fetch = jag_pack_path_rows, .ctx = chunk };
	int rc = jag_create_shrink(chunk->image, &image, err);
	if (!rc)
		rc = jag_create_shrink(chunk->path, &path, err);
	if (!rc && chunk->label)
		rc = jag_create_shrink(chunk->label, &path, err);
	return rc ? rc : jag_create_set_batch(chunk->dir, 1, &batch, err);
}

/* A class of which no image is left keeps its label, so that the others' labels do not change; but it is told. */
static int tell_empty_classes(struct jag_pack *pack)
{
	bool *used = calloc(pack->class_count + 1, sizeof(*used));
	if (!used)
		return -ENOMEM;
	for (size_t i = 0; pack->classes && i < pack->file_count; i++)
		used[pack->files[i].label] = true;
	for (size_t i = 0; i < pack->class_count && !pack->options->allow_empty; i++)
		if (!used[i])
			jag_pack_note(pack, pack->classes[i], "no image of this class is left");
	free(used);
	return 0;
}

int jag_pack_compact(struct jag_pack *pack, struct jag_error *err)
{
	uint8_t *block = malloc(BLOCK_NBYTES);
	if (!block)
		return -ENOMEM;
	size_t kept = 0;
	int rc = 0;
	for (size_t i = 0; i < pack->chunk_count && !rc; i++) {
		struct jag_pack_chunk *chunk = &pack->chunks[i];
		uint64_t before = chunk->count;
		rc = compact_chunk(pack, chunk, kept, block);
		if (rc)
			rc = jag_pack_errno(err, pack->options->target, rc, "cannot move images over those left out");
		else if (chunk->count != before)
			rc = shrink_leaves(chunk, err);
		kept += chunk->count;
	}
	pack->file_count = kept;
	free(block);
	return rc ? rc : tell_empty_classes(pack);
}
