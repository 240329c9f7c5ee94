/* SPDX-License-Identifier: MIT */
/* scratch.c - a thread's buffer and pipe. */
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

/* The largest READ of the kernel, 1 MiB, fits with the reply's head and the file's only where the user may have a pipe of
 * 2 MiB. Each of them takes a page, and so do the first and the last part of a range. */
#define PAGE_NBYTES 4096
#define PIPE_NBYTES (2 << 20)
#define PIPE_NBYTES_UNPRIVILEGED (1 << 20)
#define PIPE_SPARE_NBYTES (4 * PAGE_NBYTES)

struct scratch {
	void *buffer;
	size_t buffer_nbytes;
	int pipe[2]; /* from, to; -1: none */
	size_t pipe_nbytes;
	struct jag_request request;
};

static void close_pipe(struct scratch *scratch)
{
	for (int i = 0; i < 2; i++) {
		if (scratch->pipe[i] >= 0)
			close(scratch->pipe[i]);
		scratch->pipe[i] = -1;
	}
}

static void destroy(void *arg)
{
	struct scratch *scratch = arg;
	if (!scratch)
		return;
	close_pipe(scratch);
	free(scratch->buffer);
	free(scratch);
}

int jag_scratch_init(pthread_key_t *key)
{
	return -pthread_key_create(key, destroy);
}

void jag_scratch_finish(pthread_key_t key)
{
	destroy(pthread_getspecific(key)); /* of this thread: the key's destructor runs at thread exit only */
	pthread_key_delete(key);
}

static struct scratch *of_thread(pthread_key_t key)
{
	struct scratch *scratch = pthread_getspecific(key);
	if (scratch)
		return scratch;
	scratch = calloc(1, sizeof(*scratch));
	if (!scratch)
		return NULL;
	scratch->pipe[0] = scratch->pipe[1] = -1;
	if (pthread_setspecific(key, scratch) != 0) {
		free(scratch);
		return NULL;
	}
	return scratch;
}

void *jag_scratch_buffer(pthread_key_t key, size_t nbytes)
{
	struct scratch *scratch = of_thread(key);
	if (!scratch || scratch->buffer_nbytes >= nbytes)
		return scratch ? scratch->buffer : NULL;
	free(scratch->buffer);
	scratch->buffer = malloc(nbytes);
	scratch->buffer_nbytes = scratch->buffer ? nbytes : 0;
	return scratch->buffer;
}

static int open_pipe(struct scratch *scratch)
{
	if (scratch->pipe[0] >= 0)
		return 0;
	if (pipe2(scratch->pipe, O_CLOEXEC | O_NONBLOCK) < 0) {
		scratch->pipe[0] = scratch->pipe[1] = -1;
		return -errno;
	}
	int nbytes = fcntl(scratch->pipe[0], F_SETPIPE_SZ, PIPE_NBYTES);
	if (nbytes < 0)
		nbytes = fcntl(scratch->pipe[0], F_SETPIPE_SZ, PIPE_NBYTES_UNPRIVILEGED);
	if (nbytes < 0)
		nbytes = fcntl(scratch->pipe[0], F_GETPIPE_SZ);
	scratch->pipe_nbytes = nbytes < 0 ? 0 : (size_t)nbytes;
	return 0;
}

/* 0, or why not; then the pipe may hold a part. */
static int fill(const struct scratch *scratch, const struct iovec *heads, const struct jag_content_range *range)
{
	loff_t at = (loff_t)range->offset;
	size_t left = range->nbytes;
	if (writev(scratch->pipe[1], heads, 2) != (ssize_t)(heads[0].iov_len + heads[1].iov_len))
		return -EOPNOTSUPP;
	while (left > 0) {
		ssize_t moved = splice(range->fd, &at, scratch->pipe[1], NULL, left, 0);
		if (moved < 0 && errno == EINTR)
			continue;
		if (moved <= 0)
			return moved == 0 || errno == EIO ? -EIO : -EOPNOTSUPP;
		left -= (size_t)moved;
	}
	return 0;
}

int jag_scratch_fill_pipe(pthread_key_t key, const void *head, size_t head_nbytes,
			  const struct jag_content_range *range)
{
	const struct iovec heads[2] = { { (void *)(uintptr_t)head, head_nbytes },
					{ (void *)(uintptr_t)range->header, range->header_nbytes } };
	struct scratch *scratch = of_thread(key);
	if (!scratch || open_pipe(scratch) || range->nbytes + PIPE_SPARE_NBYTES > scratch->pipe_nbytes)
		return -EOPNOTSUPP;
	int rc = fill(scratch, heads, range);
	if (rc == 0)
		return scratch->pipe[0];
	close_pipe(scratch);
	return rc;
}

void jag_scratch_set_request(pthread_key_t key, int fd, uint64_t unique)
{
	struct scratch *scratch = of_thread(key);
	if (scratch)
		scratch->request = (struct jag_request){ unique, fd };
}

struct jag_request jag_scratch_request(pthread_key_t key)
{
	const struct scratch *scratch = pthread_getspecific(key);
	return scratch ? scratch->request : (struct jag_request){ 0 };
}

void jag_scratch_drop_pipe(pthread_key_t key)
{
	struct scratch *scratch = pthread_getspecific(key);
	if (scratch)
		close_pipe(scratch);
}
