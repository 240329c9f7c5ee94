# SPDX-License-Identifier: MIT
"""What every row of scripts/bench needs: where things are, programs pinned to a CPU, mounts, alternating pairs."""
import contextlib
import os
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD_ROOT = pathlib.Path(os.environ.get("JAG_BUILD_ROOT", ROOT / "build"))
BUILD, WORK = BUILD_ROOT / "bench", BUILD_ROOT / "bench.work"
JAGFS = BUILD / "fs/jagfs"
COUNT, MANY = 2000, 100_000
CPU = max(os.sched_getaffinity(0))
PIN = ("taskset", "-c", str(CPU))


def run(*command, pin=False, **options):
    command = [str(c) for c in ((*PIN, *command) if pin else command)]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def seconds(*command, pin=False, **options):
    start = time.monotonic()
    run(*command, pin=pin, **options)
    return time.monotonic() - start


@contextlib.contextmanager
def mounted(*command, pin=True):
    """Run a mount command with a new mount point as its last argument; unmount at the end of the block."""
    point = tempfile.mkdtemp(prefix="mnt.", dir=WORK)
    try:
        run(*[point if c == "MNT" else c for c in command], pin=pin)
        deadline = time.monotonic() + 10
        while not os.path.ismount(point) and time.monotonic() < deadline:
            time.sleep(0.01)
        yield point
    finally:
        if subprocess.run(["fusermount3", "-u", point], check=False).returncode:
            subprocess.run(["umount", "-l", point], check=False)
        os.rmdir(point)


def jag_mount(store, *options, pin=True):
    return mounted(JAGFS, "mount", store, "MNT", *(("-o", ",".join(options)) if options else ()), pin=pin)


def scan(folder, suffix=".bin", pin=True):
    return int(run(BUILD / "tests/bench/bench_scan", folder, COUNT, suffix, pin=pin).split()[0]) / 1e9


def pairs(rounds, ours, peer):
    """Ratios ours / peer, the peer measured before and after."""
    ratios, before = [], peer()
    for _ in range(rounds):
        mine, after = ours(), peer()
        ratios.append(mine / ((before + after) / 2))
        before = after
    return ratios
