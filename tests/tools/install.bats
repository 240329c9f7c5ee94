#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# install.bats - what `meson install` puts down is enough to build a program with the library, and to run jagfs.

@test "a program builds against the installed library by pkg-config, and jagfs runs from where it was put" {
  cd "$BATS_TEST_TMPDIR"
  DESTDIR=$PWD/root ninja -C "$BUILD" install >log || { cat log; return 1; }
  # what only the program shares with the library is no interface
  [[ -n $(find root -name tree.h) && -z $(find root -name table.h -o -name json_quote.h) ]]
  jagfs=$(find root -name jagfs -type f -perm -u+x)
  "$jagfs" --version
  pc=$(find root -name jag.pc)
  prefix=$(sed -n 's/^prefix=//p' "$pc")
  export PKG_CONFIG_PATH=${pc%/*}
  # shellcheck disable=SC2046  # words
  "$CC" -o seed "$BATS_TEST_DIRNAME/../../examples/seed.c" \
    $(pkg-config --define-variable=prefix="$PWD/root$prefix" --cflags --libs --static jag)
  run ./seed
  [[ $status -ne 0 && $output == *usage* ]]
}
