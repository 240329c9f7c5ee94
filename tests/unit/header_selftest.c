/* SPDX-License-Identifier: MIT */
/* header_selftest.c - compiled once for each public header: it must stand alone, twice. */
#include JAG_HEADER
#include JAG_HEADER

int main(void)
{
	return 0;
}
