# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# pack_helpers.bash - what the files about packing share.
#
#   photos DIR [COUNT [SEED]]   small drawn images in class folders
#   one FILE [SEED]             one small JPEG
#   paths STORE                 the recorded names, in order, one a line; control bytes as ?
#   pack ARGS                   jagfs pack; $status, $output (both streams)
#   refused REGEX               the last `pack` ended with 1 and one line like this
#   ended STATUS REGEX PID      the background program PID ends so, and what it has said into `log` is like this
#   waits_for DIR PID           until jagfs, as PID, has DIR open and sleeps: between two tries for its lock; fails if it ends
#   nothing_left DIR            DIR has no entry but those named after it
#   own_mounts COMMANDS         run them where they may mount: $status, $output; a skip where that cannot be

build=${JAG_BUILD:-${BATS_TEST_DIRNAME:-.}/../../build/gcc}
: "${JAGFS:=$build/fs/jagfs}" "${MAKE_PHOTOS:=$build/tests/lib/make_photos}"
export JAGFS MAKE_PHOTOS

photos() { "$MAKE_PHOTOS" "$1" "${2:-12}" "${3:-1}" 20 40; }

one() {
  local dir
  dir=$(mktemp -d "$BATS_TEST_TMPDIR/one.XXXXXX")
  photos "$dir" 1 "${2:-1}"
  mkdir -p "$(dirname "$1")"
  mv "$dir/gradients/00000.jpg" "$1"
}

paths() {
  local name
  for name in $("$JAGFS" ls "$1/path"); do
    "$JAGFS" cat "$1/path/$name" | tr '\001-\037' '?'
    echo
  done
}

pack() { run "$JAGFS" pack "$@"; }

# shellcheck disable=SC2154  # bats sets status, output and lines
refused() {
  [[ $status -eq 1 && ${#lines[@]} -eq 1 && ${lines[0]} =~ $1 ]] && return 0
  printf 'status %s, expected 1 and a line like %s, got:\n%s\n' "$status" "$1" "$output"
  return 1
}

ended() {
  local rc=0
  wait "$3" || rc=$?
  [[ $rc -eq $1 && $(<log) =~ $2 ]] && return 0
  printf 'status %s, expected %s and text like %s, got:\n%s\n' "$rc" "$1" "$2" "$(<log)"
  return 1
}

# Until the exec it is a shell, which may have it open, too.
waits_for() {
  until [[ $(readlink "/proc/$2/exe") == */jagfs && $(readlink /proc/"$2"/fd/*) == *"$1"* && $(<"/proc/$2/stat") == *') S '* ]]; do
    kill -0 "$2" || return 1
    read -rt 0.005 <> <(:) || true
  done
}

nothing_left() {
  local dir=$1 expected
  shift
  expected=$(printf '%s\n' "$@" | sort)
  [[ $(find "$dir" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort) == "$expected" ]] || { ls -lA "$dir"; return 1; }
}

# In a mount namespace of its own: nothing can stay mounted.
own_mounts() {
  unshare -m true 2>/dev/null && { run unshare -m bash -c "$1"; return; }
  unshare -Urm true 2>/dev/null || skip "no mount namespaces"
  run unshare -Urm bash -c "$1"
}
