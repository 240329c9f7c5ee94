/* SPDX-License-Identifier: MIT */
/* json.h - writes JSON into a buffer: commas, quotes and escapes are taken care of. Bytes that are no UTF-8 come out as
 * U+FFFD, so that the result always parses. */
#ifndef JAG_JSON_OUT_H
#define JAG_JSON_OUT_H

#include "jag/json_quote.h"

/* {0} at first; the caller frees `text`. */
struct jag_json_out {
	struct jag_buffer text;
	bool more; /* something stands before, at this level: a comma is needed */
	int rc;    /* -ENOMEM once memory ran out: nothing was added since */
};

/* `key` NULL inside of a list and at the top. `bracket` is '{' or '['. */
void jag_json_open(struct jag_json_out *json, const char *key, char bracket);
void jag_json_close(struct jag_json_out *json, char bracket);
void jag_json_string(struct jag_json_out *json, const char *key, const char *text); /* NULL: null */
void jag_json_number(struct jag_json_out *json, const char *key, uint64_t number);
void jag_json_integer(struct jag_json_out *json, const char *key, int64_t number);
void jag_json_bool(struct jag_json_out *json, const char *key, bool value);

#endif
