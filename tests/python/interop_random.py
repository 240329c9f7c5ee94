# SPDX-License-Identifier: MIT
"""Random stores, from a seed: what is in them as plain Python, and how tensordict writes it.

A collection is a Dict (batch size and {key: value}) or a Stack of Dicts; a value is a tensor (a dense leaf), a Nested,
a Value (no tensor) or a collection.
"""
import random
from dataclasses import dataclass

import tensordict
import torch
from tensordict import LazyStackedTensorDict, NonTensorData, TensorDict

VERSION = tuple(int(part) for part in tensordict.__version__.split(".")[:2])
NESTABLE = [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16,
            torch.float32, torch.float64, torch.complex64, torch.complex128]
LOADABLE = NESTABLE + [torch.uint16, torch.uint32, torch.uint64, torch.complex32]
WRITABLE = LOADABLE + [getattr(torch, name) for name in (
    "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2")]
RESERVED = {"shape", "device", "_type", "_format_version", "_class", "_names"}

LETTERS = "abcXYZ0189"
PUNCTUATION = "._-,'~#+=()[]&;@!$^`{}"
FOREIGN = "äßñ日本語жא😀e\u0301\u200d"
# The newer releases encode all keys. The older ones take a key for a file name; what their successors would not open
# under that name is left out.
SPECIAL = " %<>:\"|?*\\/\t\x7f" if VERSION >= (0, 14) else " %<>\"|?*"


@dataclass
class Nested:
    rows: list
    late: bool  # added by make_memmap to a store that is there: an empty leaf, which is filled then


@dataclass
class Value:
    data: object


@dataclass
class Dict:
    batch: list
    items: dict


@dataclass
class Stack:
    dim: int
    children: list


def random_bits(rng, shape, dtype):
    """A tensor of any bit patterns, NaNs and all; bool has but two."""
    count = torch.Size(shape).numel()
    data = bytearray(rng.randbytes(count * dtype.itemsize))
    if dtype == torch.bool:
        data = bytearray(byte & 1 for byte in data)
    if not data:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(data, dtype=torch.uint8).view(dtype).reshape(shape)


