/* SPDX-License-Identifier: MIT */
/* buffer_load.c - a whole file into a buffer. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "transfer.h"

int jag_buffer_load(struct jag_buffer *buf, const char *path)
{
	/* O_NONBLOCK: opening a pipe must not wait for a writer. */
	int fd JAG_AUTO_CLOSE = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	size_t end;
	if (__builtin_add_overflow(buf->nbytes, (size_t)st.st_size, &end))
		return -ENOMEM;
	return jag_read_on(fd, buf, end);
}
