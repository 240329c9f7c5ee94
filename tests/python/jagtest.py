# SPDX-License-Identifier: MIT
"""What the tests of this folder share: a mount for the length of a block, the jagfs command, a TAP runner.

$JAGFS is the program under test, $JAG_FIXTURES the folder of stores that tensordict wrote.
"""
import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

warnings.simplefilter("ignore")

JAGFS = os.environ["JAGFS"]
FIXTURES = os.environ["JAG_FIXTURES"]


def jagfs(*arguments, **options):
    """Run the program; a failure raises with what it said."""
    done = subprocess.run([JAGFS, *map(str, arguments)], capture_output=True, timeout=120, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"jagfs {' '.join(map(str, arguments))}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout


@contextlib.contextmanager
def mounted(store, *options):
    """The mount point of `store` for the length of the block; options as after -o."""
    point = tempfile.mkdtemp(prefix="mnt.")
    jagfs("mount", store, point, *(["-o", ",".join(options)] if options else []))
    try:
        yield point
    finally:
        try:
            jagfs("umount", point)
        except AssertionError:
            jagfs("umount", "-z", point)  # somebody has a file open: tell it, but leave nothing mounted
            raise
        finally:
            os.rmdir(point)


def tensor_bytes(tensor):
    """The tensor's own bytes in C order, whatever its dtype."""
    storage = tensor.detach().clone().contiguous().untyped_storage()
    return ctypes.string_at(storage.data_ptr(), storage.nbytes()) if storage.nbytes() else b""


def file_name(key):
    """As the store's own files: percent-encoded."""
    if not key.strip("."):
        return "".join("%2E" for _ in key) or "%"
    return "".join(f"%{ord(c):02X}" if c in '/<>:"|?*\\%\x7f' or c <= " " else c for c in key)


class TestCase(unittest.TestCase):
    """Each test has an empty folder `self.tmp`."""

    def setUp(self):
        self.tmp = tempfile.mkdtemp(prefix="py.")
        self.addCleanup(shutil.rmtree, self.tmp)

    def path(self, *parts):
        return os.path.join(self.tmp, *parts)


def read(*parts):
    with open(os.path.join(*parts), "rb") as file:
        return file.read()


class TapResult(unittest.TestResult):
    count = 0

    def line(self, word, test, note=""):
        self.count += 1
        name = f"{type(test).__module__}: {test.shortDescription() or test.id()}"
        print(f"{word} {self.count} - {name.replace('__main__', os.path.basename(sys.argv[0]))}{note}", flush=True)

    def addSuccess(self, test):
        self.line("ok", test)

    def addSkip(self, test, reason):
        self.line("ok", test, f" # SKIP {reason}")

    def trouble(self, test, error):
        super().addFailure(test, error)
        self.line("not ok", test)
        for text in self.failures[-1][1].splitlines():
            print("#", text, flush=True)

    addFailure = trouble
    addError = trouble

    def addSubTest(self, test, subtest, outcome):
        if outcome:
            self.trouble(subtest, outcome)


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    print(f"1..{suite.countTestCases()}", flush=True)
    result = TapResult()
    suite.run(result)
    sys.exit(0 if result.wasSuccessful() else 1)
