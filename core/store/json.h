/* SPDX-License-Identifier: MIT */
/* json.h - JSON text as tensordict writes it: json-c reads the values, this adds what json-c does not tell.
 *
 * Two writers made the files. orjson writes strict JSON. Python's json also writes NaN, Infinity, -Infinity,
 * integers of any length and lone surrogates ("\ud800"); json-c reads these but keeps neither the long integers nor
 * where in the text a value stood, and cuts keys at a NUL. Hence the members of the top-level object are cut apart
 * here and handed to json-c one by one. */
#ifndef JAG_STORE_JSON_H
#define JAG_STORE_JSON_H

#include <json-c/json.h>

#include "jag/buffer.h"

/* Values inside values, as Python's own recursion limit. */
#define JAG_JSON_DEPTH 1000

/* A run of the text that is being read. */
struct jag_json_slice {
	const char *text;
	size_t nbytes;
};

/* Where reading stands; set up by jag_json_begin(). */
struct jag_json_walk {
	const char *text;
	size_t nbytes;
	size_t pos; /* after a failure: the byte that was not understood */
	bool first;
};

void jag_json_begin(struct jag_json_walk *walk, const void *text, size_t nbytes);

/* The next member of the top-level object: `key` with its quotes, `value` as it stands. 1, or 0 after the last one,
 * or -EINVAL. The value is only cut out, not checked: jag_json_parse() does that. */
int jag_json_next(struct jag_json_walk *walk, struct jag_json_slice *key, struct jag_json_slice *value);

/* Parse one value; *out may be NULL for JSON null. Release with json_object_put(). -EINVAL with *bad = offset in the
 * slice; -ENOMEM. */
int jag_json_parse(struct jag_json_slice slice, struct json_object **out, size_t *bad);

/* Append the text of a checked value as strict JSON: NaN and the infinities become null, the rest stays as it is. */
int jag_json_strict(struct jag_json_slice slice, struct jag_buffer *out);

#endif
