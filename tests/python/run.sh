#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh - run one Python test file with an interpreter that has NumPy, Pillow, torch and tensordict.
#
# usage: run.sh VENV TEST.py
#
# $JAG_PYTHON names such an interpreter; else the virtual environment $JAG_VENV is used, and made at the first time, which
# takes about 1 GB (scripts/test sets it); else VENV, if it is there. Where there is none, the file is one skip that gives
# the reason; with JAG_REQUIRE_PYTHON=1 it is a failure.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
venv=${JAG_VENV:-$1} test=$2

fail() {
  if [[ -n ${JAG_REQUIRE_PYTHON:-} ]]; then
    printf '1..1\nnot ok 1 - %s\n' "$1"
    exit 1
  fi
  printf '1..0 # SKIP %s\n' "$1"
  exit 0
}

make_venv() {
  [[ -f $venv/complete ]] && return 0
  rm -rf "$venv"
  python3 -m venv "$venv" &&
    "$venv/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt" && touch "$venv/complete"
}

python=${JAG_PYTHON:-}
if [[ -z $python && -z ${JAG_VENV:-} && ! -f $venv/complete ]]; then
  fail "no Python packages: scripts/test python makes a virtual environment"
fi
if [[ -z $python ]]; then
  mkdir -p "$(dirname "$venv")"
  exec 9>"$venv.lock"
  flock 9
  make_venv >"$venv.log" 2>&1 || fail "no virtual environment: $(tail -1 "$venv.log" | tr -d '#\n')"
  flock -u 9
  exec 9>&-
  python=$venv/bin/python
fi
exec "$python" "$here/$test"
