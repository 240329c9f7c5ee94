/* SPDX-License-Identifier: MIT */
/* json_text.c - JSON text for meta.json, lists of paths and reports, appended to a buffer. */
#include "json_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int jag_emit_raw(struct jag_buffer *out, const char *text)
{
	return jag_buffer_append(out, text, strlen(text));
}

int jag_emit_int(struct jag_buffer *out, int64_t value)
{
	char text[24];
	snprintf(text, sizeof(text), "%" PRId64, value);
	return jag_emit_raw(out, text);
}

int jag_emit_ints(struct jag_buffer *out, const int64_t *values, size_t count)
{
	int rc = jag_emit_raw(out, "[");
	for (size_t i = 0; i < count && !rc; i++) {
		if (i)
			rc = jag_emit_raw(out, ",");
		if (!rc)
			rc = jag_emit_int(out, values[i]);
	}
	return rc ? rc : jag_emit_raw(out, "]");
}

size_t jag_utf8_length(const char *bytes, size_t nbytes)
{
	const uint8_t *p = (const uint8_t *)bytes;
	if (!nbytes)
		return 0;
	if (p[0] < 0x80)
		return 1;
	size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || nbytes < n)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and what lies beyond U+10FFFF show in the second byte. */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] >= 0x90))
		return 0;
	return n;
}

bool jag_utf8_valid(const char *bytes, size_t nbytes)
{
	for (size_t i = 0, n; i < nbytes; i += n) {
		n = jag_utf8_length(bytes + i, nbytes - i);
		if (!n)
			return false;
	}
	return true;
}

/* The bytes up to the next that must be escaped: most strings are one such run. */
static size_t plain_run(const char *bytes, size_t nbytes)
{
	size_t i = 0;
	while (i < nbytes) {
		uint8_t c = (uint8_t)bytes[i];
		if (c < 0x20 || c == '"' || c == '\\')
			break;
		size_t n = c < 0x80 ? 1 : jag_utf8_length(bytes + i, nbytes - i);
		if (!n)
			break;
		i += n;
	}
	return i;
}

/* One byte that is not plain. 1: it is no UTF-8. */
static int append_escaped(struct jag_buffer *out, uint8_t c, enum jag_json_bad bad)
{
	char text[8];
	if (c == '"' || c == '\\')
		snprintf(text, sizeof(text), "\\%c", c);
	else if (c < 0x20)
		snprintf(text, sizeof(text), "\\u%04x", c);
	else if (bad == JAG_JSON_REPLACED)
		snprintf(text, sizeof(text), "\\ufffd");
	else
		snprintf(text, sizeof(text), bad == JAG_JSON_SURROGATE ? "\\udc%02x" : "%%%02X", c);
	int rc = jag_emit_raw(out, text);
	return rc ? rc : c >= 0x80;
}

int jag_json_quote(struct jag_buffer *out, const char *bytes, size_t nbytes, enum jag_json_bad bad)
{
	int seen = 0;
	int rc = jag_buffer_append(out, "\"", 1);
	for (size_t i = 0; i < nbytes && rc >= 0;) {
		size_t n = plain_run(bytes + i, nbytes - i);
		rc = n ? jag_buffer_append(out, bytes + i, n) : append_escaped(out, (uint8_t)bytes[i], bad);
		seen |= rc == 1;
		i += n ? n : 1;
	}
	if (rc >= 0)
		rc = jag_buffer_append(out, "\"", 1);
	return rc ? rc : seen;
}

int jag_emit_string(struct jag_buffer *out, const char *bytes, size_t nbytes)
{
	int rc = jag_json_quote(out, bytes, nbytes, JAG_JSON_PERCENT);
	return rc < 0 ? rc : 0;
}
