/* SPDX-License-Identifier: MIT */
/* fuzz.h - the one function of a fuzz target. Called by libFuzzer, or by replay_main.c for each file of the corpus. */
#ifndef JAG_TEST_FUZZ_H
#define JAG_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* 0 always; a fault is a crash, an abort() or a sanitizer's report. `data` must not be changed. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
