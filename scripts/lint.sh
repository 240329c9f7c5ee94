#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lint.sh - everything that judges the text of the program without running it.
#
# usage: scripts/lint.sh [-f] BUILDDIR     BUILDDIR: a configured build, for clang-tidy's compile_commands.json
#   -f  let clang-format rewrite the files first
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
fix=false
[[ ${1:-} == -f ]] && { fix=true; shift; }
[[ $# -eq 1 ]] || { sed -n '3,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
build=$1 rc=0

step() {
  local name=$1 out
  shift
  if out=$("$@" 2>&1); then printf 'lint: %s: ok\n' "$name" >&2; else printf '%s\nlint: %s: failed\n' "$out" "$name" >&2; rc=1; fi
}

mapfile -t c_files < <(git ls-files '*.c' '*.h' | grep -v '^tests/fixtures/')
mapfile -t shell_files < <(git ls-files 'scripts/*' .ci/run '*.bash' '*.sh' | sort -u |
  while read -r file; do head -1 "$file" | grep -qE '^#!.*\b(ba)?sh|shellcheck shell' && printf '%s\n' "$file"; done)
mapfile -t bats_files < <(git ls-files '*.bats')
mapfile -t tidy_files < <(git ls-files 'core/*.c' 'fs/*.c')

# Words that belong to one machine or to the making of the program, not to the program.
# shellcheck disable=SC2317  # called through step
no_strays() {
  ! git grep -nIE '(^|[^A-Za-z0-9_.])/(work|tmp/wt)/|DESIGN\.md|/reference/|(^|[^/])shared/(reference|fixtures)' -- . \
    ':!scripts/lint.sh'
}

$fix && clang-format -i "${c_files[@]}"
step clang-format clang-format --dry-run -Werror "${c_files[@]}"
step shellcheck shellcheck -x -S style "${shell_files[@]}"
[[ ${#bats_files[@]} -eq 0 ]] || step 'shellcheck (bats)' shellcheck -x -S warning "${bats_files[@]}"
step limits scripts/check-limits
step strays no_strays
step whitespace git diff --check "$(git hash-object -t tree /dev/null)" -- . ':!tests/fixtures' ':!*.pnm' ':!*.ppm'
# shellcheck disable=SC2317
tidy() { printf '%s\0' "${tidy_files[@]}" | xargs -0 -P2 -n4 clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option -p "$build"; }
step clang-tidy tidy
exit "$rc"
