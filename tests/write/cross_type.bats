#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cross_type.bats - files that an element accepts although they are not what it would write itself, and values that
# must come through every format as they are.
load write

setup() { write_begin; }
teardown() { write_end; }

# npy VERSION DESCR FORTRAN SHAPE: a header and standard input. "npy 2 '>f4' True '4, 5'"
npy() {
  perl -e 'my ($v, $d, $f, $s) = @ARGV; my $n = $v == 1 ? 10 : 12;
    my $h = "{\x27descr\x27: \x27$d\x27, \x27fortran_order\x27: $f, \x27shape\x27: ($s), }";
    $h .= " " x (63 - ($n + length $h) % 64) . "\n";
    print "\x93NUMPY", chr $v, "\0", pack($v == 1 ? "v" : "V", length $h), $h' "$@"
  cat
}
# 4 x 5 values 1.5, 2.5 ... in C order, little endian; in Fortran order; big endian.
values() { perl -e 'print pack "f<*", map { $_ + 1.5 } 0..19'; }
fortran() { perl -e 'for my $j (0..4) { for my $i (0..3) { print pack "f<", $i * 5 + $j + 1.5 } }'; }
big_endian() { perl -e 'print pack "f>*", map { $_ + 1.5 } 0..19'; }

takes() { # feat/03.npy takes standard input, and has the values afterwards
  cat > "$T/new.npy"
  cp "$T/new.npy" "$(path feat 3 npy)"
  cmp <(values) <(backing feat 3)
  cp "$(path feat 4 npy)" "$(path feat 3 npy)"
}

@test "npy of versions 1, 2 and 3" {
  values | npy 1 '<f4' False '4, 5' | takes
  values | npy 2 '<f4' False '4, 5' | takes
  values | npy 3 '<f4' False '4, 5' | takes
}

@test "npy in Fortran order, big endian, and both" {
  fortran | npy 1 '<f4' True '4, 5' | takes
  big_endian | npy 1 '>f4' False '4, 5' | takes
  fortran | perl -0777 -ne 'print pack "V*", unpack "N*", $_' | npy 2 '>f4' True '4, 5' | takes
}

@test "npy of the same bytes under another shape or dtype is refused" {
  keep feat 3
  values | npy 1 '<f4' False '5, 4' > "$T/new.npy"
  fails cp "$T/new.npy" "$(path feat 3 npy)"
  values | npy 1 '<i4' False '4, 5' > "$T/new.npy"
  fails cp "$T/new.npy" "$(path feat 3 npy)"
  values | npy 1 '|O' False '4, 5' > "$T/new.npy"
  fails cp "$T/new.npy" "$(path feat 3 npy)"
  { values | npy 1 '<f4' False '4, 5'; echo more; } > "$T/new.npy"
  fails cp "$T/new.npy" "$(path feat 3 npy)"
  values | head -c 79 | npy 1 '<f4' False '4, 5' > "$T/new.npy"
  fails cp "$T/new.npy" "$(path feat 3 npy)"
  unchanged feat 3
}

@test "a JPEG copied onto a .png, and a PNG onto a .jpg, count if the shape is right" {
  cp "$(picture 5 32x24 jpg)" "$(path image 3 png)"
  backing image 3 > "$T/now.bin"
  [ "$(picfile number 32x24 "$T/now.bin")" = 5 ]
  cp "$(picture 6 32x24 png)" "$M/image@jpg/03.jpg"
  holds image 3 6 32x24
  keep image 3
  fails cp "$(picture 5 30x20 jpg)" "$(path image 3 png)"
  unchanged image 3
}

@test "a ppm onto a .png, and a ppm with comments and odd spaces onto its own" {
  cp "$(picture 5 32x24 ppm)" "$(path image 3 png)"
  holds image 3 5 32x24
  { printf 'P6 # made by hand\n# another\n 32\n#x\n24  255\n'; tail -c 2304 "$(picture 6 32x24 ppm)"; } > "$T/new.ppm"
  cp "$T/new.ppm" "$M/image@pnm/03.ppm"
  holds image 3 6 32x24
}

@test "a 16-bit png keeps all its bits" {
  need convert
  head -c 1536 /dev/urandom > "$T/gray"
  convert -size 32x24 -depth 16 -endian LSB "gray:$T/gray" "$T/new.png"
  cp "$T/new.png" "$(path deep 3 png)"
  cmp "$T/gray" <(backing deep 3)
}

@test "a palette or gray png onto an RGB element is stored as RGB or refused, never as something else" {
  need convert
  keep image 3
  convert "$(picture 5 32x24 png)" -type Palette "png8:$T/palette.png"
  if cp "$T/palette.png" "$(path image 3 png)" 2> /dev/null; then holds image 3 5 32x24; else unchanged image 3; fi
}

@test "NaN, infinities and subnormal values survive npy and txt exactly" {
  perl -e 'print pack "Q<*", 0x7ff8000000000000, 0x7ff0000000000000, 0xfff0000000000000, 1, 0x8000000000000000,
    0x3fb999999999999a, 0x3ff0000000000001, 0x7fefffffffffffff, 0x0010000000000000, 0x4340000000000001, 0, 5' > "$T/values"
  dd if="$T/values" of="$(path dbl 3 bin)" conv=notrunc status=none
  cmp "$T/values" <(backing dbl 3)
  cp "$(path dbl 3 npy)" "$(path dbl 4 npy)"
  cmp "$T/values" <(backing dbl 4)
  cp "$(path dbl 3 txt)" "$T/values.txt"
  cp "$T/values.txt" "$M/dbl@txt/05.txt"
  cmp "$T/values" <(backing dbl 5)
}

@test "64-bit integers survive npy and txt exactly" {
  perl -e 'print pack "q<*", 9223372036854775807, -9223372036854775807 - 1, 9007199254740993, -1, 0, 1' > "$T/values"
  dd if="$T/values" of="$(path wide 3 bin)" conv=notrunc status=none
  cp "$(path wide 3 npy)" "$(path wide 4 npy)"
  cmp "$T/values" <(backing wide 4)
  cp "$(path wide 3 txt)" "$T/values.txt"
  cp "$T/values.txt" "$M/wide@txt/05.txt"
  cmp "$T/values" <(backing wide 5)
}

@test "complex values survive npy exactly, NaN payloads among them" {
  perl -e 'print pack "V*", 0x7fc12345, 0xff800000, 0x80000000, 1, 0x3f800000, 0, 0x7f800000, 0x12345678' > "$T/values"
  dd if="$T/values" of="$(path cplx 3 bin)" conv=notrunc status=none
  cp "$(path cplx 3 npy)" "$(path cplx 4 npy)"
  cmp "$T/values" <(backing cplx 4)
}

@test "a text label with spaces, a sign, an exponent or several lines is what numpy would read, or refused" {
  keep label 3
  printf '  +42 \n\n' > "$T/text"
  if cp "$T/text" "$M/label/03.txt" 2> /dev/null; then
    [ "$(backing label 3 | od -An -td8 | tr -d ' ')" = 42 ]
  else
    unchanged label 3
  fi
  echo '# comment' > "$T/text"
  keep label 3
  fails cp "$T/text" "$M/label/03.txt"
  unchanged label 3
}
