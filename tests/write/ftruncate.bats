#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ftruncate.bats - ftruncate(0) begins a staged write; who else has the file open sees nothing of it.
load write

setup() { write_begin; }
teardown() { write_end; }

@test "ftruncate(0) after the open stages as O_TRUNC does" {
  keep blob 3
  does "open 0|truncate 0|write 4000|close EINVAL" "$(path blob 3 bin)" open:wo truncate:0 write:4000:65 close
  unchanged blob 3
  does "open 0|truncate 0|write 5000|close 0" "$(path blob 3 bin)" open:wo truncate:0 write:5000:65 close
  cmp <(backing blob 3) <(letters A 5000)
}

@test "ftruncate(0) of a file that is open for reading and writing stages too, unseen by those who open it then" {
  keep blob 3
  does "open 0|truncate 0|write 2000|sh 0|write 3000|sh 0|close 0|sh 0" "$(path blob 3 bin)" open:rw truncate:0 \
    write:2000:65 "sh:cmp '$(path blob 3 bin)' '$T/kept.blob.3'" write:3000:65 \
    "sh:cmp '$(path blob 3 bin)' '$T/kept.blob.3'" close "sh:head -c 1 '$(path blob 3 bin)' | grep -q A"
  cmp <(backing blob 3) <(letters A 5000)
  does "open 0|touch 0" "$(path blob 3 bin)" open:ro touch:0:5000
}

# Where the kernel can only map what it caches, such a writer goes through the pages of the file: a reader who had it open
# before saw bytes that were refused later.
ebusy_or_unseen() {
  keep blob 3
  local first
  first=$(od -An -tu1 -N1 "$T/kept.blob.3" | tr -d ' ')
  export EMPTY="open:rw truncate:0 close" LONG="open:rw truncate:0 write:4000:$((255 - first)) close" # no colon in a command
  export FREE="${LONG/rw/wo}"
  does "open 0|hold 0|look $first|sh 0|sh 0|look $first" "$(path blob 3 bin)" open:ro hold:0:5000 look:0 \
    "sh:sysdo '$(path blob 3 bin)' \$EMPTY | grep -q EBUSY || sysdo '$(path blob 3 bin)' \$LONG | grep -q EINVAL" \
    "sh:sysdo '$(path blob 3 bin)' \$FREE > '$T/free'" look:0
  [ "$(cat "$T/free")" = $'open 0\ntruncate 0\nwrite 4000\nclose EINVAL' ]
  errors_say "blob/03.bin: "
  unchanged blob 3
}

@test "ftruncate(0) of a file that is open for reading and writing is EBUSY, or unseen by those who have it open" {
  ebusy_or_unseen
}

@test "the same through the page cache: EBUSY" {
  remount page_cache
  ebusy_or_unseen
  errors_say "blob/03.bin: cannot be emptied while others have it open"
}

shown_no_more() {
  keep blob 3
  run perl -e 'open my $w, "+<", $ARGV[0]; truncate $w, 0 and syswrite($w, "A" x 2000) == 2000 or die "$!";
    open my $copy, ">&", $w; close $copy; open my $r, "<", $ARGV[0]; print syswrite($w, "A" x 2000) ? "written" : $!{EBUSY} ? "busy" : $!, "\n";
    sysread $r, my $bytes, 5000; print $bytes =~ /AAAA/ ? "A" : "old", "\n"; close $w; print "closed\n"' "$(path blob 3 bin)"
  [[ ${lines[*]} =~ ^(busy|written)' old closed'$ ]]
  unchanged blob 3
}

@test "who opens it after a flush of such a writer is not shown more" { shown_no_more; }

@test "the same through the page cache" {
  remount page_cache
  shown_no_more
}

# A child that closed what it had inherited let others share the pages before anything was committed; then the writer could
# not go on.
goes_on_after_a_child() {
  keep blob 3
  run perl -e 'open my $w, "+<", $ARGV[0]; truncate $w, 0 and syswrite($w, "A" x 2000) == 2000 or die "$!";
    system "true"; open my $r, "<", $ARGV[0]; print syswrite($w, "A" x 3000) ? "written" : "refused: $!", "\n";
    sysread $r, my $bytes, 5000; print $bytes =~ /AAAA/ ? "A" : "old", "\n"; close $w or die "$!"; print "closed\n"' \
    "$(path blob 3 bin)"
  [ "${lines[*]}" = "written old closed" ]
  cmp <(backing blob 3) <(letters A 5000)
}

@test "such a writer goes on when a child has closed what it inherited" { goes_on_after_a_child; }

@test "the same through the page cache: others are kept away until the commit" {
  remount page_cache
  goes_on_after_a_child
}
