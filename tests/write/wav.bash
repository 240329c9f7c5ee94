# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# wav.bash - a store of sounds, each with its rate, mounted as .wav files, for the tests of them.
#
#   wav KEY I                  the file of an element
#   tone FILE SAMPLES [ARGS]   a stereo file of 8000 Hz by ffmpeg, with more arguments for it
#   planes FILE                the samples of a stereo file, channel after channel, as ffmpeg decodes them

load write

# sound: stereo, mono: floats, bytes: an odd number of them in each; hz: the rate of each.
SPEC=(sound:int16:'2x1000*3' mono:float32:'700*3' bytes:uint8:'77*3' hz:int64=3)

setup() {
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "plain files have no rate"
  names
  makestore -m "$S.map" "$S" "${SPEC[@]}"
  printf '\x40\x1f\0\0\0\0\0\0\x44\xac\0\0\0\0\0\0\x80\x3e\0\0\0\0\0\0' > "$S/hz.memmap" # 8000, 44100, 16000
  daemon_start "rate=hz,format=sound=wav:mono=wav:bytes=wav"
}
teardown() { write_end; }

wav() { printf '%s/%s/%s.wav' "$M" "$1" "$2"; } # KEY I
tone() { # FILE SAMPLES [OPTIONS OF FFMPEG]
  ffmpeg -nostdin -v error -y -f lavfi -i "sine=frequency=300:sample_rate=8000" -af "atrim=end_sample=$2" -ac 2 "${@:3}" "$1"
}
planes() { # FILE
  local c
  for c in 0 1; do ffmpeg -nostdin -v error -i "$1" -af "pan=mono|c0=c$c" -f s16le -; done
}
