#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# wav.bats - .wav files on a mount are what ffmpeg and Python's wave module take for the store's sound, each at its rate.
load wav

@test "ffprobe tells type, channels, length and the rate of each" {
  need ffprobe
  local i rates=(8000 44100 16000)
  for i in 0 1 2; do
    run ffprobe -v error -show_entries stream=codec_name,sample_rate,channels,duration_ts -of csv=p=0 "$(wav sound $i)"
    equals "$output" "pcm_s16le,${rates[i]},2,1000"
    run ffprobe -v error -show_entries stream=codec_name,sample_rate,channels,duration_ts -of csv=p=0 "$(wav mono $i)"
    equals "$output" "pcm_f32le,${rates[i]},1,700"
  done
}

@test "ffmpeg decodes to the store's samples" {
  need ffmpeg
  ffmpeg -nostdin -v error -i "$(wav mono 1)" -f f32le - | cmp - <(backing mono 1)
  ffmpeg -nostdin -v error -i "$(wav bytes 1)" -f u8 - | cmp - <(backing bytes 1)
  planes "$(wav sound 2)" | cmp - <(backing sound 2)
}

@test "Python's wave module reads the store's samples" {
  need python3
  python3 - "$M" "$S" <<'END'
import array, sys, wave
mount, store = sys.argv[1:]
stored = array.array("h", open(f"{store}/sound.memmap", "rb").read())
for i, rate in enumerate((8000, 44100, 16000)):
    with wave.open(f"{mount}/sound/{i}.wav") as w:
        assert (w.getframerate(), w.getnchannels(), w.getsampwidth(), w.getnframes()) == (rate, 2, 2, 1000), w.getparams()
        samples = array.array("h", w.readframes(1000))
    for c in (0, 1):
        assert samples[c::2] == stored[2000 * i + 1000 * c:2000 * i + 1000 * (c + 1)], (i, c)
    with wave.open(f"{mount}/bytes/{i}.wav") as w:
        assert w.readframes(1000) == open(f"{store}/bytes.memmap", "rb").read()[77 * i:77 * (i + 1)], i
END
}

@test "sizes are exact, and odd files are padded" {
  local key
  for key in sound mono bytes; do
    equals "$(stat -c %s "$(wav $key 1)")" "$(wc -c < "$(wav $key 1)")"
    cmp "$(wav $key 1)" <("$JAGFS" cat "$S/$key/1.wav" -o rate=hz)
  done
  equals "$(stat -c %s "$(wav bytes 1)")" $((44 + 77 + 1))
  equals "$(stat -c %s "$(wav mono 1)")" $((58 + 4 * 700))
}

@test "a shared mapping is the file" {
  need python3
  python3 - "$(wav sound 1)" "$(wav bytes 1)" <<'END'
import mmap, sys
for name in sys.argv[1:]:
    with open(name, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as m:
        assert m[:] == f.read()
END
}

@test "what is stored into the tensor is heard at once" {
  need python3
  python3 - "$(wav sound 1)" "$S/sound.memmap" <<'END'
import sys
with open(sys.argv[1], "rb") as before, open(sys.argv[2], "r+b") as store:
    store.seek(4000 + 2000)  # the right channel's first sample of element 1
    store.write(b"ab")
    store.flush()
    with open(sys.argv[1], "rb") as f:
        assert f.read()[46:48] == b"ab"
END
}

@test "a rate that is none ends the mount with status 1 and one line" {
  mkdir "$T/other"
  local rate
  for rate in 0 -1 4294967296 nowhere mono sound=0 nowhere=8000; do
    run "$JAGFS" mount "$S" "$T/other" -o "rate=$rate"
    equals "$status" 1
    equals "${#lines[@]}" 1
    [[ $output == *"option rate: "* ]]
  done
  run "$JAGFS" ls "$S" -o rate=0
  equals "$status" 1
  run "$JAGFS" info "$S" -o rate=nowhere
  equals "$status" 1
}
