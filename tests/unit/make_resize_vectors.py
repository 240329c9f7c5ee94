#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_resize_vectors.py - print resize_vectors.h: what torch makes of seeded images.

usage: make_resize_vectors.py > resize_vectors.h     (needs torch)

The images are the high bytes of a xorshift32, so the test makes them again from the seed.
"""
import torch

# channels, height, width, result height, result width, antialiased
CASES = [
    (3, 256, 256, 8, 8, True), (1, 300, 217, 7, 9, True), (4, 5, 3, 13, 11, True), (2, 1, 1, 3, 5, True),
    (3, 1, 50, 4, 6, True), (3, 17, 1, 5, 3, True), (1, 33, 31, 32, 30, True), (1, 9, 1000, 2, 3, True),
    (1, 3000, 2, 1, 2, True), (3, 16, 16, 16, 5, True), (3, 16, 20, 7, 20, True), (1, 64, 64, 1, 1, True),
    (3, 40, 36, 16, 20, True), (1, 12, 10, 6, 57, True),
    (3, 37, 41, 8, 12, False), (2, 5, 7, 12, 10, False), (1, 64, 64, 1, 1, False), (4, 3, 1, 7, 4, False),
]


def image(seed, count):
    values, state = bytearray(count), seed
    for i in range(count):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        values[i] = state >> 24
    return torch.frombuffer(values, dtype=torch.uint8)


def main():
    print("/* SPDX-License-Identifier: MIT */")
    print(f"/* resize_vectors.h - made by make_resize_vectors.py with torch {torch.__version__.split('+')[0]}; in hex. */\n/* clang-format off */")
    print("static const struct vector {\n\tunsigned channels, height, width, out_height, out_width;\n"
          "\tbool antialias;\n\tuint32_t seed;\n\tconst char *hex;\n} vectors[] = {")
    for seed, (c, h, w, oh, ow, antialias) in enumerate(CASES, 1):
        out = torch.nn.functional.interpolate(image(seed, c * h * w).view(1, c, h, w), size=(oh, ow), mode="bilinear",
                                              antialias=antialias)
        text = out.contiguous().numpy().tobytes().hex()
        lines = [f'\t  "{text[i:i + 100]}"' for i in range(0, len(text), 100)]
        print(f"\t{{ {c}, {h}, {w}, {oh}, {ow}, {str(antialias).lower()}, {seed},")
        print("\n".join(lines) + " },")
    print("};")


main()
