/* SPDX-License-Identifier: MIT */
/* cleanup.h - locals that release themselves when they go out of scope, and how to hand one over. */
#ifndef JAG_CLEANUP_H
#define JAG_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

static inline void jag_cleanup_free_(void *pointer_to_pointer)
{
	free(*(void **)pointer_to_pointer);
}

static inline void jag_cleanup_close_(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* char *text JAG_AUTO_FREE = NULL; -- free()d at the end of the scope. Must be initialised. */
#define JAG_AUTO_FREE __attribute__((cleanup(jag_cleanup_free_)))

/* int fd JAG_AUTO_CLOSE = -1; -- close()d at the end of the scope unless negative. Must be initialised. */
#define JAG_AUTO_CLOSE __attribute__((cleanup(jag_cleanup_close_)))

/* The pointer's value; the pointer becomes NULL, so its cleanup does nothing: `*out = JAG_STEAL(text);` */
#define JAG_STEAL(pointer)                               \
	(__extension__({                                 \
		__typeof__(pointer) stolen_ = (pointer); \
		(pointer) = NULL;                        \
		stolen_;                                 \
	}))

/* The same for a file descriptor; it becomes -1. */
static inline int jag_steal_fd(int *fd)
{
	int stolen = *fd;
	*fd = -1;
	return stolen;
}

#endif
