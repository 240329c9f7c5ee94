/* SPDX-License-Identifier: MIT */
/* error.c - fills the error record of jag/error.h. */
#include "jag/error.h"

#include <stdarg.h>
#include <stdio.h>

/* Keys and paths come from the store: no control bytes may reach a terminal or forge a log line. Bytes >= 0x80 stay,
 * they are UTF-8 of the user's names. */
static void defuse(char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c < 0x20 || c == 0x7f)
			*text = '?';
	}
}

int jag_error_set(struct jag_error *err, int code, const char *path, uint64_t offset, const char *fmt, ...)
{
	if (!err)
		return code;
	err->code = code;
	err->offset = offset;
	snprintf(err->path, sizeof(err->path), "%s", path ? path : "");
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	defuse(err->path);
	defuse(err->message);
	return code;
}
