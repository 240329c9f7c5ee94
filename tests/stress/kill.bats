#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# kill.bats - death of the daemon under its writers. KILL_ROUNDS=50 for a long run.
load stress

setup() { KILL_ROUNDS=${KILL_ROUNDS:-4}; }
teardown() { write_end; }

@test "the daemon is killed under 8 writers: what was promised is there, at most one element is torn" {
  local round files torn
  write_begin
  for ((round = 1; round <= KILL_ROUNDS; round++)); do
    files=("$M"/many/*.bin)
    # shellcheck disable=SC2046
    killer write $(seed) -k "$DAEMON" -t 400 "$T/record" "${files[@]}"
    wait "$DAEMON" || true
    fusermount3 -u -z "$M"
    daemon_start
    killer check "$T/record" "${files[@]}" > "$T/out" || { cat "$T/out"; false; }
    torn=$(awk '$1 == "torn" { print $2 }' "$T/out")
    [ "$torn" -le 1 ] || { echo "round $round: $torn torn"; false; }
  done
}