class Maker:
    def __init__(self, seed, special=SPECIAL):
        self.rng = random.Random(seed)
        self.special = special
        self.stacks = 0  # those around: make_memmap does not reach into them

    def key(self, taken):
        """No other's name with a suffix, and no reserved one: those would share files, or get a number."""
        rng = self.rng
        while True:
            alphabet = LETTERS * 3 + rng.choice(["", PUNCTUATION, FOREIGN, self.special, PUNCTUATION + FOREIGN])
            key = "".join(rng.choice(alphabet) for _ in range(rng.choice([1, 2, 3, 5, 8, 20])))
            if VERSION >= (0, 14) and rng.random() < 0.02:
                key = rng.choice(["", ".", ".."])
            elif not key.strip("."):
                continue
            if key in RESERVED or key.isdigit() or len(key.encode()) > 60:
                continue
            if all(key != k and not k.startswith(key + ".") and not key.startswith(k + ".") for k in taken):
                return key

    def sides(self, rank, largest=6):
        smallest = 0 if self.rng.random() < 0.15 else 1
        return [self.rng.randint(smallest, largest) for _ in range(rank)]

    def row_shape(self):
        """Of one element: often an image's, interleaved or planar."""
        kind = self.rng.choice(["any", "any", "chw", "hwc", "hw", "clip"])
        height, width = self.rng.randint(1, 9), self.rng.randint(1, 9)
        return {"any": self.sides(self.rng.randint(0, 4)), "chw": [self.rng.choice([1, 3, 4]), height, width],
                "hwc": [height, width, self.rng.choice([1, 3, 4])], "hw": [height, width],
                "clip": [self.rng.randint(1, 3), 3, height, width]}[kind]

    def dense(self, batch):
        dtype = self.rng.choice([torch.uint8] * 6 + WRITABLE)
        tensor = random_bits(self.rng, batch + self.row_shape(), dtype)
        if self.rng.random() < 0.2 and tensor.dim() >= 2 and dtype in NESTABLE:
            tensor = tensor.transpose(-1, -2).contiguous().transpose(-1, -2)  # other strides, the same values
        return tensor

    def nested(self, batch):
        count = batch[0] if batch else self.rng.randint(1, 12)
        late = self.rng.random() < 0.4 and not self.stacks
        dtype = self.rng.choice([torch.uint8] * 6 + (WRITABLE if late else NESTABLE))
        shape, free = self.row_shape(), self.rng.random() < 0.3
        rows = []
        for _ in range(count):
            sides = [self.rng.randint(0 if free else 1, 9) if side > 4 or free else side for side in shape]
            rows.append(random_bits(self.rng, batch[1:] + sides, dtype))
        if sum(row.numel() for row in rows) == 0:
            rows[0] = random_bits(self.rng, batch[1:] + [2] * len(shape), dtype)
        return Nested(rows, late)

    def value(self):
        return Value(self.rng.choice([17, -2.5, True, "text", "żółw\n\"\\", ["a", 1, None], {"k": [1, 2]}, ""]))

    def stack(self, batch, depth):
        """Children with a batch are shown one by one; others key by key: of the same dtype and rank then."""
        count = self.rng.randint(1, 4)
        if batch:
            self.stacks += 1
            children = [self.collection(batch[1:] or [2], depth + 1) for _ in range(batch[0])]
            self.stacks -= 1
            return Stack(0, children)
        ranks = {self.key([]): (self.rng.randint(0, 3), self.rng.choice(LOADABLE)) for _ in range(3)}
        return Stack(0, [Dict([], {key: random_bits(self.rng, self.sides(rank), dtype)
                                   for key, (rank, dtype) in ranks.items() if self.rng.random() < 0.8})
                         for _ in range(count)])

    def collection(self, batch=None, depth=0):
        rng = self.rng
        if batch is None:
            one, two = [rng.randint(1, 12)], [rng.randint(1, 4), rng.randint(1, 3)]
            batch = rng.choice([[], [], one, one, two])
        items = {}
        for _ in range(rng.randint(0 if depth else 1, 6)):
            kind = rng.choice(["dense", "dense", "dense", "nested", "nested", "value", "collection", "stack"])
            key = self.key(items)
            if kind == "dense":
                items[key] = self.dense(batch)
            elif kind == "nested" and all(batch):
                items[key] = self.nested(batch)
            elif kind == "value":
                items[key] = self.value()
            elif depth < 2 and kind == "collection":
                items[key] = self.collection(batch + ([rng.randint(1, 3)] if rng.random() < 0.2 else []), depth + 1)
            elif depth < 2 and kind == "stack":
                items[key] = self.stack(batch, depth)
        return Dict(batch, items)


def build(collection):
    """The tensordict of a collection, without what make_memmap adds."""
    if isinstance(collection, Stack):
        return LazyStackedTensorDict(*[build(child) for child in collection.children], stack_dim=collection.dim)
    out = TensorDict({}, batch_size=collection.batch)
    for key, value in collection.items.items():
        if isinstance(value, torch.Tensor):
            out._set_str(key, value, validated=True, inplace=False, non_blocking=False)
        elif isinstance(value, Nested) and not value.late:
            out.set(key, torch.nested.as_nested_tensor(value.rows, layout=torch.strided))
        elif isinstance(value, Value):
            out.set(key, NonTensorData(value.data, batch_size=collection.batch))
        elif isinstance(value, (Dict, Stack)):
            out.set(key, build(value))
    return out


def add_late(mapped, collection, path=()):
    if isinstance(collection, Stack):
        return
    for key, value in collection.items.items():
        if isinstance(value, Nested) and value.late:
            shapes = torch.tensor([row.shape for row in value.rows], dtype=torch.int64).reshape(len(value.rows), -1)
            leaf = mapped.make_memmap((*path, key), shapes, dtype=value.rows[0].dtype)
            for row, source in zip(leaf.unbind(0), value.rows):
                row.copy_(source)
        elif isinstance(value, Dict):
            add_late(mapped, value, (*path, key))


def write(collection, folder):
    add_late(build(collection).memmap(folder), collection)
