# SPDX-License-Identifier: MIT
"""The rows of scripts/bench about making stores: pack, resize, copy. Peers that need torch and tensordict run in the
interpreter $JAG_PYTHON, else in the environment that `scripts/test python` makes."""
import os
import shutil

from harness import BUILD, BUILD_ROOT, JAGFS, ROOT, WORK, pairs, run, seconds

SEED_COUNT = 4000


def row_pack(rounds):
    names = b"\0".join(str(p).encode() for p in sorted((WORK / "photos").rglob("*.jpg")))
    (WORK / "names").write_bytes(names)
    target = WORK / "packed"

    def ours():
        elapsed = seconds(JAGFS, "pack", "-q", "-j2", WORK / "photos", target)
        shutil.rmtree(target)
        return elapsed

    def peer():
        with open(WORK / "names", "rb") as stdin:
            return int(run(BUILD / "tests/bench/bench_decode", 2, stdin=stdin)) / 1e9
    return pairs(rounds, ours, peer)


def torch(program, *arguments, pin=False):
    """What a peer prints that needs torch and tensordict."""
    python = os.environ.get("JAG_PYTHON") or BUILD_ROOT / "venv/bin/python"
    return run(python, "-W", "ignore", ROOT / "tests/bench" / program, *arguments, pin=pin)


def torch_resize(*arguments, pin=False):
    return int(torch("resize_torch.py", *arguments, pin=pin)) / 1e9


def row_filter(rounds):
    return pairs(rounds, lambda: int(run(BUILD / "tests/bench/bench_resize", 500, pin=True)) / 1e9,
                 lambda: torch_resize("kernel", 500, pin=True))


def into(target, make):
    """The seconds of make(), after which the target goes, and is on no disk queue of the next."""
    shutil.rmtree(target, ignore_errors=True)
    try:
        return make()
    finally:
        shutil.rmtree(target, ignore_errors=True)
        os.sync()


def resize_pairs(rounds, store):
    target = WORK / "resized"
    command = (JAGFS, "resize", "-q", "-j2", "--size", "32x32", store / "image", target)
    return pairs(rounds, lambda: into(target, lambda: seconds(*command)),
                 lambda: into(target, lambda: torch_resize("map", store, target)))


def row_resize(rounds):
    return resize_pairs(rounds, WORK / "store")


def noise():
    """SEED_COUNT JPEGs of noise, as the script that jagfs grew from draws them."""
    folder, part = WORK / "noise", WORK / "noise.part"
    if not folder.exists():
        shutil.rmtree(part, ignore_errors=True)
        torch("seed_torch.py", "make", SEED_COUNT, part)
        part.rename(folder)
    for file in folder.iterdir():
        file.read_bytes()
    return folder


def row_seed_pack(rounds):
    folder, target = noise(), WORK / "seed.packed"
    return pairs(rounds, lambda: into(target, lambda: seconds(JAGFS, "pack", "-q", "-j2", folder, target)),
                 lambda: into(target, lambda: int(torch("seed_torch.py", "decode", folder, target)) / 1e9))


def row_seed_resize(rounds):
    store = WORK / "seed.store"
    if not store.exists():
        run(JAGFS, "pack", "-q", noise(), store)
    return resize_pairs(rounds, store)


def row_copy(rounds):
    store, target = WORK / "gigabyte", WORK / "copied"
    if not store.exists():
        run(JAGFS, "create", "-q", "--shape", "1000,1000,1000", "--dtype", "uint8", "--fill", "7", store, "image")
    run("cp", store / "image.memmap", "/dev/null")
    return pairs(rounds, lambda: into(target, lambda: int(run(BUILD / "tests/bench/bench_copy", store, target)) / 1e9),
                 lambda: into(target, lambda: seconds("cp", "-r", store, target)))


ROWS = {
    "pack": ("pack -j2 of 2,000 JPEG files / bare decoding on two threads", 1.45, row_pack),
    "filter": ("resize 3x256x256 to 32x32, one thread / torch, antialiased", 0.7, row_filter),
    "resize": ("resize -j2 of 2,000 photographs to 32x32 / TensorDict.map", 30, row_resize),
    "seed-pack": (f"pack -j2 of {SEED_COUNT:,} noise JPEGs / TensorDict.map and Pillow", 8, row_seed_pack),
    "seed-resize": (f"resize -j2 of {SEED_COUNT:,} noise images to 32x32 / TensorDict.map", 30, row_seed_resize),
    "copy": ("parallel copy of a store of 1 GB / cp -r", 1.1, row_copy),
}
# How many times as fast as the peer; the others are jagfs / peer.
SPEEDUPS = {"resize", "seed-pack", "seed-resize"}
