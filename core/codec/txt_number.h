/* SPDX-License-Identifier: MIT */
/* txt_number.h - one number of a tensor <-> text, for txt.c. Private to core/codec. */
#ifndef JAG_CODEC_TXT_NUMBER_H
#define JAG_CODEC_TXT_NUMBER_H

#include "jag/dtype.h"

/* Longest text of one number: a complex of two 17-digit parts with exponents. */
#define JAG_NUMBER_MAX 80

/* Is this a type whose values can be written as text? */
bool jag_number_is_text(enum jag_dtype dtype);

/* The item at `item` -> `text` (JAG_NUMBER_MAX bytes): digits that read back to the same bits, as few as printf's %g
 * needs. Returns the length. Both functions expect the thread to be in the C locale. */
int jag_number_format(enum jag_dtype dtype, const uint8_t *item, char *text);

/* The whole word `text` -> item. -EINVAL if it is no number or does not fit the type. */
int jag_number_parse(enum jag_dtype dtype, const char *text, uint8_t *item);

#endif
