#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# options.bats - tree options that are meant for no leaf, or for one that they do not fit, are said and not passed over.

load store_helpers

# The verbs that take -o, on the same store.
verbs() {
  local store=$1 options=$2 regex=$3 verb
  for verb in "ls $store" "cat $store/meta.json" "info $store"; do
    # shellcheck disable=SC2086
    run "$JAGFS" $verb -o "$options"
    refused "$regex" || { echo "$verb -o $options"; return 1; }
  done
  run "$JAGFS" put "$store/meta.json" -o "$options" </dev/null
  refused "$regex"
}

@test "batch for a nested leaf, for a stack, and beyond the dimensions is refused" {
  verbs "$(fixture nested_images)" batch=image=1 'option batch: image is nested'
  verbs "$(fixture lazystack)" batch=a=1 'option batch: a is a stack'
  verbs "$(fixture plain)" batch=a=3 'option batch: a has 2 dimensions, not 3'
  verbs "$(fixture plain)" batch=b/c=2 'option batch: b/c has 1 dimension, not 2'
  "$JAGFS" ls "$(fixture plain)" -o batch=a=2
}

@test "batch for all leaves counts as far as they have dimensions, and is refused where none has" {
  "$JAGFS" ls "$(fixture plain)" -o batch=2
  verbs "$(fixture plain)" batch=3 'no leaf has as many dimensions as "3"'
  "$JAGFS" ls "$(fixture nested_2d)" -o batch=0
}

@test "every option for a key that is no leaf is refused" {
  for option in batch=zzz=1 format=zzz=npy layout=zzz=chw channels=zzz=bgr format=b=npy; do
    verbs "$(fixture plain)" "$option" "option ${option%%=*}: no leaf is called"
  done
}

@test "a format, a layout, an order of channels that fits nothing of the named leaf is refused" {
  verbs "$(fixture plain)" format=a=jpg 'option format: jpg does not fit a '
  verbs "$(fixture plain)" layout=a=chw 'option layout: chw does not fit a '
  verbs "$(fixture plain)" channels=a=bgr 'option channels: bgr does not fit a '
  "$MAKE_PHOTOS" "$BATS_TEST_TMPDIR/photos" 3 1 20 40
  "$JAGFS" pack -q "$BATS_TEST_TMPDIR/photos" "$BATS_TEST_TMPDIR/store"
  verbs "$BATS_TEST_TMPDIR/store" layout=image=hwc 'option layout: hwc does not fit image \(no element has 1 to 4'
  for option in format=jpg layout=chw channels=bgr layout=a=none layout=a=auto channels=a=rgb; do
    "$JAGFS" ls "$(fixture plain)" -o "$option" # for every leaf that it fits
  done
}

# A rate for images was passed over in silence.
@test "a rate for a leaf that holds no sound is refused by its name" {
  verbs "$(fixture nested_images)" rate=image=8000 'option rate: wav does not fit image '
  "$JAGFS" ls "$(fixture nested_images)" -o rate=8000
}

@test "an option of serving is said to be one of mount; an unknown format brings the list of formats" {
  run "$JAGFS" ls "$(fixture plain)" -o cache_mb=9
  [[ $status -eq 2 && ${lines[0]} == *"unknown option: cache_mb=9 (options of how a mount is served count for mount alone)" ]]
  for option in format=gif views=gif; do
    verbs "$(fixture plain)" $option 'no format is called "gif"; there are .*raw, .*npy, pnm, png, jpg, txt, wav'
  done
}

@test "help lists the verbs, and tells of one of them" {
  [[ $("$JAGFS" help) == "$("$JAGFS" --help)" ]]
  [[ $("$JAGFS" help ls) == "$("$JAGFS" ls --help)" ]]
  run "$JAGFS" help frobnicate
  [[ $status -eq 2 && ${lines[0]} == "jagfs: help frobnicate: want the name of one verb"* ]]
  run "$JAGFS" help ls cat
  [[ $status -eq 2 && ${lines[0]} == "jagfs: help cat: want the name of one verb"* ]]
}

@test "one word that is no verb is said to be none" {
  run "$JAGFS" frobnicate
  [[ $status -eq 2 && ${lines[0]} == "jagfs: frobnicate is no verb"* ]]
}

@test "an option without its value, or with one that it does not take, is told so" {
  local option
  for option in format layout batch views channels rate quality png_level list subsampling; do
    run "$JAGFS" ls "$(fixture plain)" -o "$option"
    [[ $status -eq 2 && ${lines[0]} == "jagfs: ls: option $option needs a value" ]]
  done
  for option in bits skip_bad; do
    run "$JAGFS" ls "$(fixture plain)" -o "$option=1"
    [[ $status -eq 2 && ${lines[0]} == "jagfs: ls: option $option takes no value" ]]
  done
}

@test "a bad value is refused, also where no leaf asks for it" {
  for option in batch=x batch=-1 batch= batch=65 batch=image=1x layout=q channels=q format=q format=raw. format==; do
    verbs "$(fixture nested_images)" "$option" "option ${option%%=*}: "
  done
}

@test "collections 256 deep are shown; what is deeper is refused by its path, and left out with skip_bad" {
  type="<class 'tensordict._td.TensorDict'>"
  dir=$BATS_TEST_TMPDIR/deep
  for ((i = 0; i <= 256; i++)); do
    mkdir "$dir"
    printf '{"d":{"type":"TensorDict"},"shape":[],"device":"cpu","_type":"%s"}' "$type" >"$dir/meta.json"
    dir+=/d
  done
  printf '{"shape":[],"device":"cpu","_type":"%s"}' "$type" >"${dir%/d}/meta.json"
  [[ $("$JAGFS" ls "$BATS_TEST_TMPDIR/deep/" | head -n 1) == d/ ]]
  [[ $("$JAGFS" info --json "$BATS_TEST_TMPDIR/deep" | grep -o '"d/[d/]*/d"' | tail -n 1 | tr -cd d | wc -c) -eq 256 ]]
  printf '{"d":{"type":"TensorDict"},"shape":[],"device":"cpu","_type":"%s"}' "$type" >"${dir%/d}/meta.json"
  mkdir "$dir"
  printf '{"shape":[],"device":"cpu","_type":"%s"}' "$type" >"$dir/meta.json"
  run "$JAGFS" ls "$BATS_TEST_TMPDIR/deep"
  refused "$BATS_TEST_TMPDIR/deep/d/d/.*: .*deeper than 256"
  [[ $("$JAGFS" ls -o skip_bad "$BATS_TEST_TMPDIR/deep" | head -n 1) == d/ ]]
}
