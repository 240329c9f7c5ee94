# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154  # bats sets status, output and lines
# store_helpers.bash - what the files about looking into stores share.
#
#   fixture NAME         a store that tensordict wrote; read-only
#   copy_fixture NAME    a copy to be damaged, below $BATS_TEST_TMPDIR; its path
#   refused REGEX        the last `run` ended with 1, and the last line is a message like this
#   usage_error          the last `run` ended with 2

tests=${BATS_TEST_DIRNAME:-.}/..
build=${JAG_BUILD:-$tests/../build/gcc}
: "${JAGFS:=$build/fs/jagfs}" "${MAKE_PHOTOS:=$build/tests/lib/make_photos}"
export JAGFS MAKE_PHOTOS

fixture() { echo "$tests/fixtures/tensordict/$1"; }

copy_fixture() {
  cp -r "$(fixture "$1")" "$BATS_TEST_TMPDIR/$1"
  chmod -R u+w "$BATS_TEST_TMPDIR/$1"
  echo "$BATS_TEST_TMPDIR/$1"
}

refused() {
  [[ $status -eq 1 && ${lines[-1]} =~ ^jagfs:\ .*$1 ]] && return 0
  printf 'status %s, expected 1 and a line like %s, got:\n%s\n' "$status" "$1" "$output"
  return 1
}

usage_error() { [[ $status -eq 2 ]]; }
