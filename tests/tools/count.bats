#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# count.bats - scripts/count-tests: the numbers of a test log, and what it tells of a failure.

count() { run "$BATS_TEST_DIRNAME/../../scripts/count-tests" "$BATS_TEST_TMPDIR/log"; }

# log RESULT STDOUT STDERR: a line of meson's log; both texts as in JSON.
log() {
  printf '{"name": "n", "result": "%s", "returncode": 1, "stdout": "%s", "stderr": "%s"}\n' "$@" >>"$BATS_TEST_TMPDIR/log"
}

says() { [[ $output == "$1" ]] || { printf 'expected:\n%s\ngot:\n%s\n' "$1" "$output"; return 1; }; }

@test "each test of a TAP program counts, any other program once" {
  log OK '1..3\nok 1 - a\nok 2 b # skip no b\nok 3 - c\n' ''
  log OK 'text\n' ''
  count
  says 'skipped: n: b # skip no b
3 0 1'
}

# A refusal in CI named the test and nothing of what it had said.
@test "a failed test is told with its comments, and no other's" {
  log ERROR '1..3\nok 1 a\n# of a\nnot ok 2 b\n# (in test file b.bats, line 7)\n# jagfs: why\nok 3 c\n# of c\n' 'from below\n\n(test program exited with status code 1)\n'
  count
  says 'failed: n: b
  # (in test file b.bats, line 7)
  # jagfs: why
stderr of n:
  from below
2 1 0'
}

@test "a program that breaks off is a failure, told with its last lines" {
  log TIMEOUT '1..2\nok 1 a\n' 'stuck\n'
  log FAIL '' 'Aborted\n'
  count
  says 'failed: n (timeout, exit code 1)
  1..2
  ok 1 a
  stuck
failed: n (fail)
  Aborted
1 2 0'
}
