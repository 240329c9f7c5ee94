# SPDX-License-Identifier: MIT
"""seed_torch.py - the script that jagfs grew from, the half that decodes: the peer of `jagfs pack`.

usage: seed_torch.py make COUNT FOLDER     JPEGs of noise with sides of 200 to 300, as the script draws them
       seed_torch.py decode FOLDER OUT     nanoseconds of decoding them with TensorDict.map, two workers, into OUT

The time is that of the loop alone: neither the imports, nor reading the headers and allocating the store.
"""
import functools
import os
import sys
import time

import numpy
import torch
from PIL import Image
from tensordict import TensorDict


def make(count, folder):
    random = numpy.random.default_rng(0)
    os.makedirs(folder)
    for i in range(count):
        pixels = random.integers(0, 256, (*random.integers(200, 301, 2), 3), dtype=numpy.uint8)
        Image.fromarray(pixels).save(os.path.join(folder, f"{i:05d}.jpg"))


def decode_one(files, item):
    with Image.open(files[item["index"]]) as image:
        item["image"].copy_(torch.from_numpy(numpy.asarray(image).copy()).permute(2, 0, 1))


def decode(folder, out):
    files = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    sizes = [Image.open(name).size for name in files]
    store = TensorDict({"index": torch.arange(len(files))}, [len(files)]).memmap(out)
    store.make_memmap("image", torch.tensor([[3, height, width] for width, height in sizes]), dtype=torch.uint8)
    source = TensorDict.load_memmap(out)
    start = time.perf_counter_ns()
    source.map(functools.partial(decode_one, files), dim=0, num_workers=2, chunksize=0, mp_start_method="fork")
    return time.perf_counter_ns() - start


if __name__ == "__main__":
    torch.set_num_threads(1)
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), sys.argv[3])
    else:
        print(decode(*sys.argv[2:]))
