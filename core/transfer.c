/* SPDX-License-Identifier: MIT */
/* transfer.c - the loops around read and write calls; see transfer.h. */
#include "transfer.h"

#include <errno.h>
#include <unistd.h>

int jag_read_at(int fd, void *dst, size_t n, uint64_t offset)
{
	uint8_t *to = dst;
	while (n > 0) {
		ssize_t got = pread(fd, to, n, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EIO;
		to += got;
		n -= (size_t)got;
		offset += (uint64_t)got;
	}
	return 0;
}

int jag_write_at(int fd, const void *src, size_t n, uint64_t offset)
{
	const uint8_t *from = src;
	while (n > 0) {
		ssize_t put = pwrite(fd, from, n, (off_t)offset);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? -errno : -EIO;
		from += put;
		n -= (size_t)put;
		offset += (uint64_t)put;
	}
	return 0;
}

int jag_read_on(int fd, struct jag_buffer *buf, size_t nbytes)
{
	int rc = jag_buffer_reserve(buf, nbytes);
	while (!rc && buf->nbytes < nbytes) {
		ssize_t got = read(fd, buf->data + buf->nbytes, nbytes - buf->nbytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : 0;
		buf->nbytes += (size_t)got;
	}
	return rc;
}
