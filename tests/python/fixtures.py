# SPDX-License-Identifier: MIT
"""Every store that tensordict wrote, element by element through the mount, against tensordict's own loading."""
import json
import os
import shutil

import numpy
from tensordict import MemoryMappedTensor, NonTensorData, NonTensorStack, TensorDict
import torch

import jagtest
from jagtest import read, tensor_bytes

DTYPES = {str(value): value for value in vars(torch).values() if isinstance(value, torch.dtype)}


def load_leaves(folder):
    """{key: tensor} of one collection directory, by tensordict; where its loader gives up (a dtype that it cannot
    name, a pickle of an unknown class) by the memory-mapped tensor that each entry describes."""
    with open(os.path.join(folder, "meta.json"), encoding="utf-8") as file:
        meta = json.load(file)
    entries = {k: v for k, v in meta.items() if isinstance(v, dict) and "dtype" in v and "shape" in v}
    try:
        loaded = TensorDict.load_memmap(folder)
        leaves = {k: v for k, v in loaded.items() if isinstance(v, torch.Tensor)}
    except (KeyError, AttributeError):
        leaves = {}
        for key, entry in entries.items():
            leaves[key] = MemoryMappedTensor.from_filename(
                os.path.join(folder, key + ".memmap"), DTYPES[entry["dtype"]], torch.Size(entry["shape"]))
    return leaves, entries


def file_names(key):
    """Names under which a key may stand in the mount: as it is, or percent-encoded."""
    reserved = set(' %<>:"|?*/\\') | {chr(c) for c in range(32)}
    encoded = "".join(f"%{ord(c):02X}" if c in reserved else c for c in key) if key.strip(".") else "%2E" * len(key) or "%"
    return [encoded, key] if key and "/" not in key and key.strip(".") else [encoded]


def find_directory(point, parts):
    """The directory of a sub-collection, by the names of its directories on disk, which may be legacy ones."""
    for part in parts:
        names = [part, *file_names(part)]
        point = next(path for path in (os.path.join(point, n) for n in names) if os.path.isdir(path))
    return point


def find_leaf(directory, key):
    for name in file_names(key):
        path = os.path.join(directory, name)
        if os.path.isdir(path) or os.path.exists(path + ".npy") or os.path.exists(path + ".bin"):
            return path
    raise AssertionError(f"key {key!r} is not shown in {directory}: {os.listdir(directory)}")


class Fixtures(jagtest.TestCase):
    def compare_elements(self, path, rows):
        """PATH/000.bin, ... are the rows, in order; .npy gives shape and dtype too where NumPy has the dtype."""
        self.assertEqual(len(os.listdir(path)), len(rows), path)
        width = len(str(max(len(rows) - 1, 0)))
        for i, row in enumerate(rows):
            name = os.path.join(path, f"{i:0{width}d}")
            self.assertEqual(read(name + ".bin"), tensor_bytes(row), name)
            self.assertEqual(os.stat(name + ".bin").st_size, row.numel() * row.element_size())
            self.compare_npy(name + ".npy", row)

    def compare_npy(self, path, tensor):
        try:
            expected = tensor.detach().clone().numpy()
        except (TypeError, RuntimeError):
            return
        actual = numpy.load(path)
        self.assertEqual((actual.dtype, actual.shape), (expected.dtype, expected.shape), path)
        self.assertEqual(actual.tobytes(), expected.tobytes(), path)

    def compare_dense(self, path, tensor):
        self.assertEqual(read(path + ".bin"), tensor_bytes(tensor), path)
        self.compare_npy(path + ".npy", tensor)
        if tensor.dim() == 0:
            return
        count = len(os.listdir(path))
        whole = b"".join(read(path, name) for name in sorted(f"{i:0{len(str(max(count - 1, 0)))}d}.bin" for i in range(count)))
        self.assertEqual(whole, tensor_bytes(tensor), path)

    def compare_collection(self, folder, directory):
        leaves, entries = load_leaves(folder)
        for key, entry in entries.items():
            path = find_leaf(directory, key)
            if key not in leaves:  # all components empty: tensordict drops the key
                shapes = numpy.fromfile(os.path.join(folder, key + ".shape.memmap"), numpy.int64)
                shapes = shapes.reshape(entry["shape"])
                self.compare_elements(path, [torch.empty(tuple(s), dtype=DTYPES[entry["dtype"]]) for s in shapes])
            elif leaves[key].is_nested:
                self.compare_elements(path, leaves[key].unbind(0))
            else:
                self.compare_dense(path, leaves[key])

    def compare_store(self, name):
        store = self.path(name)
        shutil.copytree(os.path.join(jagtest.FIXTURES, name), store)  # loading may touch the files
        with jagtest.mounted(store, "ro") as point:
            for folder, _, files in os.walk(store):
                if "meta.json" not in files:
                    continue
                parts = [p for p in os.path.relpath(folder, store).split(os.sep) if p not in (".", "_tensordict")]
                with open(os.path.join(folder, "meta.json"), encoding="utf-8") as file:
                    kind = json.load(file).get("_type", "")
                if "_td.TensorDict'" in kind:
                    self.compare_collection(folder, find_directory(point, parts))


class NonTensor(jagtest.TestCase):
    def test_values_are_json(self):
        """a non-tensor value and a stack of them are JSON files with the values that tensordict loads"""
        td = TensorDict({"a": torch.zeros(3, 2), "s": NonTensorData("text", [3]), "n": NonTensorData({"x": [7, None]}, [3])}, [3])
        td["stack"] = NonTensorStack("x", "y", "z")
        td.memmap(self.path("store"))
        loaded = TensorDict.load_memmap(self.path("store"))
        with jagtest.mounted(self.path("store")) as point:
            self.assertEqual(json.loads(read(point, "s.json")), loaded["s"])
            self.assertEqual(json.loads(read(point, "n.json")), loaded["n"])
            self.assertEqual(json.loads(read(point, "stack.json")), loaded.get("stack").tolist())


def add_fixture_tests():
    for name in sorted(os.listdir(jagtest.FIXTURES)):
        if not os.path.isdir(os.path.join(jagtest.FIXTURES, name)):
            continue
        def test(self, name=name):
            self.compare_store(name)
        test.__doc__ = f"{name}: every element equals what tensordict loads"
        setattr(Fixtures, f"test_{name}", test)


add_fixture_tests()
if __name__ == "__main__":
    jagtest.main()
