/* SPDX-License-Identifier: MIT */
/* json.c - cuts the top-level object apart; see json.h for why. */
#include "json.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

void jag_json_begin(struct jag_json_walk *walk, const void *text, size_t nbytes)
{
	*walk = (struct jag_json_walk){ .text = text, .nbytes = nbytes, .first = true };
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The byte at `pos` after white space; NUL at the end (a NUL in the text is no JSON either). */
static char peek(struct jag_json_walk *walk)
{
	while (walk->pos < walk->nbytes && is_space(walk->text[walk->pos]))
		walk->pos++;
	return walk->pos < walk->nbytes ? walk->text[walk->pos] : '\0';
}

/* From the opening quote to behind the closing one; the end of the text if there is none. */
static size_t skip_string(const char *text, size_t nbytes, size_t pos)
{
	for (pos++; pos < nbytes; pos++) {
		if (text[pos] == '\\')
			pos++;
		else if (text[pos] == '"')
			return pos + 1;
	}
	return nbytes;
}

/* To the comma or brace that ends the value. Only brackets and strings are understood: what is between them is
 * checked by json-c. */
static size_t skip_value(const char *text, size_t nbytes, size_t pos)
{
	size_t depth = 0;
	while (pos < nbytes) {
		char c = text[pos];
		if (c == '"') {
			pos = skip_string(text, nbytes, pos);
			continue;
		}
		if (depth == 0 && (c == ',' || c == '}'))
			return pos;
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && depth > 0)
			depth--;
		pos++;
	}
	return pos;
}

static int expect(struct jag_json_walk *walk, char c)
{
	if (peek(walk) != c)
		return -EINVAL;
	walk->pos++;
	return 0;
}

/* Behind the closing brace there is nothing but white space. */
static int finish(struct jag_json_walk *walk)
{
	int rc = expect(walk, '}');
	if (rc == 0 && (peek(walk) != '\0' || walk->pos < walk->nbytes))
		rc = -EINVAL;
	return rc;
}

int jag_json_next(struct jag_json_walk *walk, struct jag_json_slice *key, struct jag_json_slice *value)
{
	bool first = walk->first;
	if (first && expect(walk, '{'))
		return -EINVAL;
	walk->first = false;
	if (first ? peek(walk) == '}' : peek(walk) != ',')
		return finish(walk);
	if (!first)
		walk->pos++;
	if (peek(walk) != '"')
		return -EINVAL;
	size_t start = walk->pos;
	walk->pos = skip_string(walk->text, walk->nbytes, start);
	*key = (struct jag_json_slice){ walk->text + start, walk->pos - start };
	if (expect(walk, ':'))
		return -EINVAL;
	peek(walk);
	start = walk->pos;
	walk->pos = skip_value(walk->text, walk->nbytes, start);
	*value = (struct jag_json_slice){ walk->text + start, walk->pos - start };
	while (value->nbytes && is_space(value->text[value->nbytes - 1]))
		value->nbytes--;
	return walk->pos < walk->nbytes ? 1 : -EINVAL;
}

int jag_json_parse(struct jag_json_slice slice, struct json_object **out, size_t *bad)
{
	*bad = 0;
	*out = NULL;
	if (slice.nbytes > INT_MAX)
		return -EINVAL;
	struct json_tokener *tok = json_tokener_new_ex(JAG_JSON_DEPTH);
	if (!tok)
		return -ENOMEM;
	/* strict: no comments, single quotes or trailing commas; NaN and the infinities are still taken */
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	struct json_object *value = json_tokener_parse_ex(tok, slice.text, (int)slice.nbytes);
	size_t used = json_tokener_get_parse_end(tok);
	/* a number at the very end could go on; a space ends it */
	if (json_tokener_get_error(tok) == json_tokener_continue && slice.nbytes > 0)
		value = json_tokener_parse_ex(tok, " ", 1);
	bool good = json_tokener_get_error(tok) == json_tokener_success;
	json_tokener_free(tok);
	for (; good && used < slice.nbytes; used++)
		good = is_space(slice.text[used]);
	if (!good) {
		json_object_put(value);
		*bad = used;
		return -EINVAL;
	}
	*out = value;
	return 0;
}

/* Length of a token of Python's json that JSON does not have, 0 if there is none at `text`. */
static size_t foreign_token(const char *text, size_t nbytes)
{
	static const char *const tokens[] = { "NaN", "-NaN", "Infinity", "-Infinity" };
	for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
		size_t n = strlen(tokens[i]);
		if (n <= nbytes && memcmp(text, tokens[i], n) == 0)
			return n;
	}
	return 0;
}

int jag_json_strict(struct jag_json_slice slice, struct jag_buffer *out)
{
	size_t from = 0, pos = 0;
	int rc = 0;
	while (pos < slice.nbytes && rc == 0) {
		size_t skip = 0;
		if (slice.text[pos] == '"') {
			pos = skip_string(slice.text, slice.nbytes, pos);
			continue;
		}
		skip = foreign_token(slice.text + pos, slice.nbytes - pos);
		if (skip == 0) {
			pos++;
			continue;
		}
		rc = jag_buffer_append(out, slice.text + from, pos - from);
		if (rc == 0)
			rc = jag_buffer_append(out, "null", 4);
		pos += skip;
		from = pos;
	}
	/* an escape at the very end of an unfinished string would lead beyond it; checked values have none */
	return rc ? rc : jag_buffer_append(out, slice.text + from, slice.nbytes - from);
}
