#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# info.bats - `jagfs info`: keys, what a mount shows, faults.

load store_helpers

# field JSON PYTHON-EXPRESSION over `j`
field() { python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }

@test "dtypes, counts and ranges of shapes" {
  run "$JAGFS" info "$(fixture nested_images)"
  [[ $status -eq 0 ]]
  [[ $output == *"image: nested uint8, 2 elements of [3, 1..2, 2..4], 24 bytes"* ]]
  [[ $output == *"index: int64 [2], 16 bytes"* ]]
}

@test "how it is shown, and why" {
  run "$JAGFS" info "$(fixture nested_images)"
  [[ $output == *"image/: 2 files, png (uint8 [C,H,W]: every C is 1 or 3)"* ]]
  run "$JAGFS" info "$(fixture nested_images)" -o layout=none
  [[ $output == *"image/: 2 files, npy "* ]]
}

@test "one key alone" {
  run "$JAGFS" info "$(fixture nested_images)/image"
  [[ $status -eq 0 && $output == *"image: nested"* && $output != *"index"* ]]
  run "$JAGFS" info "$(fixture lazystack)/a"
  [[ $status -eq 0 && $output == *"a/: 2 files"* ]]
  run "$JAGFS" info "$(fixture nested_images)/nothing"
  refused "nothing"
}

@test "--json is one object that parses, for every fixture" {
  for store in "$(fixture '')"*/; do
    "$JAGFS" info "$store" --json >"$BATS_TEST_TMPDIR/info.json"
    [[ $(field "$BATS_TEST_TMPDIR/info.json" 'sorted(j)') == "['key', 'keys', 'kind', 'notes', 'shown', 'store']" ]]
    [[ $(field "$BATS_TEST_TMPDIR/info.json" 'len(j["keys"]) > 0 and len(j["shown"]) > 0') == True ]]
  done
}

@test "elements that do not fit the listed format are counted" {
  store=$(copy_fixture nested_images)
  printf '\2' | dd of="$store/image.shape.memmap" conv=notrunc bs=1 seek=0 status=none
  printf '\3' | dd of="$store/image.shape.memmap" conv=notrunc bs=1 seek=8 status=none
  "$JAGFS" info "$store" -o layout=chw --json >"$BATS_TEST_TMPDIR/info.json"
  "$JAGFS" info "$store" -o format=jpg,layout=chw --json >"$BATS_TEST_TMPDIR/jpg.json"
  [[ $(field "$BATS_TEST_TMPDIR/jpg.json" '[s["misfits"] for s in j["shown"] if s["path"] == "image"]') == "[1]" ]]
  [[ $(field "$BATS_TEST_TMPDIR/info.json" '[s["misfits"] for s in j["shown"] if s["path"] == "image"]') == "[0]" ]]
}

@test "holes are counted" {
  store=$(copy_fixture nested_images)
  truncate -s 0 "$store/index.memmap"
  truncate -s 16 "$store/index.memmap"
  "$JAGFS" info "$store" --json >"$BATS_TEST_TMPDIR/info.json"
  [[ $(field "$BATS_TEST_TMPDIR/info.json" '{k["path"]: k.get("hole_nbytes") for k in j["keys"]}["index"]') == 16 ]]
  [[ $(field "$BATS_TEST_TMPDIR/info.json" '{k["path"]: k.get("hole_nbytes") for k in j["keys"]}["image"]') == 0 ]]
}

@test "what tensordict cannot load is named" {
  run "$JAGFS" info "$(fixture dtypes)"
  [[ $status -eq 0 && $output == *"float8_e5m2"*"tensordict cannot load it: its loader does not know this dtype"* ]]
  run "$JAGFS" info "$(fixture nested_all_zero)"
  [[ $status -eq 0 && $output == *"tensordict cannot load it: it leaves out"* ]]
}

@test "a longer file is a warning, not a fault" {
  store=$(copy_fixture plain)
  truncate -s +7 "$store/a.memmap"
  run "$JAGFS" info "$store"
  [[ $status -eq 0 && $output == *"warning: "* ]]
}

@test "a leaf with fewer rows than the batch size says is a warning, and is read" {
  store=$(copy_fixture plain)
  sed -i 's/"shape":\[2,3\]/"shape":[1,3]/' "$store/meta.json"
  run "$JAGFS" info "$store"
  [[ $status -eq 0 && $output == *"a: int64 [1, 3]"*"its shape does not start with the batch_size [2]"* ]]
  shown=$("$JAGFS" cat "$store/a.bin" | od -An -tx1)
  [[ $shown == "$(head -c 24 "$store/a.memmap" | od -An -tx1)" ]]
}

@test "every fault is shown, and the exit status is 1" {
  store=$(copy_fixture plain)
  truncate -s 1 "$store/a.memmap"
  rm "$store/b/c.memmap"
  run "$JAGFS" info "$store"
  [[ $status -eq 1 && $(grep -c 'fault: ' <<<"$output") -eq 2 ]]
  refused "2 keys of it cannot be read"
  run "$JAGFS" info "$store/a"
  [[ $status -eq 1 && $output == *"fault: "* ]]
}

@test "bad stores are refused or described, never a crash" {
  "$BATS_TEST_DIRNAME/../bad/make.sh" "$BATS_TEST_TMPDIR/bad"
  for store in "$BATS_TEST_TMPDIR"/bad/*/; do
    for verb in "info" "info --json" "ls -l"; do
      # shellcheck disable=SC2086
      run "$JAGFS" ${verb%% *} "$store" ${verb#"${verb%% *}"}
      [[ $status -eq 1 && $output == *"jagfs: "* ]] || { echo "$verb $store: $status $output"; return 1; }
    done
  done
}

@test "names that two keys want are in the notes" {
  mkdir "$BATS_TEST_TMPDIR/store"
  printf '1234' >"$BATS_TEST_TMPDIR/store/a.memmap"
  printf '1234' >"$BATS_TEST_TMPDIR/store/a.npy.memmap"
  leaf='{"device":"cpu","shape":[4],"dtype":"torch.int8","is_nested":false}'
  printf '{"a":%s,"a.npy":%s,"shape":[4],"device":"cpu","_type":"<class %stensordict._td.TensorDict%s>"}' \
    "$leaf" "$leaf" "'" "'" >"$BATS_TEST_TMPDIR/store/meta.json"
  run "$JAGFS" info "$BATS_TEST_TMPDIR/store"
  [[ $status -eq 0 && $output == *"files of a are shown as a~2"* ]]
}
