#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tools_edit.bats - editors, truncation, appending and other calls that change a file without replacing it.
load write

setup() {
  write_begin
  label=$M/label/03.txt
  if [[ -n ${JAG_WRITE_PLAIN:-} ]]; then
    mkdir -p "$M/label"
    echo 5 > "$label"
  fi
}
teardown() { write_end; }

label_is() { [ "$(if [[ -n ${JAG_WRITE_PLAIN:-} ]]; then cat "$label"; else backing label 3 | od -An -td8; fi | tr -d ' ')" = "$1" ]; }

@test "echo into a text element sets the value" {
  echo 7 > "$label"
  label_is 7
  echo -9223372036854775808 > "$label"
  label_is -9223372036854775808
}

@test "sed -i edits a text element" {
  echo 41 > "$label"
  sed -i 's/4/9/' "$label"
  label_is 91
  [ "$(cat "$label")" = 91 ]
  sed -i 's/9/12/' "$label"
  label_is 121
}

@test "vim in ex mode edits a text element" {
  local vim
  vim=$(command -v vim.tiny || command -v vim) || skip "no vim"
  echo 41 > "$label"
  "$vim" -u NONE -es -c '%s/4/9/' -c wq "$label" < /dev/null
  label_is 91
  "$vim" -u NONE -es -c 'set backup backupcopy=yes' -c '%s/9/8/' -c wq "$label" < /dev/null
  label_is 81
  "$vim" -u NONE -es -c 'set backup backupcopy=no' -c '%s/8/7/' -c wq "$label" < /dev/null
  label_is 71
}

@test "a shorter text leaves nothing of the longer one" {
  echo 123456789 > "$label"
  echo 5 > "$label"
  label_is 5
  [ "$(cat "$label")" = 5 ]
}

@test "tee and tee -a" {
  echo 12 | tee "$label" > /dev/null
  label_is 12
}

@test "truncate to the same size changes nothing" {
  keep blob 3
  keep image 3
  truncate -s 5000 "$(path blob 3 bin)"
  truncate -s "$(stat -c %s "$(path image 3 png)")" "$(path image 3 png)"
  unchanged blob 3
  unchanged image 3
}

@test "truncate to a larger or a smaller size fails and changes nothing" {
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "plain files change their size"
  local suffix
  keep blob 3
  keep feat 3
  keep image 3
  for suffix in 4999 5001 1 100000; do
    fails truncate -s "$suffix" "$(path blob 3 bin)"
    fails truncate -s "$suffix" "$(path feat 3 npy)"
    fails truncate -s "$suffix" "$(path image 3 png)"
  done
  unchanged blob 3
  unchanged feat 3
  unchanged image 3
}

@test "truncate to 0 alone changes nothing and is noted" {
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "plain files are emptied"
  keep blob 3
  keep image 3
  run truncate -s 0 "$(path blob 3 bin)"
  run truncate -s 0 "$(path image 3 png)"
  unchanged blob 3
  unchanged image 3
  [ "$(stat -c %s "$(path blob 3 bin)")" = 5000 ]
  errors_say blob/03.bin
  errors_say image/03.png
}

@test "an empty redirection exits 0, changes nothing and is noted" {
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "plain files are emptied"
  keep image 3
  bash -c ': > "$1"' - "$(path image 3 png)"
  unchanged image 3
  wait_until errors_say image/03.png
}

@test "appending to a raw element fails and changes nothing" {
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "plain files grow"
  keep blob 3
  fails bash -c 'echo more >> "$1"' - "$(path blob 3 bin)"
  unchanged blob 3
  run sysdo "$(path blob 3 bin)" open:wo+append write:5:65 close size
  [[ "${lines[1]}" == "write EFBIG" ]]
  unchanged blob 3
}

@test "a staged writer may append" {
  run sysdo "$(path blob 3 bin)" open:wo+trunc+append write:2000:65 write:3000:66 close
  [ "$output" = $'open 0\nwrite 2000\nwrite 3000\nclose 0' ]
  cmp <(backing blob 3) <(head -c 2000 /dev/zero | tr '\0' A; head -c 3000 /dev/zero | tr '\0' B)
}

@test "fallocate inside the file is allowed, growing and punching are not" {
  keep blob 3
  run sysdo "$(path blob 3 bin)" open:rw fallocate:0:0:5000 fallocate:0:100:200 size
  [ "${lines[1]}" = "fallocate 0" ]
  [ "${lines[2]}" = "fallocate 0" ]
  [ "${lines[3]}" = "size 5000" ]
  unchanged blob 3
  [ -z "${JAG_WRITE_PLAIN:-}" ] || return 0
  run sysdo "$(path blob 3 bin)" open:rw fallocate:0:0:5001 fallocate:3:0:100 fallocate:16:0:100 size
  [[ "${lines[1]}" =~ EFBIG|EOPNOTSUPP|EINVAL ]]
  [[ "${lines[2]}" =~ EOPNOTSUPP ]]
  [[ "${lines[3]}" =~ EOPNOTSUPP ]]
  [ "${lines[4]}" = "size 5000" ]
  unchanged blob 3
}

@test "copy_file_range between elements copies or says that it cannot" {
  run sysdo "$(path blob 4 bin)" open:rw "copy:$(path blob 3 bin):5000" close
  if [ "${lines[1]}" = "copy 5000" ]; then
    cmp <(backing blob 3) <(backing blob 4)
  else
    [[ "${lines[1]}" =~ EOPNOTSUPP|EXDEV|EINVAL ]]
  fi
}

@test "an element is one piece of data for SEEK_DATA and SEEK_HOLE" {
  run sysdo "$(path blob 3 bin)" open:ro seekdata:0 seekhole:0 seekdata:5000
  [ "${lines[1]}" = "seekdata 0" ]
  [ "${lines[2]}" = "seekhole 5000" ]
  [ "${lines[3]}" = "seekdata ENXIO" ]
}
