#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# resize.bats - `jagfs resize`, and `jagfs pack --size`, which must give the same.

load pack_helpers

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  photos src 12
  "$JAGFS" pack -q src full
}

resize() { run "$JAGFS" resize "$@"; }

shape() { "$JAGFS" cat "$1/$2.npy" | head -c 128 | grep -ao "'shape': ([^)]*)"; }

@test "packing with a size equals packing, then resizing" {
  local i=0 size
  for size in 17x23 '17x23 --fit cover' '23x17 --fit contain' short:13 max:25 '9x9 --no-antialias'; do
    # shellcheck disable=SC2086  # options
    "$JAGFS" pack -q --size $size src packed$i
    # shellcheck disable=SC2086
    "$JAGFS" resize -q --size $size full/image resized$i
    diff -r packed$i resized$i
    i=$((i + 1))
  done
  ! cmp -s resized0/image.memmap resized1/image.memmap
}

@test "packing with a size needs the dense size on the disk, not that of the images" {
  "$MAKE_PHOTOS" large 12 1 200 300
  mkdir small
  own_mounts 'mount -t tmpfs -o size=200k none small && "$JAGFS" pack -q --size 32x32 large small/store && cp -r small/store kept'
  [[ $status -eq 0 && $(stat -c%s kept/image.memmap) -eq $((12 * 3 * 32 * 32)) ]]
  own_mounts 'mount -t tmpfs -o size=200k none small && "$JAGFS" pack -q large small/store'
  refused 'small/store: the store needs [0-9]+ bytes, but [0-9]+ are free'
}

@test "an exact size gives one dense tensor, the others nested ones" {
  "$JAGFS" resize -q --size 8x9 full/image dense
  [[ $(stat -c%s dense/image.memmap) -eq $((12 * 3 * 8 * 9)) && ! -e dense/image.shape.memmap ]]
  [[ $(shape dense image) == "'shape': (12, 3, 8, 9)" ]]
  "$JAGFS" resize -q --size short:8 full/image nested
  [[ -s nested/image.shape.memmap ]]
}

@test "labels, paths and classes are kept as they are" {
  "$JAGFS" resize -q --size 8x8 full/image small
  for file in label.memmap path.memmap path.shape.memmap classes/meta.json; do cmp full/$file small/$file; done
}

@test "the images of a chunked store are one" {
  "$JAGFS" pack -q --chunk-elements 9000 src chunks
  [[ -d chunks/2 ]]
  "$JAGFS" resize -q --size 8x8 full/image one
  "$JAGFS" resize -q --size 8x8 chunks/image joined
  diff -r one joined
}

@test "--chunk-elements splits a nested result, and the mount's tree joins it" {
  "$JAGFS" resize -q --size short:20 --chunk-elements 5000 full/image chunks
  "$JAGFS" resize -q --size short:20 full/image one
  [[ -d chunks/2 ]]
  for i in 00 05 11; do cmp <("$JAGFS" cat chunks/image/$i.npy) <("$JAGFS" cat one/image/$i.npy); done
  [[ $("$JAGFS" ls chunks/image | wc -l) -eq 12 ]]
}

@test "the number of threads changes nothing" {
  for jobs in 1 2 5; do "$JAGFS" resize -q -j$jobs --size short:16 full/image store$jobs; done
  diff -r store1 store2
  diff -r store1 store5
}

@test "max: leaves small images as they are" {
  "$JAGFS" resize -q --size max:100 full/image same
  cmp full/image.memmap same/image.memmap
  cmp full/image.shape.memmap same/image.shape.memmap
}

@test "the summary says what was made" {
  resize --size 8x8 full/image small
  [[ $status -eq 0 && ${lines[0]} =~ ^images\ +12,\ dense$ ]]
  resize -q --size 8x8 full/image quiet
  [[ $status -eq 0 && -z $output ]]
}

@test "an existing store is refused; --force replaces it, but not the source" {
  "$JAGFS" resize -q --size 8x8 full/image small
  cp -r small before
  resize -q --size 9x9 full/image small
  refused '^jagfs: small: holds a store already'
  diff -r small before
  "$JAGFS" resize -q --force --size 9x9 full/image small
  [[ $(shape small image) == "'shape': (12, 3, 9, 9)" ]]
  cp -r full unchanged
  resize -q --force --size 9x9 full/image full/.
  refused 'holds the images that shall be resized'
  diff -r full unchanged
}

@test "what is no image is refused, and nothing is left" {
  for key in label path nope image/nope ''; do
    resize -q --size 8x8 "full/$key" small
    refused '^jagfs: '
  done
  resize -q --size 8x8 full/label small
  refused '^jagfs: full/label: no images: torch.int64 elements of 0 dimensions'
  resize -q --size 8x8 src small
  refused 'src: not a tensordict store'
  nothing_left . src full
}

@test "a size that fits on no disk is refused before anything is written" {
  resize -q --size 16777216x16777216 full/image small
  refused '^jagfs: small: .*needs [0-9]+ bytes, but [0-9]+ are free'
  nothing_left . src full
}

@test "a result that is too long is named by its element" {
  resize -q --size short:16777216 full/image small
  refused '^jagfs: image.memmap: element [0-9]+: .*each side, also of the result'
  nothing_left . src full
}

@test "wrong usage ends with 2" {
  for arguments in '' 'full/image' 'full/image small' '--size 8 full/image small' '--size 8x0 full/image small' \
    '--size short:8 --fit cover full/image small' '--size 8x8 --fit wide full/image small' '--size 8x8 --bad a b' \
    '--size 8x8 -j0 full/image small' '--size 8x8 --mode cmyk full/image small' '--size 8x8 --layout x full/image small'; do
    # shellcheck disable=SC2086
    resize $arguments
    [[ $status -eq 2 && $output =~ ^jagfs:\ resize: ]] || { echo "$arguments: $status $output"; return 1; }
  done
  nothing_left . src full
}

# Until some work took long enough to be interrupted.
@test "an interrupted resize leaves nothing" {
  for side in 300 600 1200 2400; do
    env --default-signal=INT nice -n 19 "$JAGFS" resize -q -j1 --size "${side}x$side" full/image large >log 2>&1 3>&- &
    pid=$!
    until compgen -G 'large*' >/dev/null || ! kill -0 $pid 2>/dev/null; do read -rt 0.005 <> <(:) || true; done
    kill -INT $pid 2>/dev/null || true
    status=0
    wait $pid || status=$?
    [[ $status -eq 0 ]] || break
    rm -r large
  done
  [[ $status -eq 130 && $(<log) =~ interrupted ]] || { echo "$side: status $status: $(<log)"; return 1; }
  nothing_left . src full log
}
