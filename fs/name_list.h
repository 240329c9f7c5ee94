/* SPDX-License-Identifier: MIT */
/* name_list.h - names from the command line and from NUL-separated lists. */
#ifndef JAG_NAME_LIST_H
#define JAG_NAME_LIST_H

#include "jag/buffer.h"

/* {0} is empty. */
struct jag_name_list {
	const char **names; /* NULL-terminated memory of argv or of `texts` */
	size_t count, capacity;
	struct jag_buffer texts[2]; /* whole lists that were read */
	unsigned text_count;
};

/* The string is borrowed. -ENOMEM. */
int jag_name_list_add(struct jag_name_list *list, const char *name);

/* Every name of a NUL-separated list in the file `path`, "-" for standard input; the last NUL may be missing. -EBUSY
 * if too many lists were read already, or -errno of reading. */
int jag_name_list_read(struct jag_name_list *list, const char *path);

void jag_name_list_free(struct jag_name_list *list);

#endif
