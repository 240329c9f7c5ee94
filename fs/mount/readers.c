/* SPDX-License-Identifier: MIT */
/* readers.c - a small table of threads and their habits. A slot: bits 0-31 the thread's id, bit 32 whether it reads in
 * pieces, bits 40-47 how many files more it gets through the page cache until it is watched again (there, the kernel's
 * requests do not tell how it reads). */
#include "readers.h"

#include "jag/table.h"

#define SMALL_FILE_NBYTES (32 * 1024) /* a few pages cost nothing, and the end of the file is known without a request */
#define SMALL_READ_NBYTES (64 * 1024)
#define MANY_READS 4
#define UNWATCHED_FILES 63

#define IN_PIECES (UINT64_C(1) << 32)
#define LEFT_SHIFT 40

static uint64_t *slot_of(struct jag_readers *readers, pid_t tid)
{
	return &readers->slots[jag_table_mix((uint64_t)tid) & (JAG_READERS_COUNT - 1)];
}

bool jag_readers_direct(struct jag_readers *readers, pid_t tid, uint64_t size)
{
	if (size < SMALL_FILE_NBYTES)
		return false;
	uint64_t *slot = slot_of(readers, tid), value = __atomic_load_n(slot, __ATOMIC_RELAXED);
	if ((uint32_t)value != (uint32_t)tid || !(value & IN_PIECES) || value >> LEFT_SHIFT == 0)
		return true;
	__atomic_store_n(slot, value - (UINT64_C(1) << LEFT_SHIFT), __ATOMIC_RELAXED);
	return false;
}

void jag_readers_note(struct jag_readers *readers, pid_t tid, uint64_t size, uint64_t reads, uint64_t nbytes)
{
	if (reads == 0)
		return; /* mapped, or not read at all */
	bool pieces = (reads >= MANY_READS && nbytes / reads < SMALL_READ_NBYTES) || nbytes / 2 > size;
	uint64_t value = (uint32_t)tid;
	if (pieces)
		value |= IN_PIECES | (uint64_t)UNWATCHED_FILES << LEFT_SHIFT;
	__atomic_store_n(slot_of(readers, tid), value, __ATOMIC_RELAXED);
}
