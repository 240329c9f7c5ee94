# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# common.bash - what the bats files share.
#
#   require_fuse                  skip where FUSE is missing; a failure under JAG_REQUIRE_FUSE=1
#   make_store [ARGS]             $STORE, by mkstore; its table of images is in $STORE.images
#   image I                       sets OFFSET NBYTES CHANNELS HEIGHT WIDTH of image I from that table
#   mount_store [ARGS]            $STORE on $MNT with a foreground daemon $DAEMON, messages in $LOG; waits until it answers
#   wait_until COMMAND            run COMMAND until it succeeds, 60 s at most
#   daemon_ends                   the daemon ends by itself, with status 0
#   unmount_clean                 unmount; the daemon ends with 0, its log has nothing suspicious, nothing was refused
#   expect_refusal REGEX          $MNT/.jagfs/errors has this line; unmount_clean then allows refusals
#   try CALL PATH [ARGS]          OK, or the errno of one call (fscheck)
#   equals ACTUAL EXPECTED        with both in the output where they differ
#   open_path                     let other users reach $BATS_TEST_TMPDIR
#   teardown_mount                for teardown(): take down what a failed test has left

build=${JAG_BUILD:-${BATS_TEST_DIRNAME:-.}/../../build/gcc}
: "${JAGFS:=$build/fs/jagfs}" "${FSCHECK:=$build/tests/lib/fscheck}" "${MKSTORE:=$build/tests/lib/mkstore}"
: "${CHURN:=$build/tests/lib/churn}" "${MAKE_PHOTOS:=$build/tests/lib/make_photos}"
: "${REFUSE_SPLICE:=$build/tests/lib/refuse_splice}"
export JAGFS FSCHECK MKSTORE CHURN MAKE_PHOTOS REFUSE_SPLICE

require_fuse() {
  [[ -c /dev/fuse && -w /dev/fuse ]] && "$JAGFS" --help | grep -q '^  mount ' && return 0
  [[ -n ${JAG_REQUIRE_FUSE:-} ]] && { echo "FUSE is required, and missing"; return 1; }
  skip "no FUSE"
}

make_store() {
  STORE=${STORE:-$BATS_TEST_TMPDIR/store}
  "$MKSTORE" "$STORE" "$@" >"$STORE.images"
}

image() {
  # shellcheck disable=SC2034
  read -r _ OFFSET NBYTES CHANNELS HEIGHT WIDTH < <(sed -n "$(($1 + 1))p" "$STORE.images")
}

wait_until() {
  local end=$((SECONDS + 60))
  until "$@"; do
    ((SECONDS < end)) || { echo "not within 60 s: $*"; return 1; }
    read -rt 0.02 <> <(:) || true
  done
}

mount_store() {
  MNT=${MNT:-$BATS_TEST_TMPDIR/mnt}
  LOG=$BATS_TEST_TMPDIR/log
  REFUSALS=
  mkdir -p "$MNT"
  # The shell has background jobs ignore SIGINT.
  env --default-signal=INT "$JAGFS" mount -f "$STORE" "$MNT" "$@" >"$LOG" 2>&1 3>&- &
  DAEMON=$!
  { wait_until answers && mountpoint -q "$MNT"; } || { cat "$LOG"; return 1; }
}

# Mounted, and the root has its number; or the daemon is gone.
answers() { mountpoint -q "$MNT" || ! kill -0 "$DAEMON" 2>/dev/null; }

expect_refusal() {
  REFUSALS=yes
  grep -E -- "$1" "$MNT/.jagfs/errors" || { echo "no refusal like $1 in:"; cat "$MNT/.jagfs/errors"; return 1; }
}

unmounts() { "$JAGFS" umount "$MNT" 2>/dev/null; }

unmount_clean() {
  [[ -n $REFUSALS || ! -s $MNT/.jagfs/errors ]] || { echo "refused:"; cat "$MNT/.jagfs/errors"; return 1; }
  # A process substitution can be alive for a moment after its reader has ended, and then the mount is busy.
  wait_until unmounts && daemon_ends || return 1
  ! grep -iE 'sanitizer|runtime error|assert|leak|abort' "$LOG" || return 1
  [[ -n $REFUSALS || ! -s $LOG ]] || { echo "log:"; cat "$LOG"; return 1; }
}

# The daemon ends by itself, with status 0.
daemon_ends() {
  local pid=$DAEMON status=0
  is_gone() { ! kill -0 "$pid" 2>/dev/null; }
  wait_until is_gone || return 1
  wait "$pid" || status=$?
  DAEMON=
  [[ $status -eq 0 ]] || { echo "the daemon ended with $status"; cat "$LOG"; return 1; }
}

try() { "$FSCHECK" try "$@"; }

equals() { [[ "$1" == "$2" ]] || { printf 'actual:   %s\nexpected: %s\n' "$1" "$2"; return 1; }; }

open_path() {
  local folder=$BATS_TEST_TMPDIR
  while [[ $folder == "$BATS_RUN_TMPDIR"* ]]; do
    chmod a+rx "$folder"
    folder=${folder%/*}
  done
}

teardown_mount() {
  # mountpoint(1) does not know a dead mount for one.
  [[ -n ${MNT:-} ]] && grep -qF " $MNT " /proc/self/mounts && umount -l "$MNT"
  [[ -n ${DAEMON:-} ]] && kill "$DAEMON" 2>/dev/null && { wait "$DAEMON" || true; }
  return 0
}
