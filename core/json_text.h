/* SPDX-License-Identifier: MIT */
/* json_text.h - writing JSON text the way orjson does: compact, raw UTF-8. Readers are in core/store. */
#ifndef JAG_JSON_TEXT_H
#define JAG_JSON_TEXT_H

#include "jag/json_quote.h"

/* All of these append and return 0 or -ENOMEM. */
int jag_emit_raw(struct jag_buffer *out, const char *text);
int jag_emit_int(struct jag_buffer *out, int64_t value);

/* "[1,2,3]" */
int jag_emit_ints(struct jag_buffer *out, const int64_t *values, size_t count);

/* A quoted string. The bytes must be UTF-8 (see jag_utf8_valid(); else jag_json_quote()). */
int jag_emit_string(struct jag_buffer *out, const char *bytes, size_t nbytes);

/* Length of the valid UTF-8 character at bytes[0..nbytes), 0 if it is none (overlong, surrogate, beyond U+10FFFF). */
size_t jag_utf8_length(const char *bytes, size_t nbytes);
bool jag_utf8_valid(const char *bytes, size_t nbytes);

#endif
