/* SPDX-License-Identifier: MIT */
/* error.h - the record that opening, checking and making stores fill in addition to returning -errno: which file,
 * where in it, what was expected and what is there.
 *
 * Every `struct jag_error *err` parameter of the library may be NULL. On success the record is left alone. */
#ifndef JAG_ERROR_H
#define JAG_ERROR_H

#include "jag/api.h"

/* One refusal. Plain memory, owned by the caller, nothing to free. */
struct jag_error {
	int code;          /* -errno, the same value that the function returned; 0: never filled */
	uint64_t offset;   /* byte offset in the file at `path`; 0 where none applies */
	char path[512];    /* the file or key that is at fault, cut to fit; "" where none applies */
	char message[512]; /* one line, no trailing newline: what was expected, and what is there */
};

/* Fill `err` (may be NULL) and return `code`, so that `return jag_error_set(err, -EINVAL, path, 0, "...")` is one
 * line. `path` may be NULL. Bytes that are not printable in `path` and `message` are replaced by '?', so that a
 * hostile key can neither forge a second log line nor send escape codes to a terminal. */
JAG_API int jag_error_set(struct jag_error *err, int code, const char *path, uint64_t offset, const char *fmt, ...)
	JAG_PRINTF(5, 6);

#endif
