/* SPDX-License-Identifier: MIT */
/* json_quote.h - strings in JSON text. All that this library and its programs write as JSON is quoted here. */
#ifndef JAG_JSON_QUOTE_H
#define JAG_JSON_QUOTE_H

#include "jag/buffer.h"

/* How a byte that is not part of valid UTF-8 is written: keys of a store always are UTF-8, file names need not be. */
enum jag_json_bad {
	JAG_JSON_PERCENT,   /* %XX, for people */
	JAG_JSON_SURROGATE, /* the lone surrogate \udcXX: what Python's json makes of a file name, and reads back into one
			     * (os.fsdecode, os.fsencode), so that nothing is lost */
	JAG_JSON_REPLACED   /* U+FFFD, for readers that take no lone surrogates */
};

/* Append bytes[0..nbytes) to `out` as a quoted string, the way orjson does: only quotes, backslashes and control bytes
 * are escaped, other characters stay UTF-8. 0; 1 if there were bytes that `bad` was needed for; -ENOMEM, and `out` may
 * then end anywhere in the string. Any thread, one at a time for each buffer. */
JAG_API int jag_json_quote(struct jag_buffer *out, const char *bytes, size_t nbytes, enum jag_json_bad bad);

#endif
