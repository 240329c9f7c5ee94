# SPDX-License-Identifier: MIT
"""The rows of scripts/bench about writing. They write to copies, which are deleted when the row is done."""
import array
import contextlib
import json
import mmap
import os
import pathlib
import shutil
import statistics
import time

from harness import BUILD, COUNT, CPU, JAGFS, WORK, jag_mount, mounted, pairs, run

FOREIGN, ELEMENT = 1 << 30, 250 * 250 * 3  # bytes


@contextlib.contextmanager
def copy_of(name):
    """A copy of WORK/name that may be written, on the same file system."""
    target = WORK / f"{name}.written"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(WORK / name, target)
    try:
        yield target
    finally:
        shutil.rmtree(target)


def write(folder, suffix=".bin", *source):
    return int(run(BUILD / "tests/bench/bench_write", folder, COUNT, suffix, *source, pin=True).split()[0]) / 1e9


def row_write(rounds):
    """Each element opened, fstat'ed, overwritten by one pwrite and closed, in a fresh mount / the same on plain files."""
    with copy_of("store") as store, copy_of("plain") as plain:
        def ours():
            with jag_mount(store, "format=raw", "direct") as point:
                return write(f"{point}/image")
        return pairs(rounds, ours, lambda: write(plain))


def row_write_peer(rounds):
    """The same / the same plain files through bindfs, in fresh mounts both."""
    with copy_of("store") as store, copy_of("plain") as plain:
        def ours():
            with jag_mount(store, "format=raw", "direct") as point:
                return write(f"{point}/image")

        def peer():
            with mounted("bindfs", plain, "MNT") as point:
                return write(point)
        return pairs(rounds, ours, peer)


@contextlib.contextmanager
def raw_store(sizes):
    """A store whose elements are raw bytes of these sizes."""
    store = WORK / "sizes.written"
    shutil.rmtree(store, ignore_errors=True)
    store.mkdir()
    entry = {"device": "cpu", "shape": [len(sizes), 1], "dtype": "torch.uint8", "is_nested": True}
    (store / "meta.json").write_text(json.dumps(
        {"image": entry, "shape": [len(sizes)], "device": "cpu", "_type": "<class 'tensordict._td.TensorDict'>"}))
    (store / "image.memmap").write_bytes(bytes(sum(sizes)))
    (store / "image.shape.memmap").write_bytes(array.array("q", sizes).tobytes())
    try:
        yield store
    finally:
        shutil.rmtree(store)


def row_commit(fmt, rounds):
    """(A - B) / C, each the time for all files, one after the other:
    A: write each image anew in format fmt, as cp does (open with O_TRUNC, write, close), in a mount of the images;
    B: write the same bytes anew in the same way, in a mount of raw elements that have just the sizes of these files:
       the requests, the staging and the copy into the store without the decoding;
    C: decode the same bytes in memory with libjpeg-turbo or libpng alone, on one thread."""
    source, names = WORK / f"{fmt}.written", WORK / "names"
    shutil.rmtree(source, ignore_errors=True)
    with jag_mount(WORK / "store", f"format={fmt}") as point:
        shutil.copytree(f"{point}/image", source)
    files = sorted(source.iterdir())
    names.write_bytes(b"\0".join(os.fsencode(f) for f in files))

    def decode():
        with names.open("rb") as stdin:
            return int(run(BUILD / "tests/bench/bench_decode", 1, stdin=stdin, pin=True)) / 1e9
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, source)
        images = stack.enter_context(copy_of("store"))
        sizes = stack.enter_context(raw_store([f.stat().st_size for f in files]))
        ours = stack.enter_context(jag_mount(images, f"format={fmt}"))
        raw = stack.enter_context(jag_mount(sizes, "format=raw"))

        def commit():
            staged = (write(f"{raw}/image", ".bin", source, f".{fmt}"), write(f"{ours}/image", f".{fmt}", source, f".{fmt}"),
                      write(f"{raw}/image", ".bin", source, f".{fmt}"))
            return staged[1] - (staged[0] + staged[2]) / 2
        commit()
        return pairs(rounds, commit, decode)


def sync_once(path):
    """Seconds of an fsync after a pwrite of the whole file."""
    fd = os.open(path, os.O_WRONLY)
    try:
        os.pwrite(fd, os.urandom(ELEMENT), 0)
        start = time.monotonic()
        os.fsync(fd)
        return time.monotonic() - start
    finally:
        os.close(fd)


def row_fsync(rounds):
    """fsync of one element while FOREIGN bytes of other elements in its data file are dirty pages, stored through a mapping
    by this process / fsync of a plain file of the element's size at such a time. Each the median of five."""
    store, plain = WORK / "fsync.written", WORK / "fsync.plain"
    shutil.rmtree(store, ignore_errors=True)
    run(JAGFS, "create", "-q", "--fill", "1", "--dtype", "uint8", "--shape", f"{FOREIGN // ELEMENT + 100},{ELEMENT // 250},250",
        store, "big")
    plain.write_bytes(bytes(ELEMENT))
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {CPU})
    try:
        with (store / "big.memmap").open("r+b") as data, mmap.mmap(data.fileno(), 0) as mapping, \
                jag_mount(store, "format=raw") as point:
            element = sorted(pathlib.Path(point, "big").iterdir())[0]

            def measure(path):
                times = []
                for fill in range(5):
                    block = bytes([fill]) * (64 << 20)
                    for at in range(len(mapping) - FOREIGN, len(mapping), len(block)):
                        mapping[at:at + len(block)] = block
                    times.append(sync_once(path))
                return statistics.median(times)
            return pairs(rounds, lambda: measure(element), lambda: measure(plain))
    finally:
        os.sched_setaffinity(0, allowed)
        shutil.rmtree(store)
        plain.unlink()


ROWS = {
    "write": ("whole raw elements overwritten in place, -o direct / plain files", 2.6, row_write),
    "write-peer": ("the same / plain files through bindfs", 1.0, row_write_peer),
    "commit-png": ("commit of a staged png, less that of raw bytes / bare decode", 1.15, lambda n: row_commit("png", n)),
    "commit-jpg": ("commit of a staged jpg, less that of raw bytes / bare decode", 1.15, lambda n: row_commit("jpg", n)),
    "fsync": ("fsync of an element, 1 GiB of its data file dirty / plain file", 3.0, row_fsync),
}
