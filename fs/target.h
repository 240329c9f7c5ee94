/* SPDX-License-Identifier: MIT */
/* target.h - what the verbs that look into a store share: `STORE[/KEY]` on the command line, and the `-o` options
 * that say how a store is shown. */
#ifndef JAG_TARGET_H
#define JAG_TARGET_H

#include "jag/tree.h"

/* Open the store that `arg` names: the longest leading part of it that is a store; what follows is a path below it.
 * `rest` points into `arg` ("" for the store itself), without slashes at its start. */
int jag_target_open(const char *arg, unsigned flags, struct jag_store **store, const char **rest,
		    struct jag_error *err);

/* Tree options as `-o` gives them; the strings are owned. {0} is the defaults. */
struct jag_tree_args {
	struct jag_tree_options options;
	char *format, *layout, *batch, *views, *channels, *rate;
};

/* One item of an -o list, "quality=90". 1: it is one of ours and taken; 0: not ours; -EINVAL: ours, but the value
 * makes no sense (`err` says why); -ENOMEM. Values of one option that is given twice are joined by ':'. */
int jag_tree_args_take(struct jag_tree_args *args, const char *item, struct jag_error *err);

/* A whole "-o a,b=c" list where only tree options make sense (info, ls, cat, put): 0, or -EINVAL with the item
 * named. */
int jag_tree_args_take_list(struct jag_tree_args *args, const char *list, struct jag_error *err);

void jag_tree_args_finish(struct jag_tree_args *args);

/* The lines of these options for --help texts. */
#define JAG_TREE_ARGS_HELP                                                                                \
	"  format=[PATH=]FMT      auto, raw, raw.EXT, npy, pnm, png, jpg, txt, wav: image=jpg:mask=png\n" \
	"  layout=[PATH=]L        auto, chw, hwc, planes, none: where an image is in the dimensions\n"    \
	"  batch=[PATH=]N         number of batch dimensions of dense leaves\n"                           \
	"  list=WHAT              elements (default), whole or both\n"                                    \
	"  views=FMT[:FMT...]     list K@FMT/ beside K/ for these formats\n"                              \
	"  quality=1..100         of jpg (95)\n"                                                          \
	"  subsampling=S          of jpg: 420 (default), 422, 444\n"                                      \
	"  png_level=0..9         0 (default): stored, sizes known without encoding\n"                    \
	"  channels=rgb|bgr       order of the stored channels\n"                                         \
	"  rate=[PATH=]HZ|KEY     samples a second of wav, or the leaf that has them: sound=sound_hz\n"   \
	"  bits                   show bfloat16 and float8 as .npy of uint16 and uint8\n"                 \
	"  skip_bad               leave out what cannot be read, instead of refusing\n"

#endif
