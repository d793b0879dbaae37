"""Logits of 20 random tiny models held against transformers on the same weights, rows padded on the right and on the left;
what we write, in one file and in several, loaded there: the same. Exit code 77 (skipped): this Python has no transformers.

    against_transformers_test.py PRETRAINED_TOOL
"""
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
try:
    import torch
    from transformers import AutoConfig
    from tiny_models import CLASSES, logits_of, tiny_model, tiny_rows
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

TOOL = sys.argv[1]
MODELS = int(os.environ.get("RINGSIDE_TINY_MODELS", "20"))
torch.set_num_threads(1)


def our_logits(folder, rows):
    text = "\n".join(" ".join(map(str, row)) for row in rows)
    run = subprocess.run([TOOL, "logits", folder], input=text, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return [[float(word) for word in line.split()] for line in run.stdout.splitlines()]


def apart(ours, theirs):
    assert [len(row) for row in ours] == [len(row) for row in theirs]
    return max(abs(a - b) for x, y in zip(ours, theirs) for a, b in zip(x, y))


worst = {"right": 0.0, "left": 0.0, "written": 0.0}
for seed in range(MODELS):
    family, language = list(CLASSES)[seed % 2], seed // 2 % 2 == 1
    with tempfile.TemporaryDirectory() as name:
        folder, written = pathlib.Path(name) / "theirs", pathlib.Path(name) / "ours"
        model = tiny_model(family, language, seed)
        model.save_pretrained(folder, max_shard_size="4KB" if seed % 5 == 4 else "1GB")
        rows = tiny_rows(model)
        ours = our_logits(folder, rows)
        for side in "right", "left":
            worst[side] = max(worst[side], apart(ours, logits_of(model, rows, side)))
        subprocess.run([TOOL, "copy", folder, written, "4000" if seed % 3 == 2 else "1000000000"], check=True)
        assert AutoConfig.from_pretrained(written).architectures == model.config.architectures
        again, loading = type(model).from_pretrained(written, output_loading_info=True)
        assert not any(loading.values()), loading
        for key, value in model.state_dict().items():
            assert torch.equal(value, again.state_dict()[key]), key
        worst["written"] = max(worst["written"], apart(logits_of(again.eval(), rows), logits_of(model, rows)))
print(f"{MODELS} models:", ", ".join(f"{what} {value:.1e}" for what, value in worst.items()))
assert worst["right"] <= 1e-5 and worst["left"] <= 1e-5 and worst["written"] == 0, worst
