/* SPDX-License-Identifier: MIT */
/* channel.c - libfuse's reads and writes of /dev/fuse, and one reply of our own. The layouts are those of the kernel's
 * <linux/fuse.h>. */
#include "channel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "scratch.h"

/* Not in the headers of Linux 6.1. The upper half of the flags travels in flags2. */
#define INIT_EXT (UINT32_C(1) << 30)
#define DIRECT_IO_ALLOW_MMAP (UINT64_C(1) << 36)

/* struct fuse_init_in has grown; this much is enough. */
struct init_in {
	uint32_t major, minor, max_readahead, flags, flags2;
};

static void note_init(struct jag_fs *fs, const struct fuse_in_header *in, size_t nbytes)
{
	struct init_in init = { 0 };
	size_t payload = nbytes - sizeof(*in);
	memcpy(&init, in + 1, payload < sizeof(init) ? payload : sizeof(init));
	uint64_t flags = init.flags;
	if (flags & INIT_EXT)
		flags |= (uint64_t)init.flags2 << 32;
	fs->init_unique = in->unique;
	fs->direct_mmap = !fs->options->page_cache && (flags & DIRECT_IO_ALLOW_MMAP) != 0;
}

/* A request. It is served by the thread that reads it. */
static ssize_t channel_read(int fd, void *buffer, size_t capacity, void *userdata)
{
	struct jag_fs *fs = userdata;
	const struct fuse_in_header *in = buffer;
	ssize_t n = read(fd, buffer, capacity);
	/* Unmounted by force; libfuse knows only the errno of an orderly end. */
	if (n < 0 && errno == ECONNABORTED)
		errno = ENODEV;
	if (n < (ssize_t)sizeof(*in))
		return n;
	if (in->opcode == FUSE_READ)
		jag_scratch_set_request(fs->scratch, fd, in->unique);
	else if (in->opcode == FUSE_INIT)
		note_init(fs, in, (size_t)n);
	return n;
}

/* The answer to INIT with one flag more. Older kernels know a shorter answer, and no such flag. */
static ssize_t write_init(int fd, const struct fuse_out_header *out, const struct iovec *body)
{
	struct fuse_init_out init = { 0 };
	if (body->iov_len != sizeof(init))
		return -1;
	memcpy(&init, body->iov_base, sizeof(init));
	init.flags |= INIT_EXT;
	init.flags2 |= (uint32_t)(DIRECT_IO_ALLOW_MMAP >> 32);
	struct iovec iov[2] = { { (void *)(uintptr_t)out, sizeof(*out) }, { &init, sizeof(init) } };
	return writev(fd, iov, 2);
}

static ssize_t channel_writev(int fd, struct iovec *iov, int count, void *userdata)
{
	struct jag_fs *fs = userdata;
	const struct fuse_out_header *out = iov[0].iov_base;
	if (fs->init_unique && out->unique == fs->init_unique && out->error == 0 && count == 2) {
		fs->init_unique = 0;
		ssize_t n = fs->direct_mmap ? write_init(fd, out, &iov[1]) : -1;
		if (n >= 0)
			return n;
		fs->direct_mmap = false;
	}
	return writev(fd, iov, count);
}

int jag_channel_install(struct fuse_session *session)
{
	static const struct fuse_custom_io io = { .read = channel_read, .writev = channel_writev };
	return fuse_session_custom_io(session, &io, fuse_session_fd(session));
}

int jag_channel_reply_range(fuse_req_t req, const struct jag_content_range *range)
{
	struct jag_fs *fs = jag_fs_of(req);
	size_t nbytes = range->header_nbytes + range->nbytes;
	struct jag_request request = jag_scratch_request(fs->scratch);
	struct fuse_out_header out = { .len = (uint32_t)(sizeof(out) + nbytes), .unique = request.unique };
	int pipe = request.unique ? jag_scratch_fill_pipe(fs->scratch, &out, sizeof(out), range) : -EOPNOTSUPP;
	if (pipe < 0)
		return pipe == -EIO ? -EIO : 0;
	/* Pages are lent, not given: without SPLICE_F_MOVE they stay in the cache of the store's file. The kernel takes a
	 * reply whole or not at all. If not, either nobody waits any more, which the copied reply finds out too, or the
	 * kernel lacks memory, and the reader would wait for ever without one. */
	if (splice(pipe, NULL, request.fd, NULL, out.len, 0) != (ssize_t)out.len) {
		jag_scratch_drop_pipe(fs->scratch);
		return 0;
	}
	fuse_reply_none(req);
	return 1;
}
