#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pack.bats - what `jagfs pack` writes, and what it says.

load pack_helpers

setup() { cd "$BATS_TEST_TMPDIR" || return; }

@test "class folders give image, path, label, classes and options" {
  photos src 12
  pack src store
  [[ $status -eq 0 ]]
  [[ $(ls store) == $(printf '%s\n' classes image.memmap image.shape.memmap jagfs label.memmap meta.json path.memmap path.shape.memmap) ]]
  [[ $("$JAGFS" cat store/classes.json) == '["gradients","noise","text"]' ]]
  [[ $(od -An -v -td8 -w8 store/label.memmap | tr -d ' ' | uniq -c | tr -s ' ') == $(printf ' 4 0\n 4 1\n 4 2') ]]
}

@test "the summary counts images, bytes and classes" {
  photos src 12
  pack src store
  [[ ${lines[0]} =~ ^images\ +12$ ]]
  [[ $output =~ classes\ +3 ]]
  [[ $output =~ store\ +$(cat store/*.memmap | wc -c) ]]
}

@test "-q says nothing" {
  photos src 3
  pack -q src store
  [[ $status -eq 0 && -z $output ]]
}

@test "the number of threads changes nothing" {
  photos src 40
  for jobs in 1 2 5; do "$JAGFS" pack -q -j$jobs src store$jobs; done
  diff -r store1 store2
  diff -r store1 store5
}

@test "--dry-run predicts the size and writes nothing" {
  photos src 12
  pack --dry-run src store
  [[ $status -eq 0 ]]
  predicted=$(sed -n 's/^store *\([0-9]*\).*/\1/p' <<<"$output")
  nothing_left . src
  "$JAGFS" pack -q src store
  [[ $(cat store/*.memmap | wc -c) -eq $predicted ]]
}

@test "--chunk-elements splits into numbered collections with the same bytes" {
  photos src 30
  "$JAGFS" pack -q src whole
  "$JAGFS" pack -q --chunk-elements 12000 src split
  chunks=$("$JAGFS" cat split/jagfs.json 2>/dev/null || cat split/jagfs/meta.json)
  chunks=$(sed 's/.*"chunks":\([0-9]*\).*/\1/' <<<"$chunks")
  [[ $chunks -ge 6 && -d split/0 && -d split/$((chunks - 1)) && ! -e split/$chunks ]]
  for leaf in image image.shape label path path.shape; do
    for ((i = 0; i < chunks; i++)); do cat "split/$i/$leaf.memmap"; done | cmp - "whole/$leaf.memmap"
  done
  for ((i = 0; i < chunks; i++)); do [[ $(stat -c %s "split/$i/image.memmap") -le 12000 ]]; done
}

@test "the chunks are shown as one sequence" {
  photos src 30
  "$JAGFS" pack -q src whole
  "$JAGFS" pack -q --chunk-elements 12000 src split
  [[ $("$JAGFS" ls split/image) == $("$JAGFS" ls whole/image) ]]
  for i in 00 17 29; do cmp <("$JAGFS" cat split/image/$i.png) <("$JAGFS" cat whole/image/$i.png); done
}

@test "--mode gives 1, 3 or 4 channels, keep those of the file" {
  photos src 30
  for mode in gray rgb rgba keep; do "$JAGFS" pack -q --mode $mode src $mode; done
  channels() { od -An -v -td8 -w24 "$1/image.shape.memmap" | awk '{ print $1 }' | sort -u | tr '\n' ' '; }
  [[ $(channels gray) == "1 " && $(channels rgb) == "3 " && $(channels rgba) == "4 " && $(channels keep) == "1 3 " ]]
}

@test "a store is readable as umask says" {
  photos src 3
  (umask 022 && "$JAGFS" pack -q src store)
  [[ $(stat -c %a store) == 755 && $(stat -c %a store/image.memmap) == 644 && $(stat -c %a store/classes/meta.json) == 644 ]]
}

@test "wrong usage ends with 2" {
  photos src 3
  for args in "" "src" "--resume src store" "-j0 src store" "-j x src store" "--mode cmyk src store" "--on-error x src store" \
    "--chunk-elements 0 src store" "--chunk-elements -5 src store" "src store -j"; do
    # shellcheck disable=SC2086
    pack $args
    [[ $status -eq 2 ]] || { echo "$args: $status"; return 1; }
  done
  nothing_left . src
}

@test "a full standard output is a failure" {
  photos src 3
  run bash -c '"$JAGFS" pack src store >/dev/full'
  [[ $status -eq 1 ]]
}
