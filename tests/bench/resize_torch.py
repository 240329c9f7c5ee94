# SPDX-License-Identifier: MIT
"""resize_torch.py - the peers of resizing: torch's filter on one image, and a store mapped by tensordict.

usage: resize_torch.py kernel ROUNDS     median nanoseconds of 3x256x256 -> 32x32, one thread
       resize_torch.py map STORE OUT     nanoseconds of TensorDict.map(out=) over STORE, two workers, into 32x32
"""
import statistics
import sys
import time

import torch
from tensordict import TensorDict


def resized(image):
    return torch.nn.functional.interpolate(image.unsqueeze(0), size=(32, 32), mode="bilinear", antialias=True)[0]


def kernel(rounds):
    image, times = torch.randint(0, 256, (3, 256, 256), dtype=torch.uint8), []
    for _ in range(rounds + 20):
        start = time.perf_counter_ns()
        resized(image)
        times.append(time.perf_counter_ns() - start)
    return int(statistics.median(times[20:]))


def one(element):
    return TensorDict({"image": resized(element["image"])})


def over(store, out):
    images = TensorDict.load_memmap(store).select("image")
    count = images.shape[0]
    target = TensorDict({"image": torch.zeros(count, 3, 32, 32, dtype=torch.uint8)}, batch_size=[count]).memmap(out)
    start = time.perf_counter_ns()
    images.map(one, dim=0, num_workers=2, chunksize=0, out=target, mp_start_method="fork")
    return time.perf_counter_ns() - start


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(kernel(int(sys.argv[2])) if sys.argv[1] == "kernel" else over(*sys.argv[2:]))
