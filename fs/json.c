/* SPDX-License-Identifier: MIT */
/* json.c - the JSON writer of jag's reports. */
#include "json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put(struct jag_json_out *json, const char *text)
{
	if (!json->rc)
		json->rc = jag_buffer_append(&json->text, text, strlen(text));
}

static void quote(struct jag_json_out *json, const char *text)
{
	if (json->rc)
		return;
	int rc = jag_json_quote(&json->text, text, strlen(text), JAG_JSON_REPLACED);
	json->rc = rc < 0 ? rc : 0;
}

static void begin(struct jag_json_out *json, const char *key)
{
	if (json->more)
		put(json, ", ");
	json->more = true;
	if (key) {
		quote(json, key);
		put(json, ": ");
	}
}

void jag_json_open(struct jag_json_out *json, const char *key, char bracket)
{
	begin(json, key);
	put(json, bracket == '{' ? "{" : "[");
	json->more = false;
}

void jag_json_close(struct jag_json_out *json, char bracket)
{
	put(json, bracket == '{' ? "}" : "]");
	json->more = true;
}

void jag_json_string(struct jag_json_out *json, const char *key, const char *text)
{
	begin(json, key);
	if (text)
		quote(json, text);
	else
		put(json, "null");
}

void jag_json_number(struct jag_json_out *json, const char *key, uint64_t number)
{
	char text[24];
	snprintf(text, sizeof(text), "%" PRIu64, number);
	begin(json, key);
	put(json, text);
}

void jag_json_integer(struct jag_json_out *json, const char *key, int64_t number)
{
	char text[24];
	snprintf(text, sizeof(text), "%" PRId64, number);
	begin(json, key);
	put(json, text);
}

void jag_json_bool(struct jag_json_out *json, const char *key, bool value)
{
	begin(json, key);
	put(json, value ? "true" : "false");
}
