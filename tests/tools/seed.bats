#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# seed.bats - the example program: what it makes with the library is what the verbs make.

load pack_helpers

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  photos src 12
}

@test "its stores are those of pack and resize" {
  "$SEED" photos small src/*/*
  "$JAGFS" pack -q src/*/* packed
  "$JAGFS" resize -q --size 32x32 packed/image resized
  for leaf in image image.shape; do cmp photos/$leaf.memmap packed/$leaf.memmap; done
  cmp small/image.memmap resized/image.memmap
  nothing_left photos image.memmap image.shape.memmap meta.json
}

@test "an image that cannot be decoded is named, and nothing is left" {
  head -c 700 src/noise/00001.jpg >src/noise/bad.jpg
  run "$SEED" photos small src/*/*
  [[ $status -eq 1 && ${#lines[@]} -eq 1 && $output == "seed: src/noise/bad.jpg: element 8: "* ]]
  nothing_left . src
}

@test "it has at most 60 lines of code" {
  [[ $(grep -vcE '^\s*$|^\s*/?\*' "$BATS_TEST_DIRNAME/../../examples/seed.c") -le 60 ]]
}
