#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# paths.bats - path.json: the source paths of a packed store as one list.

load store_helpers

setup() {
  "$MAKE_PHOTOS" "$BATS_TEST_TMPDIR/photos" 20 1 20 40
  STORE=$BATS_TEST_TMPDIR/store
}

# ints FILE N...: int64 values, least byte first.
ints() {
  local file=$1 n byte
  shift
  for n in "$@"; do
    for byte in 0 8 16 24 32 40 48 56; do
      printf '%b' "\\x$(printf '%02x' $((n >> byte & 255)))"
    done
  done >"$file"
}

# store_of_paths BYTES SIZE...: what pack would have written for paths of these sizes that lie in BYTES.
store_of_paths() {
  local bytes=$1
  shift
  "$JAGFS" pack -q "$BATS_TEST_TMPDIR/photos/text" "$STORE"
  printf '{"path":{"device":"cpu","shape":[%s,1],"dtype":"torch.uint8","is_nested":true},"jagfs":{"type":"NonTensorData"},"shape":[],"device":"cpu","_type":"%s"}' \
    $# "<class 'tensordict._td.TensorDict'>" >"$STORE/meta.json"
  printf '%s' "$bytes" >"$STORE/path.memmap"
  ints "$STORE/path.shape.memmap" "$@"
}

list() { "$JAGFS" cat "$STORE/path.json"; }

# What the list should be, from path/, for names that need no escape.
expected_list() {
  local name sep='['
  for name in $("$JAGFS" ls "$1/path"); do
    printf '%s"%s"' "$sep" "$("$JAGFS" cat "$1/path/$name")"
    sep=,
  done
  echo ']'
}

@test "path.json is the list of path/, read-only, not listed; its size is exact" {
  "$JAGFS" pack -q "$BATS_TEST_TMPDIR/photos" "$STORE"
  list | cmp - <(expected_list "$STORE")
  [[ $("$JAGFS" ls -l "$STORE/path.json") =~ ^-r--r--r--.*\ "$(list | wc -c)"\  ]]
  [[ $("$JAGFS" ls "$STORE") != *path* ]]
  run "$JAGFS" put "$STORE/path.json" </dev/null
  refused 'path.json'
}

@test "path.json of a store in chunks is one list over all of them" {
  "$JAGFS" pack -q "$BATS_TEST_TMPDIR/photos" "$STORE"
  "$JAGFS" pack -q --chunk-elements 30000 "$BATS_TEST_TMPDIR/photos" "$STORE.many"
  [[ -d $STORE.many/2 ]]
  cmp <(list) <("$JAGFS" cat "$STORE.many/path.json")
}

@test "jagfs.json is what pack recorded" {
  "$JAGFS" pack -q --mode gray "$BATS_TEST_TMPDIR/photos" "$STORE"
  [[ $("$JAGFS" cat "$STORE/jagfs.json") == '{"jagfs":'*'"mode":"gray"'*'}' ]]
}

@test "a path that is no UTF-8 is written with lone surrogates, and nothing else is escaped without need" {
  store_of_paths $'a/\xffb\xed\xa0\x80"\\\n\xc3\xa9\xf0\x9f\x98\x80\xe4\xb8' 18
  [[ $(list) == '["a/\udcffb\udced\udca0\udc80\"\\\u000aé😀\udce4\udcb8"]' ]]
}

@test "Python reads the paths that are no UTF-8 back as they were" {
  python=${JAG_PYTHON:-$(command -v python3)} || skip "no Python"
  store_of_paths $'a/\xffb\xed\xa0\x80"\\\n\xc3\xa9\xf0\x9f\x98\x80\xe4\xb8' 18
  list | "$python" -c 'import json, os, sys; sys.stdout.buffer.write(os.fsencode(json.load(sys.stdin)[0]))' |
    cmp - "$STORE/path.memmap"
}

@test "empty paths, and ones that are far longer than the others, are in the list" {
  long=$(printf '%1100000s' '' | tr ' ' x)
  store_of_paths "ab${long}cd${long}e" 0 1 1 0 1100000 1 0 1 1100000 0 1 0
  printf '["","a","b","","%s","c","","d","%s","","e",""]\n' "$long" "$long" | cmp - <(list)
}

@test "no paths are an empty list" {
  store_of_paths ""
  [[ $(list) == '[]' ]]
}

@test "a list that would fill the memory is refused" {
  store_of_paths "" 3000000000
  truncate -s 3000000000 "$STORE/path.memmap"
  run list
  refused 'path.json: File too large'
}

@test "paths that are not there any more are an error, not a short list" {
  "$JAGFS" pack -q "$BATS_TEST_TMPDIR/photos" "$STORE"
  ints "$STORE/path.shape.memmap" 1 2 3
  run list
  [[ $status -eq 1 ]]
}
