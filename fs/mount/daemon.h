/* SPDX-License-Identifier: MIT */
/* daemon.h - going into the background, with the news whether the mount works. */
#ifndef JAG_MOUNT_DAEMON_H
#define JAG_MOUNT_DAEMON_H

/* Open /dev/null until descriptors 0 to 2 are taken: started without them, the session's descriptor would become
 * stderr, and a message would go to the kernel as a reply. */
int jag_daemon_occupy_stdio(void);

/* Fork. In the child: 0, and *ready_fd is where to write one byte once the mount answers. In the parent: waits for
 * that byte, then asks the mount point for its attributes, and *parent_exit is the exit status (the child has said
 * why it failed); returns 1. -errno: no fork. */
int jag_daemon_fork(const char *mountpoint, int *ready_fd, int *parent_exit);

#endif
