#!/usr/bin/env python3
"""`ringside train` beside PyTorch: the same classifier with the same starting weights, batches and optimizer.

  classifier_peer.py DATA START RUN PICTURE.svg      DATA: train.csv, test.csv (demos/data/debian_sections.py)
  START, RUN: outputs of these two (RUN with the steps that are compared, START with none that changes anything)
    ringside train data=DATA/train.csv test=DATA/test.csv output=START steps=1 learning_rate=0 keep_best=false
    ringside train data=DATA/train.csv test=DATA/test.csv output=RUN keep_best=false

PyTorch's side is written from the papers: its own model, autograd and AdamW. Of ours it takes the start, the settings, and
the order of samples (engine/base/random.h, engine/data/sampler.h). Where scikit-learn is, its logistic regression on
n-grams of bytes says what the data give.
"""
import csv
import json
import math
import os
import struct
import sys
import time

import torch

MASK, GOLDEN = (1 << 64) - 1, 0x9E3779B97F4A7C15
PAD, END = 256, 257


def read_toml(path):
    """Our config.toml: one value a line, names that are unique over the sections."""
    settings = {}
    for line in open(path, encoding="utf-8"):
        if " = " in line:
            name, value = line.strip().split(" = ", 1)
            settings[name] = json.loads(value)
    return settings


def read_safetensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    header.pop("__metadata__", None)
    cut = {name: data[slice(*entry["data_offsets"])] for name, entry in header.items()}
    return {name: torch.frombuffer(bytearray(cut[name]), dtype=torch.float32).reshape(entry["shape"])
            for name, entry in header.items()}


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [(row["text"].encode(), row["label"]) for row in csv.DictReader(file)]


# ---- The order of samples

def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def mix_seed(seed, purpose, index):
    hashed = 0xCBF29CE484222325
    for byte in purpose.encode():
        hashed = (hashed ^ byte) * 0x100000001B3 & MASK
    named = mix(seed + GOLDEN & MASK) ^ hashed
    return mix(mix(named + GOLDEN & MASK) + (index + 1) * GOLDEN & MASK)


def permutation(count, seed, epoch):
    state, order = mix_seed(seed, "epoch", epoch), list(range(count))
    for left in range(count, 1, -1):
        while True:
            state = state + GOLDEN & MASK
            if mix(state) >= (1 << 64) % left:
                break
        chosen = mix(state) % left
        order[left - 1], order[chosen] = order[chosen], order[left - 1]
    return order


def batches(count, batch, seed):
    epoch, order = 0, []
    while True:
        while len(order) < batch:
            order += permutation(count, seed, epoch)
            epoch += 1
        yield order[:batch]
        order = order[batch:]


# ---- The model: Qwen2ForSequenceClassification's shape

