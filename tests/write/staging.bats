#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# staging.bats - when staged bytes become the element's, and that nobody sees them before, or ever if they are refused.
load write

setup() { write_begin; }
teardown() { write_end; }

@test "what is staged is seen by nobody before the close" {
  keep blob 3
  does "open 0|write 5000|sh 0|close 0" "$(path blob 3 bin)" open:wo+trunc write:5000:65 \
    "sh:cmp '$(path blob 3 bin)' '$T/kept.blob.3'" close
  cmp <(backing blob 3) <(letters A 5000)
}

@test "an abandoned writer changes nothing and is noted" {
  keep blob 3
  does "open 0|write 4000|close EINVAL" "$(path blob 3 bin)" open:wo+trunc write:4000:65 close
  unchanged blob 3
  errors_say blob/03.bin
}

@test "a mapping of the old content survives truncation, refusal and commit" {
  keep blob 3
  export AGAIN=open:wo+trunc # there can be no colon in the command
  does "open 0|hold 0|sh 0|look $(od -An -tu1 -j4500 -N1 "$T/kept.blob.3" | tr -d " ")" "$(path blob 3 bin)" open:ro hold:0:5000 \
    "sh:sysdo '$(path blob 3 bin)' \$AGAIN > /dev/null; true" look:4500
  does "open 0|hold 0|sh 1|look $(od -An -tu1 -j4500 -N1 "$T/kept.blob.3" | tr -d " ")" "$(path blob 3 bin)" open:ro hold:0:5000 \
    "sh:cp '$S/meta.json' '$(path blob 3 bin)' 2> /dev/null" look:4500
  letters A 5000 > "$T/new"
  run sysdo "$(path blob 3 bin)" open:ro hold:0:5000 "sh:cp '$T/new' '$(path blob 3 bin)'" look:4500 size
  [ "${lines[2]}" = "sh 0" ]
  [ "${lines[4]}" = "size 5000" ]
}

@test "a mapping of a jpg keeps its picture whatever is committed" {
  cp "$(picture 23 971x900 jpg)" "$M/big@jpg/0.jpg"
  picture 1 971x900 jpg > /dev/null
  run sysdo "$M/big@jpg/0.jpg" open:ro hold:0:4096 look:0 "sh:cp '$T/picture-1-971x900.jpg' '$M/big@jpg/0.jpg'" \
    "sh:stat '$M/big@jpg/0.jpg' > /dev/null" look:0 "touch:0:$(stat -c %s "$T/picture-23-971x900.jpg")" size
  [ "${lines[3]}" = "sh 0" ]
  [ "${lines[5]}" = "look 255" ]
  [ "${lines[6]}" = "touch 0" ]
  [ "${lines[7]}" = "size $(stat -c %s "$T/picture-23-971x900.jpg")" ]
}

@test "a child that closes its copy half way does no harm" {
  does "open 0|write 2000|fork 0|write 3000|fork 0|close 0" "$(path blob 3 bin)" \
    open:wo+trunc write:2000:65 fork write:3000:65 fork close
  cmp <(backing blob 3) <(letters A 5000)
}

@test "dup and close before the first byte, half way and at the end does no harm" {
  run sysdo "$(path blob 3 bin)" open:wo+trunc dup write:2000:65 dup write:3000:65 dup close
  [ "${lines[1]}" = "dup 0" ]
  [ "${lines[5]}" = "dup 0" ]
  [ "${lines[6]}" = "close 0" ]
  cmp <(backing blob 3) <(letters A 5000)
}

@test "another thread's close commits, and gets the error of a refusal" {
  does "open 0|write 5000|thread 0|sh 0" "$(path blob 3 bin)" open:wo+trunc write:5000:65 thread \
    "sh:head -c 1 '$(path blob 3 bin)' | grep -q A"
  does "open 0|write 4000|thread EINVAL" "$(path blob 3 bin)" open:wo+trunc write:4000:66 thread
  cmp <(backing blob 3) <(letters A 5000)
}

@test "fsync commits what is whole and refuses what is not" {
  does "open 0|write 4000|fsync EINVAL|write 1000|fsync 0|sh 0|close 0" "$(path blob 3 bin)" open:wo+trunc \
    write:4000:65 fsync write:1000:65 fsync "sh:head -c 1 '$(path blob 3 bin)' | grep -q A" close
  cmp <(backing blob 3) <(letters A 5000)
}

@test "after a commit the open handle may change its bytes and commit again" {
  does "open 0|write 5000|fsync 0|pwrite 100|close 0" "$(path blob 3 bin)" open:wo+trunc write:5000:65 fsync \
    pwrite:4900:100:66 close
  cmp <(backing blob 3) <(letters A 4900; letters B 100)
}

@test "a writer may begin at the end, and holes are zero" {
  does "open 0|pwrite 1|pwrite 4999|close 0" "$(path blob 3 bin)" open:wo+trunc pwrite:4999:1:65 pwrite:0:4999:66 close
  cmp <(backing blob 3) <(letters B 4999; letters A 1)
  does "open 0|truncate 0|pwrite 1000|close 0" "$(path blob 3 bin)" open:wo+trunc truncate:5000 pwrite:4000:1000:65 close
  cmp <(backing blob 3) <(head -c 4000 /dev/zero; letters A 1000)
}

@test "a staged writer may map (numpy's w+), also beyond its close" {
  does "open 0|truncate 0|map 0|close 0" "$(path blob 3 bin)" open:rw+trunc truncate:5000 map:0:5000:65 close
  cmp <(backing blob 3) <(letters A 5000)
  does "open 0|truncate 0|keep 0|close 0" "$(path blob 3 bin)" open:rw+trunc truncate:5000 keep:0:5000:66 close
  letters B 5000 > "$T/expected"
  wait_until backing_is blob 3 "$T/expected"
}

@test "a picture that is staged through a mapping is judged at msync and close, where it can be mapped" {
  keep image 3
  run sysdo "$(path image 3 png)" open:rw+trunc truncate:5000 map:0:5000:65 close
  # the second: Linux before 6.6
  [[ "${lines[*]:2}" == "map EINVAL close EINVAL" || "${lines[2]}" == "map ENODEV" ]]
  unchanged image 3
}

@test "a handle that was renamed onto an element commits again when it changes" {
  does "open 0|write 5000|to 0|sh 0|pwrite 100|close 0" "$M/blob/.t.Ab3dEf" open:wo+creat write:5000:65 \
    "to:$(path blob 3 bin)" "sh:head -c 1 '$(path blob 3 bin)' | grep -q A" pwrite:0:100:66 close
  cmp <(backing blob 3) <(letters B 100; letters A 4900)
}

@test "staged bytes are bounded, in one file and in all, and given back" {
  remount stage_mb=1
  keep big 0
  run sysdo "$M/big@raw/0.bin" open:wo+trunc write:1000000:65 write:1000000:65
  [[ "$output" == *"ENOSPC"* ]]
  unchanged big 0
  run sysdo "$M/image/.a" open:wo+creat write:900000:65 close
  [ "${lines[1]}" = "write 900000" ]
  run sysdo "$M/image/.b" open:wo+creat write:900000:65 close
  [[ "$output" == *"ENOSPC"* ]]
  rm -f "$M/image/.a" "$M/image/.b"
  run sysdo "$M/image/.c" open:wo+creat write:900000:65 close
  [ "${lines[1]}" = "write 900000" ]
  rm "$M/image/.c"
  cp "$(picture 5 32x24 png)" "$(path image 3 png)"
  holds image 3 5 32x24
}
