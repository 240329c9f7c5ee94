/* SPDX-License-Identifier: MIT */
/* json.c - the JSON writer of jag's reports. */
#include "json.h"

#include <inttypes.h>
#include <string.h>

/* Length of the UTF-8 character at `text`, 0 if there is none: overlong forms and surrogates are none. */
static unsigned character(const unsigned char *text)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned n = text[0] < 0x80             ? 1
		     : (text[0] & 0xe0) == 0xc0 ? 2
		     : (text[0] & 0xf0) == 0xe0 ? 3
		     : (text[0] & 0xf8) == 0xf0 ? 4
						: 0;
	if (n < 2)
		return n;
	uint32_t code = text[0] & (0x7fU >> n);
	for (unsigned i = 1; i < n; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	return code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

static void quote(FILE *stream, const char *chars)
{
	const unsigned char *text = (const unsigned char *)chars;
	putc('"', stream);
	while (*text) {
		unsigned n = character(text);
		if (n == 0)
			fputs("\\ufffd", stream);
		else if (*text == '"' || *text == '\\')
			fprintf(stream, "\\%c", *text);
		else if (*text < 0x20)
			fprintf(stream, "\\u%04x", *text);
		else
			fwrite(text, 1, n, stream);
		text += n ? n : 1;
	}
	putc('"', stream);
}

static void begin(struct jag_json_out *json, const char *key)
{
	if (json->more)
		fputs(", ", json->stream);
	json->more = true;
	if (key) {
		quote(json->stream, key);
		fputs(": ", json->stream);
	}
}

void jag_json_open(struct jag_json_out *json, const char *key, char bracket)
{
	begin(json, key);
	putc(bracket, json->stream);
	json->more = false;
}

void jag_json_close(struct jag_json_out *json, char bracket)
{
	putc(bracket == '{' ? '}' : ']', json->stream);
	json->more = true;
}

void jag_json_string(struct jag_json_out *json, const char *key, const char *text)
{
	begin(json, key);
	if (text)
		quote(json->stream, text);
	else
		fputs("null", json->stream);
}

void jag_json_number(struct jag_json_out *json, const char *key, uint64_t number)
{
	begin(json, key);
	fprintf(json->stream, "%" PRIu64, number);
}

void jag_json_integer(struct jag_json_out *json, const char *key, int64_t number)
{
	begin(json, key);
	fprintf(json->stream, "%" PRId64, number);
}

void jag_json_bool(struct jag_json_out *json, const char *key, bool value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->stream);
}
