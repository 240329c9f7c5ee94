#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh - run one Python test file with an interpreter that has NumPy, Pillow, torch and tensordict.
#
# usage: run.sh VENV TEST.py [oldest]
#
# $JAG_PYTHON names such an interpreter; else the virtual environment $JAG_VENV is used, and made at the first time, which
# takes about 1 GB (scripts/test sets it); else VENV, if it is there. With `oldest`, the oldest tensordict that works
# beside this torch takes the place of the newest, from a folder VENV-oldest that is made in the same way. Where there is
# none, the file is one skip that gives the reason; with JAG_REQUIRE_PYTHON=1 it is a failure.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
venv=${JAG_VENV:-$1} test=$2 which=${3:-newest}
overlay=$venv-oldest
old_releases=(0.5.0 0.6.2 0.7.2 0.8.3 0.9.1 0.10.0) # nested leaves came with the first

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

# Beside the packages of $python, which it shares: torch is not there twice.
make_overlay() {
  local release version
  version=$("$python" -V)
  [[ $(cat "$overlay/complete" 2>/dev/null) == "$version" ]] && return 0
  for release in "${old_releases[@]}"; do
    rm -rf "$overlay"
    "$python" -m pip install -q --disable-pip-version-check --no-deps --only-binary :all: --target "$overlay" \
      "tensordict==$release" orjson packaging || continue
    PYTHONPATH=$overlay:$here/oldest "$python" -c 'import tensordict' || continue
    printf '%s\n' "$version" >"$overlay/complete"
    return 0
  done
  return 1
}

# once NAME FUNCTION WHAT: call it while no other test does
once() {
  mkdir -p "$(dirname "$1")"
  exec 9>"$1.lock"
  flock 9
  "$2" >"$1.log" 2>&1 || fail "no $3: $(tail -1 "$1.log" | tr -d '#\n')"
  flock -u 9
  exec 9>&-
}

python=${JAG_PYTHON:-}
if [[ -z $python && -z ${JAG_VENV:-} && ! -f $venv/complete ]]; then
  fail "no Python packages: scripts/test python makes a virtual environment"
fi
if [[ -z $python ]]; then
  once "$venv" make_venv "virtual environment"
  python=$venv/bin/python
fi
if [[ $which == oldest ]]; then
  if [[ -z ${JAG_VENV:-} && ! -f $overlay/complete ]]; then
    fail "no old tensordict: scripts/test python installs one"
  fi
  once "$overlay" make_overlay "old tensordict"
  export PYTHONPATH=$overlay:$here/oldest
fi
exec "$python" "$here/$test"
