/* SPDX-License-Identifier: MIT */
/* keyname.h - keys as file names, as tensordict has written them over time.
 *
 *   version      leaves    collections
 *   up to 0.10   raw       raw
 *   0.11, 0.12   either    raw
 *   0.13         encoded   raw
 *   from 0.14    encoded   encoded
 *
 * So a reader looks for the encoded name first and then for the raw one, if that is harmless. */
#ifndef JAG_STORE_KEYNAME_H
#define JAG_STORE_KEYNAME_H

#include "jag/store.h"

/* Longest file name, without the NUL. */
#define JAG_FILE_NAME_MAX 255

/* As jag_key_encode() for a key that may contain NUL. */
int jag_keyname_encode(const char *key, size_t key_nbytes, char *name, size_t name_nbytes);

/* May `key` be used as it stands in the name of a directory (`whole`) or as the stem of one of a file? Never with a
 * separator, NUL or a drive letter; as a whole name also not "", "." and "..". */
bool jag_keyname_raw_allowed(const char *key, size_t key_nbytes, bool whole);

#endif
