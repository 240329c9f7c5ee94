#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pack_sources.bats - which files `jagfs pack` takes, in which order, under which names.

load pack_helpers

setup() { cd "$BATS_TEST_TMPDIR" || return; }

# names DIR NAME...: the same small image under each name.
names() {
  local dir=$1 name
  shift
  one image.jpg
  for name in "$@"; do
    mkdir -p "$dir/$(dirname "$name")"
    cp image.jpg "$dir/$name"
  done
  rm image.jpg
}

@test "files are ordered by bytes, class folder by class folder" {
  names src b/1.jpg a-b/1.jpg a/2.jpg a/10.jpg B/1.jpg a/z/1.jpg a/Z.jpg
  "$JAGFS" pack -q src store
  [[ $(paths store) == $(printf '%s\n' B/1.jpg a/10.jpg a/2.jpg a/Z.jpg a/z/1.jpg a-b/1.jpg b/1.jpg) ]]
  [[ $("$JAGFS" cat store/classes.json) == '["B","a","a-b","b"]' ]]
}

@test "several folders share their classes" {
  names one cat/1.jpg dog/1.jpg
  names two ant/1.jpg dog/2.jpg
  "$JAGFS" pack -q one two store
  [[ $("$JAGFS" cat store/classes.json) == '["ant","cat","dog"]' ]]
  [[ $(od -An -v -td8 -w8 store/label.memmap | tr -d ' \n') == 1202 ]]
}

@test "images outside class folders mean no labels, and a word about it" {
  names src a/1.jpg 2.jpg
  pack -q src store
  [[ $status -eq 0 && $output =~ "no labels: 1 of 2 images" && ! -e store/label.memmap && ! -e store/classes ]]
}

@test "single files are recorded as given, without leading / and ./" {
  names src a/1.jpg
  "$JAGFS" pack -q ./src/a/1.jpg "$PWD/src/a/1.jpg" store
  [[ $(paths store) == $(printf '%s\n' src/a/1.jpg "${PWD#/}/src/a/1.jpg") ]]
  [[ ! -e store/label.memmap ]]
}

@test "a NUL-separated list comes from standard input, in its order" {
  names src b.jpg a.jpg "c d.jpg" $'e\nf.jpg'
  printf '%s\0' src/b.jpg src/a.jpg "src/c d.jpg" $'src/e\nf.jpg' | "$JAGFS" pack -q -0 store
  [[ $(paths store) == $(printf '%s\n' src/b.jpg src/a.jpg "src/c d.jpg" 'src/e?f.jpg') ]]
  printf 'src/b.jpg\0src/a.jpg' | "$JAGFS" pack -q - store2
  [[ $(paths store2) == $(printf '%s\n' src/b.jpg src/a.jpg) ]]
  printf 'src/a.jpg\0' >list
  "$JAGFS" pack -q --files0-from list src/b.jpg store3
  [[ $(paths store3) == $(printf '%s\n' src/b.jpg src/a.jpg) ]]
}

@test "a list with newlines instead of NUL bytes is explained" {
  names src b.jpg a.jpg
  run bash -c 'printf "src/a.jpg\nsrc/b.jpg\n" | "$JAGFS" pack -q -0 store'
  refused 'print0'
}

@test "an empty list is refused" {
  run bash -c '"$JAGFS" pack -q -0 store </dev/null'
  refused 'empty'
}

@test "odd names: spaces, newlines, bytes that are not UTF-8" {
  names src $'x/new\nline.jpg' $'x/\xff\xfe.jpg' "x/ .jpg" $'caf\xe9/1.jpg'
  pack -q src store
  [[ $status -eq 0 && $output =~ "is not UTF-8" ]]
  [[ $("$JAGFS" cat store/classes.json) == '["caf%E9","x"]' ]]
  [[ $(tr '\n\377\376\351' '?###' <store/path.memmap) == 'caf#/1.jpgx/ .jpgx/new?line.jpgx/##.jpg' ]]
}

@test "hidden files and folders are left out" {
  names src a/1.jpg a/.2.jpg .git/3.jpg
  pack src store
  [[ $(paths store) == a/1.jpg && $output =~ hidden\ +2 ]]
}

@test "other files are left out and counted, whatever is missing in their names" {
  names src a/1.jpg a/photo
  echo text >src/a/notes.txt
  : >src/a/empty
  mkfifo src/a/pipe
  pack src store
  [[ $status -eq 0 && $output =~ "not images"\ +3 ]]
  [[ $(paths store) == $(printf '%s\n' a/1.jpg a/photo) ]]
}

@test "the type is told by content, not by name" {
  photos tmp 12
  mkdir src
  cp tmp/gradients/00009.png src/lie.jpg
  cp tmp/gradients/00000.jpg src/lie.png
  "$JAGFS" pack -q src store
  [[ $(paths store) == $(printf '%s\n' lie.jpg lie.png) ]]
}

@test "symbolic links are followed, also those to folders" {
  names real a/1.jpg
  mkdir src
  ln -s ../real/a src/a
  ln -s ../../real/a/1.jpg real/a/2.jpg
  "$JAGFS" pack -q src store
  [[ $(paths store) == $(printf '%s\n' a/1.jpg a/2.jpg) ]]
}

@test "loops and dangling links are named; --on-error skip leaves them out" {
  names src a/1.jpg
  ln -s nowhere src/a/2.jpg
  pack -q src store
  refused 'src/a/2.jpg: is a dangling symbolic link'
  rm src/a/2.jpg
  ln -s .. src/a/up
  pack -q src store
  refused 'src/a/up: is a loop'
  ln -s self src/a/self
  ln -s nowhere src/a/2.jpg
  pack --on-error skip src store
  [[ $status -eq 0 && $output =~ "left out"\ +3 && $(paths store) == a/1.jpg ]]
}

@test "a class folder without images is refused, or stays with --allow-empty" {
  names src a/1.jpg c/1.jpg
  mkdir src/b
  pack -q src store
  refused '^jagfs: b: this class folder holds no image'
  "$JAGFS" pack -q --allow-empty src store
  [[ $("$JAGFS" cat store/classes.json) == '["a","b","c"]' && $(od -An -v -td8 -w8 store/label.memmap | tr -d ' \n') == 02 ]]
}

@test "no image at all is refused" {
  mkdir src
  echo text >src/notes.txt
  pack -q src store
  refused 'no image'
  # Sorting no files was undefined: the sanitizer had a line of its own about it.
  pack -q /dev/null store
  refused 'no image'
  [[ ${#lines[@]} -eq 1 ]]
  pack -q nowhere store
  refused '^jagfs: nowhere: No such file'
}
