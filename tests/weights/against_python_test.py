"""Ringside's safetensors files held against Python's own library: it reads what we write, we read what it writes, every
element type of it, and of damaged files both take the same. Exit code 77 (skipped): this Python has no safetensors, torch.

    against_python_test.py WEIGHTS_TOOL
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import _TYPES, load, save
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

TOOL = sys.argv[1]


def listed(*files):
    run = subprocess.run([TOOL, "list", *map(str, files)], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def as_hex(tensor):
    return bytes(tensor.contiguous().flatten().view(torch.uint8).tolist()).hex() if tensor.numel() else ""


def all_types():
    """A matrix, a scalar and an empty tensor of each element type, with bytes of its own."""
    tensors = {}
    for place, (name, dtype) in enumerate(_TYPES.items()):
        size = torch.empty(0, dtype=dtype).element_size()
        raw = torch.arange(6 * size, dtype=torch.int64).add(place).to(torch.uint8)
        raw = raw % 2 if dtype == torch.bool else raw
        tensors[f"{name} of \u00e9, \"quoted\""] = raw.view(dtype).reshape(2, 3)
        tensors[f"{name}.scalar"] = raw[:size].clone().view(dtype).reshape(())
        tensors[f"{name}.empty"] = torch.empty(0, 4, dtype=dtype)
    return tensors


def same(ours, theirs):
    names = {dtype: name for name, dtype in _TYPES.items()}
    expected = {name: [names[t.dtype], list(t.shape), as_hex(t)] for name, t in theirs.items()}
    assert ours == expected, {name for name in expected if ours.get(name) != expected[name]}


def check_types(folder):
    theirs, copy = folder / "theirs", folder / "copy"
    theirs.write_bytes(save(all_types(), {"format": "pt"}))
    same(listed(theirs)[0]["tensors"], all_types())
    subprocess.run([TOOL, "copy", theirs, copy], check=True)
    same(listed(copy)[0]["tensors"], load(copy.read_bytes()))
    assert copy.read_bytes() == theirs.read_bytes(), "written otherwise than by Python's library"
    print(f"{len(_TYPES)} element types, the same bytes")


def check_damaged(folder, count=3000):
    whole = save({"a": torch.arange(4.0), "b": torch.ones(2, 2, dtype=torch.bfloat16), "c": torch.empty(0, 3)},
                 {"format": "pt"})
    rng = random.Random(38)
    files = []
    for i in range(count):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(whole) - 24)] = rng.choice([rng.randrange(256), rng.choice(b"0123456789abF6")])
        if i % 10 == 0:
            damaged = damaged[:rng.randrange(len(whole))]
        files.append(folder / f"{i}.safetensors")
        files[-1].write_bytes(damaged)
    taken = 0
    for file, ours in zip(files, listed(*files)):
        try:
            theirs = load(file.read_bytes())
        except (SafetensorError, KeyError, ValueError, RuntimeError):
            theirs = None
        if "tensors" in ours:
            assert theirs is not None, (file.read_bytes(), "is taken by us alone")
            same(ours["tensors"], theirs)
            taken += 1
        else:
            assert theirs is None or any(word in ours["error"] for word in ("twice", "unknown key", "'__metadata__'")), (
                file.read_bytes(), ours["error"])
    assert count / 50 < taken < count, taken
    print(f"{count} damaged files: {taken} are taken by both, none by us alone")


with tempfile.TemporaryDirectory() as name:
    check_types(pathlib.Path(name))
    check_damaged(pathlib.Path(name))
