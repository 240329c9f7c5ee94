/* SPDX-License-Identifier: MIT */
/* size.c - pack --size: the shape of each element, and whether they are all alike. */
#include "pack_impl.h"

#include <inttypes.h>

int jag_pack_resize_plan(const struct jag_pack *pack, const struct jag_pack_file *file, struct jag_resize_plan *plan)
{
	if (pack->options->size)
		return jag_resize_plan(pack->options->size, file->height, file->width, plan);
	*plan = (struct jag_resize_plan){ .out_height = file->height, .out_width = file->width };
	return 0;
}

uint64_t jag_pack_element_nbytes(const struct jag_pack *pack, const struct jag_pack_file *file)
{
	struct jag_resize_plan plan;
	if (jag_pack_resize_plan(pack, file, &plan))
		return 0;
	return (uint64_t)plan.out_width * plan.out_height * file->channels;
}

void jag_pack_judge_dense(struct jag_pack *pack)
{
	pack->dense = pack->options->size && pack->options->size->rule == JAG_SIZE_EXACT;
	for (size_t i = 1; i < pack->file_count && pack->dense; i++) {
		const struct jag_pack_file *file = &pack->files[i];
		pack->dense = file->channels == pack->files[0].channels;
		if (!pack->dense)
			jag_pack_note(
				pack, file->path,
				"has %u channels, the first image has %u: `image` is nested (--mode makes them alike)",
				file->channels, pack->files[0].channels);
	}
	pack->result->dense = pack->dense;
}
