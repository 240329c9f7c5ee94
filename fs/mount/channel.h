/* SPDX-License-Identifier: MIT */
/* channel.h - what goes through /dev/fuse, seen from both sides of libfuse, for two things that libfuse 3.14 cannot say:
 *
 *   - in the answer to INIT: shared mappings of files that are read past the page cache (Linux 6.6; in libfuse since
 *     3.17). Whole reads are then twice as fast, at no price.
 *   - in the answer to READ: pages of a store's file out of our own pipe. libfuse would move them into a pipe of its
 *     own first, and complain on stderr when the reader has been interrupted.
 *
 * All else is libfuse's. */
#ifndef JAG_MOUNT_CHANNEL_H
#define JAG_MOUNT_CHANNEL_H

#include "reply.h"

/* After fuse_session_mount() and before the loop. 0 or -errno. */
int jag_channel_install(struct fuse_session *session);

/* Answer the READ that this thread is serving with this range, straight from the page cache of its file. 1: replied (or
 * the reader has gone); 0: it has to be read and copied; -EIO: the file ends before the range does. */
int jag_channel_reply_range(fuse_req_t req, const struct jag_content_range *range);

#endif
