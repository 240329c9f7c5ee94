/* SPDX-License-Identifier: MIT */
/* json.c - how images were resized, as text for the value `jagfs` of a store. */
#include "resize_json.h"

#include <stdio.h>

#include "json_text.h"

int jag_resize_spec_json(const struct jag_resize_spec *spec, struct jag_buffer *out)
{
	static const char *const fits[] = { "stretch", "cover", "contain" };
	char text[128];
	if (spec->rule == JAG_SIZE_EXACT)
		snprintf(text, sizeof(text), ",\"size\":\"%ux%u\",\"fit\":\"%s\"", spec->height, spec->width,
			 fits[spec->fit]);
	else
		snprintf(text, sizeof(text), ",\"size\":\"%s:%u\"", spec->rule == JAG_SIZE_SHORT ? "short" : "max",
			 spec->side);
	int rc = jag_emit_raw(out, text);
	return rc ? rc : jag_emit_raw(out, spec->no_antialias ? ",\"antialias\":false" : ",\"antialias\":true");
}
