/* SPDX-License-Identifier: MIT */
/* size_args.c - the options that say what size images shall have. */
#include "size_args.h"

#include "ui.h"

int jag_size_args_size(struct jag_size_args *args, const struct jag_cmd *cmd, const char *value)
{
	struct jag_error err = { 0 };
	if (jag_resize_parse(value, &args->spec, &err))
		return jag_ui_usage(cmd, "--size: %s", err.message);
	args->size = true;
	return 0;
}

int jag_size_args_fit(struct jag_size_args *args, const struct jag_cmd *cmd, const char *value)
{
	struct jag_error err = { 0 };
	if (jag_fit_parse(value, &args->spec.fit, &err))
		return jag_ui_usage(cmd, "--fit: %s", err.message);
	args->fit = true;
	return 0;
}

int jag_size_args_check(const struct jag_size_args *args, const struct jag_cmd *cmd)
{
	if (!args->size && (args->fit || args->spec.no_antialias))
		return jag_ui_usage(cmd, "--fit and --no-antialias need --size");
	if (args->fit && args->spec.rule != JAG_SIZE_EXACT)
		return jag_ui_usage(cmd, "--fit needs a --size of the form HEIGHTxWIDTH");
	return 0;
}
