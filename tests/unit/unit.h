/* SPDX-License-Identifier: MIT */
/* unit.h - cmocka with the headers that it needs before it, and asserts that stay on. */
#ifndef JAG_TEST_UNIT_H
#define JAG_TEST_UNIT_H

#undef NDEBUG
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
