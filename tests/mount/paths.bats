#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# paths.bats - path.json on a mount: a snapshot of all paths, made at the open.

load ../lib/common

setup() {
  require_fuse
  "$MAKE_PHOTOS" "$BATS_TEST_TMPDIR/photos" 20 1 20 40
  STORE=$BATS_TEST_TMPDIR/store
  "$JAGFS" pack -q --chunk-elements 30000 "$BATS_TEST_TMPDIR/photos" "$STORE"
}
teardown() { teardown_mount; }

@test "path.json and jagfs.json open by name on a mount, as cat shows them, the chunks' own too" {
  mount_store
  "$JAGFS" cat "$STORE/path.json" | cmp - "$MNT/path.json"
  "$JAGFS" cat "$STORE/jagfs.json" | cmp - "$MNT/jagfs.json"
  equals "$(stat -c '%s %a' "$MNT/path.json")" "$("$JAGFS" cat "$STORE/path.json" | wc -c) 444"
  equals "$(cat "$MNT"/{0,1,2}/path.json | tr -d '\n' | sed 's/\]\[/,/g')" "$(cat "$MNT/path.json")"
  equals "$(cd "$MNT" && echo *)" "classes.json image label.npy meta.json"
  equals "$(try open "$MNT/path.json" w)" EPERM
  equals "$(try unlink "$MNT/path.json")" EPERM
  REFUSALS=yes unmount_clean
}

@test "an open path.json stays as it was at its open, and the next open sees what was stored" {
  mount_store
  old=$(cat "$MNT/path.json")
  exec {held}<"$MNT/path.json"
  printf 'GRADIENTS' | dd of="$MNT/path/00.bin" conv=notrunc status=none
  [[ $(cat "$MNT/path.json") == '["GRADIENTS/'* ]]
  printf '\377' | dd of="$STORE/0/path.memmap" conv=notrunc status=none
  [[ $(cat "$MNT/path.json") == '["\udcffRADIENTS/'* ]]
  equals "$(stat -c %s "$MNT/path.json")" $((${#old} + 6))
  equals "$(cat <&$held)" "$old"
  exec {held}<&-
  unmount_clean
}

@test "path.json is read whole from an immutable mount, in pieces too" {
  mount_store -o immutable
  for ((i = 0; i < 4; i++)); do
    dd if="$MNT/path.json" bs=97 skip=$i count=1 status=none
  done | cmp - <("$JAGFS" cat "$STORE/path.json" | head -c 388)
  cmp "$MNT/path.json" <("$JAGFS" cat "$STORE/path.json")
  unmount_clean
}

@test "options that do not fit the named leaf are refused at the mount" {
  MNT=$BATS_TEST_TMPDIR/mnt
  mkdir "$MNT"
  for option in batch=image=1 batch=label=2 format=label=jpg layout=path=chw channels=label=bgr format=zzz=jpg; do
    run "$JAGFS" mount "$STORE" "$MNT" -o "$option"
    [[ $status -eq 1 && ${#lines[@]} -eq 1 && $output == "jagfs: "*"option ${option%%=*}: "* ]] || { echo "$option: $output"; false; }
  done
  [[ -z $(ls -A "$MNT") ]]
}
