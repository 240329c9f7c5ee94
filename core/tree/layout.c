/* SPDX-License-Identifier: MIT */
/* layout.c - the layout rule. It needs the range of each dimension over all elements, never the elements themselves. */
#include "layout.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
	[JAG_LAYOUT_NONE] = "none",
	[JAG_LAYOUT_CHW] = "chw",
	[JAG_LAYOUT_HWC] = "hwc",
	[JAG_LAYOUT_PLANES] = "planes",
};

int jag_layout_from_name(const char *name, enum jag_layout *layout)
{
	if (!strcmp(name, "auto"))
		return 0;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i])) {
			*layout = (enum jag_layout)i;
			return 1;
		}
	}
	return -EINVAL;
}

const char *jag_layout_name(enum jag_layout layout)
{
	return names[layout];
}

unsigned jag_layout_rank(enum jag_layout layout)
{
	switch (layout) {
	case JAG_LAYOUT_CHW:
	case JAG_LAYOUT_HWC:
		return 3;
	case JAG_LAYOUT_PLANES:
		return 2;
	case JAG_LAYOUT_NONE:
		break;
	}
	return 0;
}

static bool is_image_dtype(enum jag_dtype dtype)
{
	return dtype == JAG_UINT8 || dtype == JAG_UINT16 || dtype == JAG_BOOL;
}

static const char *dtype_name(enum jag_dtype dtype)
{
	const char *torch = jag_dtype_info(dtype)->torch;
	const char *dot = torch ? strchr(torch, '.') : NULL;
	return dot ? dot + 1 : "unknown dtype";
}

JAG_PRINTF(4, 5)
static void choose(struct jag_layout_choice *out, enum jag_layout layout, const struct jag_sequence *seq,
		   const char *fmt, ...)
{
	char reason[96];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	out->layout = layout;
	snprintf(out->why, sizeof(out->why), "%s %s", dtype_name(jag_sequence_dtype(seq)), reason);
}

/* The guess for rank >= 3. */
static void decide_by_shapes(const struct jag_sequence *seq, unsigned rank, struct jag_layout_choice *out)
{
	struct jag_dim_stats first, middle, last;
	const char *more = rank > 3 ? "...," : "";
	if (jag_sequence_dim_stats(seq, rank - 3, &first) || jag_sequence_dim_stats(seq, rank - 2, &middle) ||
	    jag_sequence_dim_stats(seq, rank - 1, &last)) {
		choose(out, JAG_LAYOUT_NONE, seq, "rank %u: no elements to tell a layout from", rank);
		return;
	}
	if (first.only_1_3)
		choose(out, JAG_LAYOUT_CHW, seq, "[%sC,H,W]: every C is 1 or 3", more);
	else if (last.only_1_3_4)
		choose(out, JAG_LAYOUT_HWC, seq, "[%sH,W,C]: every C is 1, 3 or 4", more);
	else if (first.only_4 && !middle.any_4 && !last.any_4)
		choose(out, JAG_LAYOUT_CHW, seq, "[%sC,H,W]: every C is 4, and no H or W is", more);
	else
		choose(out, JAG_LAYOUT_NONE, seq, "rank %u: no dimension holds channels in every element", rank);
}

void jag_layout_decide(const struct jag_sequence *seq, enum jag_layout_source source, enum jag_layout wanted,
		       struct jag_layout_choice *out)
{
	int rank = jag_sequence_rank(seq);
	if (!is_image_dtype(jag_sequence_dtype(seq)))
		choose(out, JAG_LAYOUT_NONE, seq, "values are no pixels");
	else if (rank < 0)
		choose(out, JAG_LAYOUT_NONE, seq, "elements of several ranks are no images");
	else if (rank < 2)
		choose(out, JAG_LAYOUT_NONE, seq, "elements of rank %d are no images", rank);
	else if (source != JAG_LAYOUT_GUESS && (unsigned)rank >= jag_layout_rank(wanted))
		choose(out, wanted, seq, "elements of rank %d: layout %s, %s", rank, jag_layout_name(wanted),
		       source == JAG_LAYOUT_OPTION ? "as the option says" : "as the store says");
	else if (rank == 2)
		choose(out, JAG_LAYOUT_PLANES, seq, "[H,W]: rank 2");
	else
		decide_by_shapes(seq, (unsigned)rank, out);
}
