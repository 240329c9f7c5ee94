#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cat.bats - `jagfs cat`: the bytes of one file of the tree.

load store_helpers

@test "raw is the element's bytes" {
  store=$(fixture nested_images)
  "$JAGFS" cat "$store/image/0.bin" >"$BATS_TEST_TMPDIR/0"
  "$JAGFS" cat "$store/image/1.bin" >"$BATS_TEST_TMPDIR/1"
  cat "$BATS_TEST_TMPDIR/0" "$BATS_TEST_TMPDIR/1" | cmp - "$store/image.memmap"
}

@test "npy is a header and the bytes" {
  store=$(fixture plain)
  "$JAGFS" cat "$store/a.npy" >"$BATS_TEST_TMPDIR/a.npy"
  [[ $(head -c 6 "$BATS_TEST_TMPDIR/a.npy" | od -An -tx1) == " 93 4e 55 4d 50 59" ]]
  tail -c 48 "$BATS_TEST_TMPDIR/a.npy" | cmp - "$store/a.memmap"
}

@test "the whole of rows is their bytes in one file" {
  [[ $("$JAGFS" cat "$(fixture nested_images)/index.bin" | cmp - "$(fixture nested_images)/index.memmap") == "" ]]
}

@test "every image format has its magic bytes" {
  store=$(fixture nested_images)
  [[ $("$JAGFS" cat "$store/image/0.png" | head -c 8 | od -An -tx1) == " 89 50 4e 47 0d 0a 1a 0a" ]]
  [[ $("$JAGFS" cat "$store/image/0.jpg" | head -c 2 | od -An -tx1) == " ff d8" ]]
  [[ $("$JAGFS" cat "$store/image/0.ppm" | head -c 2) == P6 ]]
}

@test "meta.json and pickles come out as they are" {
  "$JAGFS" cat "$(fixture nontensor)/meta.json" | cmp - "$(fixture nontensor)/meta.json"
  "$JAGFS" cat "$(fixture nontensor)/p/other.pickle" | cmp - "$(fixture nontensor)/p/other.pickle"
}

@test "values are JSON, and items of a list are texts" {
  [[ $("$JAGFS" cat "$(fixture nontensor)/s.json") == '["a","b","c"]' ]]
  [[ $("$JAGFS" cat "$(fixture nontensor)/s/1.txt") == b ]]
  [[ $("$JAGFS" cat "$(fixture tensorclass)/label.json") == '"hé"' ]]
}

@test "children of a lazy stack are elements of each key" {
  "$JAGFS" cat "$(fixture lazystack)/a/1.bin" | cmp - "$(fixture lazystack)/1/a.memmap"
  "$JAGFS" cat "$(fixture lazystack)/b/0.bin" | cmp - "$(fixture lazystack)/1/b.memmap"
}

@test "a directory, and a name that is no element, are refused" {
  run "$JAGFS" cat "$(fixture nested_images)/image"
  refused "image: Is a directory"
  for name in 00.png 2.png 0.PNG 0 0.gif x; do
    run "$JAGFS" cat "$(fixture nested_images)/image/$name"
    refused "$name: No such file"
  done
  run "$JAGFS" cat "$(fixture nested_images)/image/0.png/x"
  refused "x: Not a directory"
}

@test "what others store is read at once" {
  store=$(copy_fixture nested_images)
  before=$("$JAGFS" cat "$store/image/0.png" | cksum)
  printf '\377' | dd of="$store/image.memmap" conv=notrunc bs=1 seek=3 status=none
  [[ $("$JAGFS" cat "$store/image/0.png" | cksum) != "$before" ]]
}

@test "chunks give the files of one store" {
  "$MAKE_PHOTOS" "$BATS_TEST_TMPDIR/photos" 20 1 20 40
  "$JAGFS" pack -q "$BATS_TEST_TMPDIR/photos" "$BATS_TEST_TMPDIR/one"
  total=$(stat -c %s "$BATS_TEST_TMPDIR/one/image.memmap")
  "$JAGFS" pack -q --chunk-elements $((total / 3)) "$BATS_TEST_TMPDIR/photos" "$BATS_TEST_TMPDIR/many"
  [[ -d $BATS_TEST_TMPDIR/many/1 ]]
  [[ $("$JAGFS" ls "$BATS_TEST_TMPDIR/many") == "$("$JAGFS" ls "$BATS_TEST_TMPDIR/one")" ]]
  for path in $("$JAGFS" ls "$BATS_TEST_TMPDIR/one/image" | sed 's,^,image/,') label.npy classes.json image.shape.npy; do
    cmp <("$JAGFS" cat "$BATS_TEST_TMPDIR/one/$path") <("$JAGFS" cat "$BATS_TEST_TMPDIR/many/$path")
  done
}
