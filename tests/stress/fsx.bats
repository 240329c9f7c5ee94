#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# fsx.bats - random reads, writes and mappings of elements, in place. FSX_OPS=100000 for a long run.
load stress

setup() { FSX_OPS=${FSX_OPS:-4000}; }
teardown() { write_end; }

@test "fsx on a raw element" {
  write_begin
  # shellcheck disable=SC2046
  fsx $(seed) -n "$FSX_OPS" "$(element raw 00.bin)"
}

@test "fsx on an element larger than a request and on two that share a page of the data file" {
  write_begin
  # shellcheck disable=SC2046
  fsx $(seed) -n "$FSX_OPS" "$(element many 03.bin)" "$(element page 2.bin)" "$(element page 3.bin)"
}

@test "fsx on elements of 4095, 4097 and 13 bytes" {
  write_begin
  # shellcheck disable=SC2046
  fsx $(seed) -n "$FSX_OPS" "$(element raw 02.bin)" "$(element raw 03.bin)" "$(element raw 05.bin)"
}

@test "fsx on the pixels of an interleaved ppm and of an npy" {
  write_begin
  # shellcheck disable=SC2046
  fsx $(seed) -n "$FSX_OPS" -o 13 "$M/image/03.ppm"
  # shellcheck disable=SC2046
  fsx $(seed) -n "$FSX_OPS" -o 128 "$M/image/04.npy"
}

@test "fsx with direct I/O" {
  local maps=
  write_begin direct
  sysdo "$M/raw/00.bin" open:rw touch:0:10 | grep -q 'touch 0' || maps=-RW
  # shellcheck disable=SC2046,SC2086
  fsx $(seed) $maps -n "$FSX_OPS" "$(element raw 00.bin)"
  # shellcheck disable=SC2046,SC2086
  fsx $(seed) $maps -n "$FSX_OPS" "$(element page 2.bin)" "$(element page 3.bin)"
}

@test "fsx through the page cache of the mount (page_cache)" {
  write_begin page_cache
  # shellcheck disable=SC2046
  fsx $(seed) -n "$FSX_OPS" "$(element raw 00.bin)"
  # shellcheck disable=SC2046
  fsx $(seed) -n "$FSX_OPS" "$(element page 2.bin)" "$(element page 3.bin)"
}
