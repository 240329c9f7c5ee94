/* SPDX-License-Identifier: MIT */
/* cli.h - what verbs with getopt_long(3) options share. */
#ifndef JAG_CLI_H
#define JAG_CLI_H

#include "jag/image.h"
#include "ui.h"

/* The usage message for what getopt_long() answered ':' or '?' to (opterr is 0, the option string begins with ':'). */
int jag_cli_bad_option(const struct jag_cmd *cmd, int argc, char **argv, int answer);

/* optarg as a whole number in [min, max], digits only: 0, or the usage message. `option` is its name in the message. */
int jag_cli_number(const struct jag_cmd *cmd, const char *option, uint64_t min, uint64_t max, uint64_t *out);

/* optarg as one of `names`, which NULL ends: *out is its index. 0, or the usage message, which lists them. */
int jag_cli_choice(const struct jag_cmd *cmd, const char *option, const char *const *names, size_t *out);

/* -j and --mode of optarg: 0, or the usage message. */
int jag_cli_jobs(const struct jag_cmd *cmd, unsigned *workers);
int jag_cli_mode(const struct jag_cmd *cmd, enum jag_mode *mode);

#endif
