#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ls.bats - `jagfs ls`: the listing of a mount, without one.

load store_helpers

@test "a store's keys, each once, directories with a slash" {
  run "$JAGFS" ls "$(fixture nested_images)"
  [[ $status -eq 0 && $output == $'image/\nindex.npy\nmeta.json' ]]
}

@test "a directory of elements, in every format that is asked for" {
  store=$(fixture nested_images)
  [[ $("$JAGFS" ls "$store/image") == $'0.png\n1.png' ]]
  [[ $("$JAGFS" ls "$store/image" -o format=jpg) == $'0.jpg\n1.jpg' ]]
  [[ $("$JAGFS" ls -o format=image=raw.dat "$store/image/") == $'0.dat\n1.dat' ]]
  [[ $("$JAGFS" ls "$store/image@npy") == $'0.npy\n1.npy' ]]
  [[ $("$JAGFS" ls "$store" -o views=jpg:npy,list=both) == $'image/\nimage@npy/\nimage@jpg/\nindex/\nindex@npy/\nindex.npy\nmeta.json' ]]
}

@test "-l gives the sizes that cat finds" {
  store=$(fixture nested_images)
  for format in png jpg npy pnm txt raw; do
    "$JAGFS" ls -l "$store/image" -o "format=$format" >"$BATS_TEST_TMPDIR/list"
    while read -r _ _ _ size _ _ name; do
      [[ $("$JAGFS" cat "$store/image/$name" | wc -c) -eq $size ]]
    done <"$BATS_TEST_TMPDIR/list"
    [[ $(wc -l <"$BATS_TEST_TMPDIR/list") -eq 2 ]]
  done
}

@test "one file is listed by its name" {
  run "$JAGFS" ls "$(fixture nested_images)/image/1.jpg"
  [[ $status -eq 0 && $output == 1.jpg ]]
}

@test "every fixture lists, and what is listed can be read" {
  for store in "$(fixture '')"*/; do
    "$JAGFS" ls "$store" >"$BATS_TEST_TMPDIR/list"
    while read -r name; do
      case $name in
        */) "$JAGFS" ls "$store$name" >/dev/null ;;
        *) "$JAGFS" cat "$store$name" >/dev/null ;;
      esac
    done <"$BATS_TEST_TMPDIR/list"
    [[ -s $BATS_TEST_TMPDIR/list ]]
  done
}

@test "kinds of store that are not built yet are refused by name" {
  for file in full.tdz consolidated_plain.bin; do
    run "$JAGFS" ls "$(fixture $file)"
    refused "$file: .*not supported"
  done
}

@test "a path that is not there is refused" {
  run "$JAGFS" ls "$(fixture plain)/nothing"
  refused "nothing: No such file"
  run "$JAGFS" ls "$BATS_TEST_TMPDIR/nothing"
  refused "nothing: No such file"
}

@test "a fault below is refused, and left out with skip_bad" {
  store=$(copy_fixture plain)
  truncate -s 1 "$store/a.memmap"
  run "$JAGFS" ls "$store"
  refused "a.memmap: "
  [[ $("$JAGFS" ls "$store" -o skip_bad) == $'b/\nmeta.json' ]]
  [[ $("$JAGFS" ls "$store/b") == $'c.npy\nmeta.json' ]]
}

@test "options that make no sense end with 2" {
  for options in format nothing=1 quality=0 quality=x png_level=10 list=some; do
    run "$JAGFS" ls "$(fixture plain)" -o "$options"
    usage_error
  done
  run "$JAGFS" ls
  usage_error
  run "$JAGFS" ls -z "$(fixture plain)"
  usage_error
  run "$JAGFS" ls "$(fixture plain)" "$(fixture plain)"
  usage_error
}

@test "a value that the store does not know is refused and named" {
  run "$JAGFS" ls "$(fixture plain)" -o format=gif
  refused 'no format is called "gif"'
  run "$JAGFS" ls "$(fixture plain)" -o format=zzz=png
  refused 'no leaf is called "zzz"'
}

@test "a reader that goes away is no failure" {
  set -o pipefail
  "$JAGFS" ls "$(fixture dtypes)" | head -n 1
  "$JAGFS" cat "$(fixture plain)/meta.json" | true
}

@test "a full disk is a failure" {
  [[ -w /dev/full ]] || skip "no /dev/full"
  run bash -c '"$JAGFS" ls "$1" >/dev/full' _ "$(fixture plain)"
  refused "No space left"
  mkdir "$BATS_TEST_TMPDIR/many" # more names than a buffer of stdio holds
  truncate -s 2000 "$BATS_TEST_TMPDIR/many/x.memmap"
  printf '{"x":{"device":"cpu","shape":[2000],"dtype":"torch.uint8","is_nested":false},"shape":[],"device":null,"_type":"%s"}' \
    "<class 'tensordict._td.TensorDict'>" >"$BATS_TEST_TMPDIR/many/meta.json"
  run bash -c '"$JAGFS" ls "$1/x" >/dev/full' _ "$BATS_TEST_TMPDIR/many"
  refused "No space left"
  run bash -c '"$JAGFS" cat "$1/a.npy" >/dev/full' _ "$(fixture plain)"
  refused "No space left"
}
