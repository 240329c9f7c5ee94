/* SPDX-License-Identifier: MIT */
/* lock.c - the lock (flock) on a collection that keys are added to. Who adds holds it while files have moved in that
 * meta.json does not name yet; who wants to know all names that are taken has to wait for that to end. */
#include "create_impl.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>

#define RETRY_NS INT64_C(10000000)

int jag_create_lock(const struct jag_create *create, int64_t wait_ns)
{
	const struct timespec pause = { .tv_nsec = RETRY_NS };
	while (flock(create->place.parent_fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (jag_watch_cancelled(create->watch))
			return -ECANCELED;
		if (wait_ns <= 0)
			return -EAGAIN;
		nanosleep(&pause, NULL);
		wait_ns -= wait_ns == JAG_LOCK_FOREVER ? 0 : RETRY_NS;
	}
	return 0;
}

void jag_create_unlock(const struct jag_create *create)
{
	flock(create->place.parent_fd, LOCK_UN);
}
