/* SPDX-License-Identifier: MIT */
/* session.h - one mount from beginning to end. */
#ifndef JAG_MOUNT_SESSION_H
#define JAG_MOUNT_SESSION_H

#include "options.h"

/* Open and check everything, mount, serve until it is unmounted (in the background unless options->foreground), clean
 * up. Returns an enum jag_exit; what fails has been said on stderr. */
int jag_session_run(const struct jag_mount_options *options);

#endif
