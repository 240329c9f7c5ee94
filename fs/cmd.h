/* SPDX-License-Identifier: MIT */
/* cmd.h - what a verb of the program is. A verb is one file, cmd_NAME.c, that defines one `struct jag_cmd`; main.c
 * lists them. */
#ifndef JAG_CMD_H
#define JAG_CMD_H

/* Exit statuses of the program. */
enum jag_exit {
	JAG_EXIT_OK = 0,
	JAG_EXIT_FAILED = 1, /* the reason is on stderr */
	JAG_EXIT_USAGE = 2   /* the command line makes no sense */
};

struct jag_cmd {
	const char *name;
	const char *summary; /* one line for `jagfs --help` */
	const char *help;    /* `jagfs NAME --help`: usage, options, at least one example; ends in a newline */

	/* argv[0] is the verb (or the program, where the verb was left out); argv[argc] is NULL. --help has been
	 * dealt with. Returns an enum jag_exit. */
	int (*run)(int argc, char **argv);
};

/* One for each cmd_NAME.c. */
extern const struct jag_cmd jag_cmd_cat;
extern const struct jag_cmd jag_cmd_put;
extern const struct jag_cmd jag_cmd_info;
extern const struct jag_cmd jag_cmd_ls;
extern const struct jag_cmd jag_cmd_mount;
extern const struct jag_cmd jag_cmd_umount;
extern const struct jag_cmd jag_cmd_pack;
extern const struct jag_cmd jag_cmd_create;
extern const struct jag_cmd jag_cmd_resize;

#endif
