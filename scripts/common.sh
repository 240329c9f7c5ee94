# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# common.sh - where things are and how they are built; sourced by the other scripts.
#
#   root          the source tree
#   build_root    where builds go: $JAG_BUILD_ROOT, default ROOT/build (ignored by git)
#   say TEXT      a line on stderr; die TEXT  the same and exit 1
#   need SET...   install the distribution's packages of these sets if any is missing (scripts/deps)
#   build NAME [MESON OPTION...]   configure (once) and build ROOT into BUILD_ROOT/NAME

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_root=${JAG_BUILD_ROOT:-$root/build}

say() { printf '%s\n' "$*" >&2; }
die() { say "${0##*/}: $*"; exit 1; }
need() { "$root/scripts/deps" "$@"; }

# The distribution's meson goes with the distribution's ninja and Python; another one on PATH may not.
meson_cmd=meson
[[ -x /usr/bin/meson ]] && meson_cmd=/usr/bin/meson

build() {
  local dir=$build_root/$1
  shift
  mkdir -p "$build_root"
  if [[ ! -f $dir/build.ninja ]]; then
    rm -rf "$dir"
    "$meson_cmd" setup "$dir" "$root" "$@" >"$dir.setup.log" 2>&1 || { cat "$dir.setup.log" >&2; return 1; }
  elif [[ $# -gt 0 ]]; then
    "$meson_cmd" configure "$dir" "$@" >"$dir.setup.log" 2>&1 || { cat "$dir.setup.log" >&2; return 1; }
  fi
  ninja -C "$dir" >"$dir.build.log" 2>&1 || { cat "$dir.build.log" >&2; return 1; }
}
