#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# leak.bats - commits and abandoned writers in number. LEAK_TIMES=100000 for a long run; sanitizers speak at the exit.
load stress

setup() { LEAK_TIMES=${LEAK_TIMES:-400}; }
teardown() { write_end; }

# Resident memory of the daemon in KiB.
resident() { awk '/^VmRSS:/ { print $2 }' "/proc/$DAEMON/status"; }

@test "many commits and as many abandoned writers leave no memory behind" {
  local before after
  write_begin readback_mb=1,cache_mb=1
  writers -w 1 -r 0 -n $((LEAK_TIMES / 4 + 200)) -a 50 "$M/image%s/00" "$M/image%s/01"
  before=$(resident)
  writers -w 1 -r 0 -n "$LEAK_TIMES" -a 50 "$M/image%s/00" "$M/image%s/01"
  wait_until settled
  after=$(resident)
  echo "resident: $before KiB, $after KiB after $LEAK_TIMES writers more"
  # a picture is 23 KB: a leak of one in a hundred shows; sanitizers have a quarantine of their own and look at exit
  # (gcc links their runtime as a library, clang into the program: only the function that starts it is in both)
  grep -qE '__[at]san_init' "/proc/$DAEMON/exe" || [ $((after - before)) -lt 8192 ]
}
