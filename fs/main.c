/* SPDX-License-Identifier: MIT */
/* main.c - the verb table and dispatch; general help and version. A command line whose first argument is no verb is a
 * mount, so that mount(8), fstab and systemd can call the program as a mount helper. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "ui.h"

/* clang-format off */
static const struct jag_cmd *const verbs[] = {
#ifdef JAG_HAVE_FUSE
	&jag_cmd_mount,
#endif
	&jag_cmd_umount,
	&jag_cmd_info,
	&jag_cmd_ls,
	&jag_cmd_cat,
	&jag_cmd_put,
	&jag_cmd_pack,
	&jag_cmd_create,
	&jag_cmd_resize,
};
/* clang-format on */
#define VERB_COUNT (sizeof(verbs) / sizeof(verbs[0]))

static const struct jag_cmd *find_verb(const char *name)
{
	for (size_t i = 0; i < VERB_COUNT; i++)
		if (!strcmp(verbs[i]->name, name))
			return verbs[i];
	return NULL;
}

static int print_help(void)
{
	printf("usage: jagfs VERB [ARGUMENTS]\n"
	       "       jagfs STORE[/KEY] MOUNTPOINT [-o OPTIONS]   (the same as: jagfs mount ...)\n"
	       "       jagfs -u MOUNTPOINT                         (the same as: jagfs umount ...)\n"
	       "\n"
	       "Show memory-mapped tensor stores as directories of files.\n"
	       "\n"
	       "verbs:\n");
	for (size_t i = 0; i < VERB_COUNT; i++)
		printf("  %-8s %s\n", verbs[i]->name, verbs[i]->summary);
	printf("\n"
	       "jagfs help VERB (or jagfs VERB --help) tells more, with an example. jagfs --version prints the "
	       "version.\n"
	       "Exit status: 0 done, 1 failed (the reason is on stderr), 2 wrong usage.\n");
	return jag_ui_flush();
}

/* `jagfs help [VERB]`. */
static int run_help(int argc, char **argv)
{
	const struct jag_cmd *verb = argc > 1 ? find_verb(argv[1]) : NULL;
	if (argc == 1 || !strcmp(argv[1], "help"))
		return print_help();
	if (!verb || argc > 2)
		return jag_ui_usage(NULL, "help %s: want the name of one verb; `jagfs help` lists them",
				    argv[verb ? 2 : 1]);
	fputs(verb->help, stdout);
	return jag_ui_flush();
}

/* --help or -h anywhere before "--". */
static bool wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static int run_verb(const struct jag_cmd *verb, int argc, char **argv)
{
	if (wants_help(argc, argv)) {
		fputs(verb->help, stdout);
		return jag_ui_flush();
	}
	return verb->run(argc, argv);
}

/* The number of a closed standard stream would go to the next file that is opened, and messages then into a store.
 * Held the wrong way round: to read or write it still fails with EBADF, and is told. */
static bool hold_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	if (!hold_streams())
		return JAG_EXIT_FAILED;
	if (argc < 2)
		return jag_ui_usage(NULL, "what should be done? `jagfs --help` lists the verbs");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_help();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("jagfs %s\n", JAG_VERSION);
		return jag_ui_flush();
	}
	if (!strcmp(argv[1], "help"))
		return run_help(argc - 1, argv + 1);
	if (!strcmp(argv[1], "-u"))
		return run_verb(&jag_cmd_umount, argc - 1, argv + 1);
	const struct jag_cmd *verb = find_verb(argv[1]);
	if (verb)
		return run_verb(verb, argc - 1, argv + 1);
	if (argc == 2 && argv[1][0] != '-' && !strchr(argv[1], '/'))
		return jag_ui_usage(NULL,
				    "%s is no verb, and to mount a store of that name, a mount point is needed; "
				    "`jagfs --help` lists the verbs",
				    argv[1]);
#ifdef JAG_HAVE_FUSE
	return run_verb(&jag_cmd_mount, argc, argv);
#else
	return jag_ui_usage(NULL, "%s is no verb, and this jagfs was built without FUSE, so it cannot mount", argv[1]);
#endif
}
