#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# read.bats - bytes: ranges, mappings, what a foreign process stored, and a store that is cut under the mount.

load ../lib/common

setup() {
  require_fuse
  make_store 12 200 300
}
teardown() { teardown_mount; }

element() { tail -c "+$((OFFSET + 1))" "$STORE/image.memmap" | head -c "$NBYTES"; }

@test "a raw element has the store's bytes, in every range" {
  mount_store
  for i in 0 5 11; do
    image "$i"
    element >"$BATS_TEST_TMPDIR/want"
    cmp "$BATS_TEST_TMPDIR/want" "$MNT/image/$(printf %02d "$i").bin"
    for range in "0 1" "1 4095" "4095 2" "$((NBYTES - 1)) 1" "$((NBYTES / 3)) 10000"; do
      read -r at n <<<"$range"
      equals "$("$FSCHECK" bytes "$MNT/image/$(printf %02d "$i").bin" "$at" "$n")" \
        "$("$FSCHECK" bytes "$BATS_TEST_TMPDIR/want" "$at" "$n")"
    done
  done
  unmount_clean
}

@test "reading at and beyond the end gives nothing" {
  mount_store
  image 3
  for file in 03.bin 03.npy 03.png 03.ppm; do
    size=$(stat -c %s "$MNT/image/$file")
    equals "$("$FSCHECK" bytes "$MNT/image/$file" "$size" 10)" ""
    equals "$("$FSCHECK" bytes "$MNT/image/$file" $((size + 100000)) 10)" ""
    equals "$("$FSCHECK" bytes "$MNT/image/$file" $((size - 3)) 10 | tr -d '\n' | wc -c)" 6
  done
  unmount_clean
}

@test "reading in odd pieces and in one piece is the same, every format" {
  mount_store
  for suffix in bin npy ppm png jpg; do
    dd if="$MNT/image/04.$suffix" of="$BATS_TEST_TMPDIR/pieces" bs=1237 status=none
    cmp "$BATS_TEST_TMPDIR/pieces" "$MNT/image/04.$suffix"
  done
  unmount_clean
}

@test "direct reads without page cache are the same as cached ones" {
  mount_store -o direct
  image 5
  element | cmp - "$MNT/image/05.bin"
  dd if="$MNT/image/05.npy" bs=1237 status=none | tail -c "$NBYTES" | cmp - <(element)
  equals "$(try open "$MNT/image/05.bin" direct)" OK
  unmount_clean
}

@test "every file can be mapped shared" {
  mount_store
  for file in image/05.bin image/05.npy image/05.png image/05.jpg meta.json image.shape.npy; do
    read -r n _ < <("$FSCHECK" mapread "$MNT/$file")
    equals "$n" "$(stat -c %s "$MNT/$file")"
  done
  unmount_clean
}

@test "what another process stores into the mapping is seen by the next open, raw and encoded" {
  mount_store
  image 5
  for suffix in bin npy png jpg; do cat "$MNT/image/05.$suffix" >"$BATS_TEST_TMPDIR/old.$suffix"; done
  "$FSCHECK" poke "$STORE/image.memmap" $((OFFSET + 1000)) 0102030405060708
  equals "$("$FSCHECK" bytes "$MNT/image/05.bin" 1000 8)" 0102030405060708
  for suffix in bin npy png jpg; do ! cmp -s "$BATS_TEST_TMPDIR/old.$suffix" "$MNT/image/05.$suffix"; done
  "$FSCHECK" poke "$STORE/image.memmap" $((OFFSET + 1000)) "$("$FSCHECK" bytes "$BATS_TEST_TMPDIR/old.bin" 1000 8)"
  for suffix in bin npy png jpg; do cmp "$BATS_TEST_TMPDIR/old.$suffix" "$MNT/image/05.$suffix"; done
  unmount_clean
}

@test "an encoding that grows is copied whole right after a stat of the old one" {
  mount_store -o format=image=jpg
  image 5
  dd if=/dev/zero of="$STORE/image.memmap" bs=1 seek="$OFFSET" count="$NBYTES" conv=notrunc status=none
  small=$(stat -c %s "$MNT/image/05.jpg")
  dd if=/dev/urandom of="$STORE/image.memmap" bs="$NBYTES" oflag=seek_bytes seek="$OFFSET" count=1 conv=notrunc status=none
  cp "$MNT/image/05.jpg" "$BATS_TEST_TMPDIR/copy"
  [[ $(stat -c %s "$BATS_TEST_TMPDIR/copy") -gt $((2 * small)) ]]
  cmp "$BATS_TEST_TMPDIR/copy" "$MNT/image/05.jpg"
  equals "$(tail -c 2 "$BATS_TEST_TMPDIR/copy" | od -An -tx1 | tr -d ' ')" ffd9
  unmount_clean
}

@test "a mapped jpg keeps its content while the element's encoding shrinks" {
  mount_store
  image 5
  cat >"$BATS_TEST_TMPDIR/shrink" <<END
dd if=/dev/zero of="$STORE/image.memmap" bs=$NBYTES oflag=seek_bytes seek=$OFFSET count=1 conv=notrunc status=none
cat "$MNT/image/05.jpg" >"$BATS_TEST_TMPDIR/new" && stat "$MNT/image/05.jpg" >/dev/null && ls -l "$MNT/image@jpg" >/dev/null
END
  before=$(stat -c %s "$MNT/image/05.jpg")
  equals "$("$FSCHECK" hold "$MNT/image/05.jpg" bash -e "$BATS_TEST_TMPDIR/shrink")" same
  [[ $(stat -c %s "$BATS_TEST_TMPDIR/new") -lt $before ]]
  unmount_clean
}

@test "four readers never see a mixed or cut file while the element changes every millisecond" {
  mount_store
  image 5
  "$CHURN" "$STORE/image.memmap" $((OFFSET + 500)) 2000 "$MNT/image/05.jpg" "$MNT/image/05.png"
  unmount_clean
}

@test "four readers never see a mixed or cut png whose size changes" {
  mount_store -o png_level=1
  image 5
  "$CHURN" "$STORE/image.memmap" $((OFFSET + 500)) 1000 "$MNT/image/05.png"
  unmount_clean
}

@test "a backing file that is cut gives EIO on what is lost, and the rest is served" {
  mount_store
  image 2
  cat "$MNT/image/11.png" >/dev/null
  truncate -s "$OFFSET" "$STORE/image.memmap"
  for suffix in bin npy ppm png jpg; do
    equals "$(try read "$MNT/image/11.$suffix")" EIO
    cat "$MNT/image/01.$suffix" >/dev/null
  done
  expect_refusal 'image/11.*: cannot be read from .*image.memmap: Input/output error$'
  unmount_clean
}

@test "a shape file that is cut gives EIO, and one line says of which element" {
  mount_store -o attr_timeout=0,entry_timeout=0
  truncate -s 100 "$STORE/image.shape.memmap"
  for suffix in bin npy png jpg; do
    equals "$(try read "$MNT/image/11.$suffix")" EIO
    expect_refusal "image/11.$suffix"
  done
  cat "$MNT/meta.json" >/dev/null
  unmount_clean
}

@test "reads of many processes at a time are all right" {
  mount_store
  md5sum "$MNT"/image/*.png "$MNT"/image@jpg/* "$MNT"/image@npy/* >"$BATS_TEST_TMPDIR/sums"
  for _ in 1 2 3 4 5 6; do md5sum --quiet -c "$BATS_TEST_TMPDIR/sums" & done
  for job in $(jobs -p); do [[ $job == "$DAEMON" ]] || wait "$job"; done
  unmount_clean
}
