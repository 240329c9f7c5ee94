/* SPDX-License-Identifier: MIT */
/* size_args.h - --size, --fit and --no-antialias, as `pack` and `resize` take them. */
#ifndef JAG_SIZE_ARGS_H
#define JAG_SIZE_ARGS_H

#include "cmd.h"
#include "jag/resize.h"

struct jag_size_args {
	struct jag_resize_spec spec;
	bool size, fit; /* which were given */
};

/* One option's value: 0, or JAG_EXIT_USAGE with a message. */
int jag_size_args_size(struct jag_size_args *args, const struct jag_cmd *cmd, const char *value);
int jag_size_args_fit(struct jag_size_args *args, const struct jag_cmd *cmd, const char *value);

/* Once all options have been read: do they make sense together? */
int jag_size_args_check(const struct jag_size_args *args, const struct jag_cmd *cmd);

/* The lines of --fit and --no-antialias for --help texts. */
#define JAG_SIZE_ARGS_HELP                                                                                         \
	"      --fit HOW           what HxW does to other aspect ratios: stretch (default), cover (cut to fit),\n" \
	"                          contain (on black)\n"                                                           \
	"      --no-antialias      interpolate two samples for each axis instead of averaging\n"

#endif
