/* SPDX-License-Identifier: MIT */
/* names.h - element names: an index, zero-padded to the width of the largest one, and a suffix: "000042.png". Both
 * ways without allocation, and strict: every index has one spelling, so "42.png" is not "000042.png". */
#ifndef JAG_TREE_NAMES_H
#define JAG_TREE_NAMES_H

#include "jag/tree.h"

/* Digits of count - 1; at least 1. */
unsigned jag_index_width(uint64_t count);

/* Writes the index, the suffix and a NUL; returns the length, or -ENAMETOOLONG. */
int jag_index_name(uint64_t index, unsigned width, const char *suffix, char *name, size_t name_nbytes);

/* The reverse. 0 with *index and *suffix (points into `name`, at the first byte after the digits; "" if the name is
 * all digits). -ENOENT unless the name begins with exactly `width` digits of an index below `count`. */
int jag_index_parse(const char *name, unsigned width, uint64_t count, uint64_t *index, const char **suffix);

/* True if every byte is a digit, and there is one. */
bool jag_all_digits(const char *name);

#endif
