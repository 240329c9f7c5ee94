#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# fio.bats - fio writes random blocks in place, reads them back and verifies their checksums.
load write

setup() {
  need fio
  write_begin
}
teardown() { write_end; }

verify() { # ENGINE FILE SIZE [ARGUMENT...]
  local engine=$1 file=$2 size=$3
  shift 3
  run fio --name=verify --filename="$file" --size="$size" --rw=randwrite --verify=crc32c --do_verify=1 \
    --verify_fatal=1 --allow_file_create=0 --overwrite=1 --fallocate=none --ioengine="$engine" --loops=2 \
    --randseed=7 --verify_state_save=0 --output="$T/fio.log" --thread=1 "$@"
  [ "$status" -eq 0 ] || { cat "$T/fio.log" >&2; return 1; }
  grep -q 'err= 0' "$T/fio.log"
  [ "$(stat -c %s "$file")" -ge "$size" ]
}

@test "psync, unaligned blocks" {
  verify psync "$(path big 0 bin)" 2621696 --bs=1k-16k --bs_unaligned=1
}

@test "psync with an fsync after every eighth write" {
  verify psync "$(path big 0 bin)" 2621440 --bs=4k --fsync=8
}

@test "mmap" {
  verify mmap "$(path big 0 bin)" 2621440 --bs=4k
}

@test "mmap with an msync after every fourth write" {
  verify mmap "$(path big 0 bin)" 2621440 --bs=4k --fdatasync=4
}

@test "psync without the page cache of the mount (direct)" {
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "about a mount option"
  remount direct
  verify psync "$(path big 0 bin)" 2621696 --bs=1k-16k --bs_unaligned=1
}

@test "psync and mmap through the page cache of the mount (page_cache)" {
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "about a mount option"
  remount page_cache
  verify psync "$(path big 0 bin)" 2621696 --bs=1k-16k --bs_unaligned=1
  verify mmap "$(path big 0 bin)" 2621440 --bs=4k --fdatasync=4
}

@test "what fio wrote is in the data file" {
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "about a data file"
  fio --name=fill --filename="$(path big 0 bin)" --size=2621440 --rw=write --bs=64k --buffer_pattern=0x5a \
    --allow_file_create=0 --overwrite=1 --fallocate=none --ioengine=psync --output=/dev/null
  [ "$(backing big 0 | head -c 2621440 | tr -d Z | wc -c)" = 0 ]
}
