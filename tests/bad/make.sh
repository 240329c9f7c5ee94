#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make.sh - hostile stores, each in a directory named by its fault.
#
# usage: tests/bad/make.sh DIR
#
# DIR must not exist. DIR/expected has a line for each store: NAME <tab> FILE <tab> TEXT. Opening DIR/NAME (or asking it
# for its first fault) must refuse, name DIR/NAME/FILE, and say TEXT in the message. Nothing in a store may be changed
# by that: test_bad.c checks both. To add a store: a call of `bad` and the commands that fill the directory.
set -euo pipefail
[[ $# -eq 1 ]] || { sed -n '5p' "$0" >&2; exit 2; }
mkdir -- "$1"
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"

export top=$PWD
for part in helpers meta files nested; do
  # shellcheck disable=SC1090
  source "$here/$part.bash"
done
