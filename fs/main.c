/* SPDX-License-Identifier: MIT */
/* main.c - the verb table and dispatch. */
int main(void)
{
	return 2;
}
