/* SPDX-License-Identifier: MIT */
/* cli.c - messages and values of command lines. */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int jag_cli_bad_option(const struct jag_cmd *cmd, int argc, char **argv, int answer)
{
	char letter[3] = { '-', (char)optopt, '\0' };
	bool is_short = optopt > 0 && optopt < 256 && strncmp(argv[optind - 1], "--", 2) != 0;
	const char *text = is_short ? letter : optind <= argc ? argv[optind - 1] : "";
	if (answer == ':')
		return jag_ui_usage(cmd, "%s needs a value", text);
	return jag_ui_usage(cmd, "unknown option %s", text);
}

int jag_cli_number(const struct jag_cmd *cmd, const char *option, uint64_t min, uint64_t max, uint64_t *out)
{
	char *end;
	errno = 0;
	uint64_t value = strtoull(optarg, &end, 10);
	if (errno || *end || *optarg < '0' || *optarg > '9' || value < min || value > max)
		return jag_ui_usage(cmd, "%s %s: want a number from %" PRIu64 " to %" PRIu64, option, optarg, min, max);
	*out = value;
	return 0;
}

int jag_cli_choice(const struct jag_cmd *cmd, const char *option, const char *const *names, size_t *out)
{
	char list[128] = "";
	for (size_t i = 0; names[i]; i++) {
		if (!strcmp(optarg, names[i])) {
			*out = i;
			return 0;
		}
		size_t used = strlen(list);
		snprintf(list + used, sizeof(list) - used, "%s%s", !i ? "" : names[i + 1] ? ", " : " or ", names[i]);
	}
	return jag_ui_usage(cmd, "%s %s: want %s", option, optarg, list);
}

int jag_cli_jobs(const struct jag_cmd *cmd, unsigned *workers)
{
	uint64_t n = 0;
	int rc = jag_cli_number(cmd, "-j", 1, 1024, &n);
	*workers = (unsigned)n;
	return rc;
}

int jag_cli_mode(const struct jag_cmd *cmd, enum jag_mode *mode)
{
	static const char *const names[] = { "rgb", "gray", "rgba", "keep", NULL }; /* by enum jag_mode */
	size_t i = 0;
	int rc = jag_cli_choice(cmd, "--mode", names, &i);
	*mode = (enum jag_mode)i;
	return rc;
}
