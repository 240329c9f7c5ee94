/* SPDX-License-Identifier: MIT */
/* chunks.c - the images of a pack split into runs whose nested leaves stay below the limit, and each image's place. */
#include "pack_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t path_nbytes(const struct jag_pack_file *file)
{
	return strlen(file->path + file->name);
}

/* The longest run from `first` that fits; at least one image (pass 1 has seen to that). */
static uint64_t run_length(const struct jag_pack *pack, uint64_t first, uint64_t *elements)
{
	uint64_t limit = pack->options->chunk_elements, image = 0, path = 0, i = first;
	/* What tensordict cannot load is a large nested leaf. */
	uint64_t image_limit = pack->dense && limit == JAG_NESTED_LOADABLE_MAX ? UINT64_MAX : limit;
	for (; i < pack->file_count; i++) {
		const struct jag_pack_file *file = &pack->files[i];
		uint64_t n = jag_pack_element_nbytes(pack, file);
		path += path_nbytes(file);
		/* Paths count too: a million empty images would pass the limit with their names. */
		if (i > first && (image + n > image_limit || path > limit))
			break;
		pack->offsets[i] = image;
		image += n;
	}
	*elements = image;
	return i - first;
}

static int add_chunk(struct jag_pack *pack, uint64_t first, uint64_t count, uint64_t elements)
{
	struct jag_pack_chunk *chunks = realloc(pack->chunks, (pack->chunk_count + 1) * sizeof(*chunks));
	if (!chunks)
		return -ENOMEM;
	pack->chunks = chunks;
	chunks[pack->chunk_count] =
		(struct jag_pack_chunk){ .first = first, .count = count, .elements = elements, .pack = pack };
	atomic_init(&chunks[pack->chunk_count].todo, count);
	pack->chunk_count++;
	return 0;
}

int jag_pack_split(struct jag_pack *pack, struct jag_error *err)
{
	pack->offsets = malloc(pack->file_count * sizeof(*pack->offsets));
	int rc = pack->offsets ? 0 : -ENOMEM;
	for (uint64_t first = 0; first < pack->file_count && !rc;) {
		uint64_t elements, n = run_length(pack, first, &elements);
		rc = add_chunk(pack, first, n, elements);
		first += n;
		pack->result->image_nbytes += elements;
	}
	if (rc)
		return jag_error_set(err, rc, NULL, 0, "out of memory for the list of images");
	pack->result->chunks = pack->chunk_count > 1 ? pack->chunk_count : 0;
	for (size_t i = 0; i < pack->file_count; i++)
		pack->result->source_nbytes += pack->files[i].nbytes;
	return 0;
}

int jag_pack_image_rows(void *chunk, uint64_t first, uint64_t n, int64_t *out)
{
	const struct jag_pack_chunk *c = chunk;
	const struct jag_pack_file *file = c->pack->files + c->first + first;
	struct jag_resize_plan plan;
	for (uint64_t i = 0; i < n; i++, file++, out += 3) {
		int rc = jag_pack_resize_plan(c->pack, file, &plan);
		if (rc)
			return rc;
		out[0] = file->channels;
		out[1] = plan.out_height;
		out[2] = plan.out_width;
	}
	return 0;
}

int jag_pack_path_rows(void *chunk, uint64_t first, uint64_t n, int64_t *out)
{
	const struct jag_pack_chunk *c = chunk;
	for (uint64_t i = 0; i < n; i++)
		out[i] = (int64_t)path_nbytes(&c->pack->files[c->first + first + i]);
	return 0;
}
