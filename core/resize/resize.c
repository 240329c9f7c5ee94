/* SPDX-License-Identifier: MIT */
/* resize.c - the arithmetic of sizes: what a user writes after --size and --fit, and what it means for one image.
 * Pure integer arithmetic; the pixels are made in kernel.c. */
#include "jag/resize.h"

#include <errno.h>
#include <string.h>

/* A decimal number in [1, JAG_RESIZE_SIDE_MAX] at *text, which moves behind it. No sign, no space. */
static bool parse_side(const char **text, uint32_t *side)
{
	const char *at = *text;
	uint64_t value = 0;
	for (; *at >= '0' && *at <= '9'; at++) {
		value = value * 10 + (uint64_t)(*at - '0');
		if (value > JAG_RESIZE_SIDE_MAX)
			return false;
	}
	if (at == *text || value == 0)
		return false;
	*text = at;
	*side = (uint32_t)value;
	return true;
}

int jag_resize_parse(const char *text, struct jag_resize_spec *spec, struct jag_error *err)
{
	const char *at = text;
	uint32_t first = 0, second = 0;
	if (strncmp(at, "short:", 6) == 0 || strncmp(at, "max:", 4) == 0) {
		enum jag_size_rule rule = *at == 's' ? JAG_SIZE_SHORT : JAG_SIZE_MAX;
		at = strchr(at, ':') + 1;
		if (!parse_side(&at, &first) || *at)
			goto bad;
		spec->rule = rule;
		spec->side = first;
		return 0;
	}
	if (!parse_side(&at, &first) || *at++ != 'x' || !parse_side(&at, &second) || *at)
		goto bad;
	spec->rule = JAG_SIZE_EXACT;
	spec->height = first;
	spec->width = second;
	return 0;
bad:
	return jag_error_set(err, -EINVAL, NULL, 0,
			     "size '%s': expected HEIGHTxWIDTH, short:SIDE or max:SIDE with sides from 1 to %u", text,
			     JAG_RESIZE_SIDE_MAX);
}

int jag_fit_parse(const char *text, enum jag_fit *fit, struct jag_error *err)
{
	static const char *const names[] = { "stretch", "cover", "contain" };
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) == 0) {
			*fit = (enum jag_fit)i;
			return 0;
		}
	}
	return jag_error_set(err, -EINVAL, NULL, 0, "fit '%s': expected stretch, cover or contain", text);
}

/* floor(side * other / base), at least 1; 0 if it is beyond the limit. The factors are below 2^25: no overflow.
 * torchvision computes int(side * other / base) in doubles: the same, since a quotient of such numbers that is not
 * whole is further from a whole number than half a unit in a double's last place. */
static uint32_t scale_side(uint32_t side, uint32_t other, uint32_t base)
{
	uint64_t scaled = (uint64_t)side * other / base;
	if (scaled > JAG_RESIZE_SIDE_MAX)
		return 0;
	return scaled ? (uint32_t)scaled : 1;
}

/* Half of an even rest; of an odd one, the even one of both neighbours: Python's round(), so torchvision's
 * CenterCrop. */
static uint32_t centre(uint32_t rest)
{
	uint32_t half = rest / 2;
	return rest % 2 ? half + half % 2 : half;
}

static void plan_exact(const struct jag_resize_spec *spec, struct jag_resize_plan *plan)
{
	uint32_t h = plan->in_height, w = plan->in_width;
	plan->out_height = plan->scaled_height = spec->height;
	plan->out_width = plan->scaled_width = spec->width;
	if (spec->fit == JAG_FIT_STRETCH)
		return;
	/* Is the image narrower than the target, so that the widths meet first when it grows to cover it? */
	bool narrower = (uint64_t)spec->height * w < (uint64_t)spec->width * h;
	if (narrower == (spec->fit == JAG_FIT_COVER))
		plan->scaled_height = scale_side(spec->width, h, w);
	else
		plan->scaled_width = scale_side(spec->height, w, h);
	if (spec->fit == JAG_FIT_COVER) {
		plan->crop_y = plan->scaled_height ? centre(plan->scaled_height - spec->height) : 0;
		plan->crop_x = plan->scaled_width ? centre(plan->scaled_width - spec->width) : 0;
	} else {
		plan->pad_y = (spec->height - plan->scaled_height) / 2;
		plan->pad_x = (spec->width - plan->scaled_width) / 2;
	}
}

int jag_resize_plan(const struct jag_resize_spec *spec, uint32_t height, uint32_t width, struct jag_resize_plan *plan)
{
	if (!height || !width || height > JAG_RESIZE_SIDE_MAX || width > JAG_RESIZE_SIDE_MAX)
		return -EINVAL;
	*plan = (struct jag_resize_plan){ .in_height = height, .in_width = width, .no_antialias = spec->no_antialias };
	if (spec->rule == JAG_SIZE_EXACT) {
		if (!spec->height || !spec->width || spec->height > JAG_RESIZE_SIDE_MAX ||
		    spec->width > JAG_RESIZE_SIDE_MAX)
			return -EINVAL;
		plan_exact(spec, plan);
	} else {
		if (!spec->side || spec->side > JAG_RESIZE_SIDE_MAX)
			return -EINVAL;
		uint32_t shorter = height < width ? height : width;
		uint32_t longer = height < width ? width : height;
		bool keep = spec->rule == JAG_SIZE_MAX && longer <= spec->side;
		uint32_t base = spec->rule == JAG_SIZE_SHORT ? shorter : longer;
		plan->scaled_height = keep ? height : scale_side(spec->side, height, base);
		plan->scaled_width = keep ? width : scale_side(spec->side, width, base);
		plan->out_height = plan->scaled_height;
		plan->out_width = plan->scaled_width;
	}
	return plan->scaled_height && plan->scaled_width ? 0 : -EINVAL;
}
