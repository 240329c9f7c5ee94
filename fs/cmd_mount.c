/* SPDX-License-Identifier: MIT */
/* cmd_mount.c - `jagfs mount`, and `jagfs STORE MOUNTPOINT`. */
#include <string.h>

#include "mount/daemon.h"
#include "mount/options.h"
#include "mount/session.h"
#include "ui.h"

static int run(int argc, char **argv)
{
	struct jag_mount_options options;
	struct jag_error err = { 0 };
	int status;
	int rc = jag_daemon_occupy_stdio();
	if (rc != 0)
		return jag_ui_error("/dev/null", "cannot be opened: %s", strerror(-rc));
	if (jag_mount_options_parse(&options, argc, argv, &err) != 0)
		status = jag_ui_usage(&jag_cmd_mount, "%s", err.message);
	else
		status = jag_session_run(&options);
	jag_mount_options_finish(&options);
	return status;
}

const struct jag_cmd jag_cmd_mount = {
	.name = "mount",
	.summary = "show a store as a directory (the default verb)",
	.help = jag_mount_help,
	.run = run,
};
