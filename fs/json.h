/* SPDX-License-Identifier: MIT */
/* json.h - writes JSON to a stream: commas, quotes and escapes are taken care of. Bytes that are no UTF-8 come out as
 * U+FFFD, so that the result always parses. */
#ifndef JAG_JSON_OUT_H
#define JAG_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct jag_json_out {
	FILE *stream;
	bool more; /* something stands before, at this level: a comma is needed */
};

/* `key` NULL inside of a list and at the top. `bracket` is '{' or '['. */
void jag_json_open(struct jag_json_out *json, const char *key, char bracket);
void jag_json_close(struct jag_json_out *json, char bracket);
void jag_json_string(struct jag_json_out *json, const char *key, const char *text); /* NULL: null */
void jag_json_number(struct jag_json_out *json, const char *key, uint64_t number);
void jag_json_integer(struct jag_json_out *json, const char *key, int64_t number);
void jag_json_bool(struct jag_json_out *json, const char *key, bool value);

#endif
