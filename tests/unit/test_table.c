/* SPDX-License-Identifier: MIT */
/* test_table.c - the hash table of jag/table.h: what is inserted is found until it is removed, through every growth. */
#include "unit.h"

#include "jag/table.h"

#define COUNT 1000

struct record {
	int before;
	struct jag_link link;
	unsigned released;
};

static void fill(struct jag_table *table, struct record *records)
{
	for (uint64_t i = 0; i < COUNT; i++) {
		records[i] = (struct record){ .link.key = i << 36 };
		assert_int_equal(jag_table_insert(table, &records[i].link), 0);
	}
	assert_int_equal(table->count, COUNT);
}

static void records_are_found_until_they_are_removed(void **state)
{
	static struct record records[COUNT];
	struct jag_table table = { 0 };
	(void)state;
	assert_null(jag_table_find(&table, 0));
	fill(&table, records);
	for (uint64_t i = 0; i < COUNT; i += 3)
		jag_table_remove(&table, &records[i].link);
	for (uint64_t i = 0; i < COUNT; i++) {
		struct jag_link *link = jag_table_find(&table, i << 36);
		if (i % 3)
			assert_ptr_equal(jag_record(link, struct record, link), &records[i]);
		else
			assert_null(link);
	}
	assert_null(jag_table_find(&table, 1));
	for (struct jag_link *link; (link = jag_table_any(&table));)
		jag_table_remove(&table, link);
	assert_int_equal(table.count, 0);
	jag_table_finish(&table, NULL);
}

static void release(struct jag_link *link)
{
	struct record *record = jag_record(link, struct record, link);
	record->released++;
	link->next = NULL; /* it may be freed */
}

static void finishing_releases_every_record_once(void **state)
{
	static struct record records[COUNT];
	struct jag_table table = { 0 };
	(void)state;
	jag_table_finish(&table, release);
	fill(&table, records);
	jag_table_finish(&table, release);
	for (size_t i = 0; i < COUNT; i++)
		assert_int_equal(records[i].released, 1);
	assert_int_equal(table.count, 0);
	assert_null(jag_table_find(&table, 0));
	assert_int_equal(jag_table_insert(&table, &records[0].link), 0);
	jag_table_finish(&table, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_found_until_they_are_removed),
		cmocka_unit_test(finishing_releases_every_record_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