class Classifier:
    def __init__(self, weights, settings):
        self.weights = {name: value.clone().requires_grad_() for name, value in weights.items()}
        self.heads, self.groups, self.layers = settings["heads"], settings["kv_heads"], settings["layers"]

    def linear(self, name, x):
        return torch.nn.functional.linear(x, self.weights[name + ".weight"], self.weights.get(name + ".bias"))

    def norm(self, name, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weights[name + ".weight"]

    def attention(self, name, x):
        rows, length, width = x.shape
        size = width // self.heads
        angles = torch.outer(torch.arange(length), 10000.0 ** -(torch.arange(0, size, 2) / size)).repeat(1, 2)

        def split(part, heads, turn):
            t = self.linear(f"{name}.{part}_proj", x).view(rows, length, heads, size).transpose(1, 2)
            if turn:
                low, high = t.chunk(2, -1)
                t = t * angles.cos() + torch.cat((-high, low), -1) * angles.sin()
            return t.repeat_interleave(self.heads // heads, 1)

        q, k, v = split("q", self.heads, True), split("k", self.groups, True), split("v", self.groups, False)
        behind = torch.ones(length, length, dtype=torch.bool).triu(1)
        scores = (q @ k.transpose(-1, -2) / math.sqrt(size)).masked_fill(behind, -math.inf)
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(rows, length, width)
        return self.linear(name + ".o_proj", mixed)

    def forward(self, tokens, last):
        x = self.weights["model.embed_tokens.weight"][tokens]
        for i in range(self.layers):
            name = f"model.layers.{i}"
            x = x + self.attention(name + ".self_attn", self.norm(name + ".input_layernorm", x))
            h = self.norm(name + ".post_attention_layernorm", x)
            gate = torch.nn.functional.silu(self.linear(name + ".mlp.gate_proj", h))
            x = x + self.linear(name + ".mlp.down_proj", gate * self.linear(name + ".mlp.up_proj", h))
        return self.linear("score", self.norm("model.norm", x[torch.arange(len(last)), last]))


def batch_of(texts, most):
    tokens = [[*text[:most - 1], END] for text in texts]
    longest = max(map(len, tokens))
    return (torch.tensor([row + [PAD] * (longest - len(row)) for row in tokens]),
            torch.tensor([len(row) - 1 for row in tokens]))


def train(data, classes, model, settings, steps):
    """The loss before each step, and seconds."""
    optimizer = torch.optim.AdamW(model.weights.values(), betas=(settings["beta1"], settings["beta2"]),
                                  eps=settings["eps"], weight_decay=settings["weight_decay"])
    warmup = steps // 20 if settings["warmup"] < 0 else settings["warmup"]
    losses, started = [], time.time()
    for step, chosen in zip(range(steps), batches(len(data), settings["batch"], settings["seed"])):
        x = (step - warmup) / max(steps - warmup, 1)
        factor = (step + 1) / warmup if step < warmup else 0.5 * (1 + math.cos(math.pi * x))
        optimizer.param_groups[0]["lr"] = settings["learning_rate"] * factor
        logits = model.forward(*batch_of([data[i][0] for i in chosen], settings["max_tokens"]))
        loss = torch.nn.functional.cross_entropy(logits, torch.tensor([classes.index(data[i][1]) for i in chosen]))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.weights.values(), settings["clip_norm"])
        optimizer.step()
        losses.append(loss.item())
    return losses, time.time() - started


@torch.no_grad()
def accuracy(data, classes, model, settings):
    right = 0
    for begin in range(0, len(data), 64):
        part = data[begin:begin + 64]
        answers = model.forward(*batch_of([text for text, _ in part], settings["max_tokens"])).argmax(1)
        right += sum(classes[a] == label for a, (_, label) in zip(answers.tolist(), part))
    return right / len(data)


def logistic_regression(training, test):
    """Accuracy of scikit-learn's on n-grams of 1 to 4 bytes; None where it is not installed."""
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        return None
    grams = TfidfVectorizer(analyzer="char", ngram_range=(1, 4), lowercase=False, min_df=2, sublinear_tf=True)
    texts = [[text.decode("latin-1") for text, _ in part] for part in (training, test)]
    learner = LogisticRegression(max_iter=300, C=10).fit(grams.fit_transform(texts[0]), [label for _, label in training])
    return float(learner.score(grams.transform(texts[1]), [label for _, label in test]))


# ---- The picture

def picture(ours, theirs, title, path):
    wide, high, left, top = 640, 300, 60, 50
    most = max(map(max, (ours, theirs))) * 1.05

    def line(losses, style):
        points = "L".join(f"{left + wide * i / (len(losses) - 1):.1f} {top + high * (1 - loss / most):.1f}"
                          for i, loss in enumerate(losses))
        return f'<path fill="none" stroke-linejoin="round" {style} d="M{points}"/>'

    apart = max(abs(a - b) for a, b in zip(ours, theirs))
    ticks = "".join(f'<text x="{left - 8}" y="{top + high * (1 - v / most) + 4:.0f}" text-anchor="end">{v}</text>'
                    for v in range(int(most) + 1))
    steps = "".join(f'<text x="{left + wide * s / (len(ours) - 1):.0f}" y="{top + high + 18}" text-anchor="middle">{s}</text>'
                    for s in range(0, len(ours), 10 ** int(math.log10(len(ours) - 1))))
    with open(path, "w", encoding="utf-8") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + wide + 20} {top + high + 60}" '
            'font-family="sans-serif" font-size="13" fill="#333"><rect width="100%" height="100%" fill="#fff"/>'
            f'<text x="{left}" y="20">{title}</text>'
            f'<path d="M{left} 34h24" stroke="#e69f00" stroke-width="5"/><text x="{left + 30}" y="38">PyTorch</text>'
            f'<path d="M{left + 100} 34h24" stroke="#0072b2" stroke-width="1.2"/><text x="{left + 130}" y="38">'
            f'ringside train, on top of it: losses at most {apart:.1g} apart</text>'
            f'<path d="M{left} {top}V{top + high}H{left + wide}" fill="none" stroke="#999"/>{ticks}{steps}'
            + line(theirs, 'stroke="#e69f00" stroke-width="5"') + line(ours, 'stroke="#0072b2" stroke-width="1.2"')
            + f'<text x="{left + wide}" y="{top + high + 36}" text-anchor="end">step</text></svg>\n')
    return apart


def main():
    folder, start, run, file = sys.argv[1:]
    torch.set_num_threads(2)
    settings = read_toml(os.path.join(run, "config.toml"))
    with open(os.path.join(run, "classes.json"), encoding="utf-8") as text:
        classes = json.load(text)["classes"]
    lines = [json.loads(line) for line in open(os.path.join(run, "metrics.jsonl"), encoding="utf-8")]
    ours = [line["loss"] for line in lines if "loss" in line]
    training, test = (read_csv(os.path.join(folder, name + ".csv")) for name in ("train", "test"))
    model = Classifier(read_safetensors(os.path.join(start, "model", "model.safetensors")), settings)
    theirs, seconds = train(training, classes, model, settings, len(ours))
    right = accuracy(test, classes, model, settings)
    reached = [line["evaluation"]["accuracy"] for line in lines if "evaluation" in line][-1]
    regression = logistic_regression(training, test)
    title = (f"{len(classes)} sections of Debian, {len(training)} texts: held out {100 * reached:.1f} % right, "
             f"PyTorch {100 * right:.1f} %")
    if regression is not None:
        title += f", logistic regression {100 * regression:.1f} %"
    apart = picture(ours, theirs, title, file)
    ms = sum(line["ms"] for line in lines if "ms" in line)
    print(f"{title}\nlosses of {len(ours)} steps at most {apart:.3g} apart; steps took {ms / 1e3:.1f} s here, "
          f"{seconds:.1f} s in PyTorch {torch.__version__}")


if __name__ == "__main__":
    main()
