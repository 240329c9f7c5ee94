#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# wav_write.bats - what is written to .wav files: in place, anew, by name, and what is refused.
load wav

@test "a write in place lands in both channels at once" {
  keep sound 0
  printf 'aAbBcCd' | dd of="$(wav sound 1)" bs=1 seek=48 conv=notrunc status=none # frames 1 and 2, but for one byte
  equals "$(backing sound 1 | tail -c +3 | head -c 4)" aAcC
  equals "$(backing sound 1 | tail -c +2003 | head -c 3)" bBd
  unchanged sound 0
  equals "$(tail -c +49 "$(wav sound 1)" | head -c 7)" aAbBcCd
}

@test "header and padding take only what is there, and nothing goes beyond the end" {
  keep bytes 1
  run sysdo "$(wav bytes 1)" open:wo pwrite:24:1:65
  [[ $output == *EINVAL* ]]
  run sysdo "$(wav bytes 1)" open:wo pwrite:121:1:65
  [[ $output == *EINVAL* ]]
  run sysdo "$(wav bytes 1)" open:wo pwrite:121:2:0
  [[ $output == *EFBIG* ]]
  unchanged bytes 1
  head -c 44 "$(wav bytes 1)" > "$T/head"
  dd if="$T/head" of="$(wav bytes 1)" conv=notrunc status=none
  unchanged bytes 1
}

@test "a wav file that ffmpeg made is committed by cp, by mv and from a pipe" {
  need ffmpeg
  tone "$T/new.wav" 1000
  planes "$T/new.wav" > "$T/planes"
  cp "$T/new.wav" "$(wav sound 0)"
  backing_is sound 0 "$T/planes"
  cp "$T/new.wav" "$M/sound/.new.tmp"
  mv "$M/sound/.new.tmp" "$(wav sound 1)"
  backing_is sound 1 "$T/planes"
  tone pipe:1 1000 -f wav > "$(wav sound 2)"
  backing_is sound 2 "$T/planes"
  # the header is the mount's own again: the rate is the store's
  run ffprobe -v error -show_entries stream=sample_rate -of csv=p=0 "$(wav sound 1)"
  equals "$output" 44100
}

@test "ffmpeg writes onto an element" {
  need ffmpeg
  tone "$T/new.wav" 1000
  ffmpeg -nostdin -v error -y -i "$T/new.wav" "$(wav sound 1)"
  backing_is sound 1 <(planes "$T/new.wav")
}

@test "headers with more in them, extensible, big-endian or 64-bit ones count as well" {
  need ffmpeg
  tone "$T/new.wav" 1000
  planes "$T/new.wav" > "$T/planes"
  tone "$T/more.wav" 1000 -metadata title=odd -metadata comment=even -write_peak on
  tone "$T/large.wav" 1000 -rf64 always
  cmp "$T/more.wav" "$T/new.wav" && return 1
  cp "$T/more.wav" "$(wav sound 0)"
  backing_is sound 0 "$T/planes"
  cp "$T/large.wav" "$(wav sound 1)"
  backing_is sound 1 "$T/planes"
}

@test "another length, type or number of channels is refused with both shapes" {
  need ffmpeg
  local i
  for i in 0 1 2; do keep sound $i; done
  tone "$T/short.wav" 999
  tone "$T/mono.wav" 1000 -ac 1
  tone "$T/float.wav" 1000 -c:a pcm_f32le
  fails cp "$T/short.wav" "$(wav sound 0)"
  fails cp "$T/mono.wav" "$(wav sound 1)"
  fails cp "$T/float.wav" "$(wav sound 2)"
  for i in 0 1 2; do unchanged sound $i; done
  errors_say "sound/0.wav"
  errors_say "expected int16 [2, 1000], got int16 [2, 999]"
  errors_say "expected int16 [2, 1000], got int16 [1, 1000]"
  errors_say "expected int16 [2, 1000], got float32 [2, 1000]"
}

@test "a piece of a file is refused" {
  need ffmpeg
  keep sound 1
  tone "$T/new.wav" 1000
  head -c 2000 "$T/new.wav" > "$T/piece.wav"
  fails cp "$T/piece.wav" "$(wav sound 1)"
  unchanged sound 1
  errors_say "bytes, and"
}

@test "a format that is not listed is read by name, and written through its view" {
  need ffmpeg
  remount rate=16000
  tone "$T/new.wav" 1000
  run ls "$M/sound"
  equals "$output" $'0.npy\n1.npy\n2.npy'
  cmp -n 24 "$(wav sound 1)" <("$JAGFS" cat "$S/sound@wav/1.wav" -o rate=16000)
  fails cp "$T/new.wav" "$(wav sound 1)"
  errors_say "sound@wav/1.wav"
  cp "$T/new.wav" "$M/sound@wav/1.wav"
  backing_is sound 1 <(planes "$T/new.wav")
}

@test "without a rate there is no wav file, and none can be made" {
  remount
  [ ! -e "$(wav sound 1)" ]
  run sysdo "$(wav sound 1)" open:wo+creat
  [[ $output == *EPERM* ]]
}
