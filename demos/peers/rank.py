"""rank.py WAY FOLDER: a rank of a peer, which trains what FOLDER says (peer_ranks export=FOLDER wrote it).

WAY: ddp, zero (DDP and ZeroRedundancyOptimizer) or fsdp. Who it is: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT. Rank 0
reads a line for each step, answers with its milliseconds, and says what came of it at the end, as peer_ranks does.
"""
import json
import math
import os
import socket
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn


class Linear(nn.Module):
    def __init__(self, given, name):
        super().__init__()
        self.weight = nn.Parameter(given.pop(name + ".weight"))
        bias = given.pop(name + ".bias", None)
        self.bias = None if bias is None else nn.Parameter(bias)

    def forward(self, x):
        return F.linear(x, self.weight, self.bias)


class Norm(nn.Module):
    def __init__(self, given, name, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(given.pop(name + ".weight")), eps

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))


class Layer(nn.Module):
    def __init__(self, given, name, case):
        super().__init__()
        self.heads, self.kv_heads = case["heads"], case["kv_heads"]
        self.norms = nn.ModuleList(Norm(given, f"{name}.{norm}_layernorm", case["eps"]) for norm in ("input", "post_attention"))
        self.q, self.k, self.v, self.o = (Linear(given, f"{name}.self_attn.{part}_proj") for part in "qkvo")
        self.gate, self.up, self.down = (Linear(given, f"{name}.mlp.{part}_proj") for part in ("gate", "up", "down"))

    def attend(self, x, cos, sin, mask):
        B, T, H = x.shape
        D, share = H // self.heads, self.heads // self.kv_heads

        def split(t, heads):
            return t.view(B, T, heads, D).transpose(1, 2)

        def turn(t):
            return t * cos + torch.cat((-t[..., D // 2:], t[..., :D // 2]), -1) * sin

        q, k, v = split(self.q(x), self.heads), split(self.k(x), self.kv_heads), split(self.v(x), self.kv_heads)
        q, k = turn(q), turn(k)
        k, v = (t.repeat_interleave(share, 1) for t in (k, v))
        weights = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(D) + mask, -1)
        return self.o((weights @ v).transpose(1, 2).reshape(B, T, H))

    def forward(self, x, cos, sin, mask):
        h = x + self.attend(self.norms[0](x), cos, sin, mask)
        y = self.norms[1](h)
        return h + self.down(F.silu(self.gate(y)) * self.up(y))


class Classifier(nn.Module):
    """As in transformers' Qwen2ForSequenceClassification; the logits of each sequence's last token."""

    def __init__(self, given, case, tokens):
        super().__init__()
        self.embedding = nn.Parameter(given.pop("model.embed_tokens.weight"))
        self.layers = nn.ModuleList(Layer(given, f"model.layers.{i}", case) for i in range(case["layers"]))
        self.norm, self.score = Norm(given, "model.norm", case["eps"]), Linear(given, "score")
        assert not given, list(given)
        D = self.embedding.shape[1] // case["heads"]
        angle = torch.outer(torch.arange(tokens, dtype=torch.float32), case["theta"] ** (-torch.arange(0, D, 2) / D)).repeat(1, 2)
        self.cos, self.sin = angle.cos(), angle.sin()
        self.mask = torch.full((tokens, tokens), -math.inf).triu(1)

    def forward(self, tokens, last):
        x, T = F.embedding(tokens, self.embedding), tokens.shape[1]
        for layer in self.layers:
            x = layer(x, self.cos[:T], self.sin[:T], self.mask[:T, :T])
        return self.score(self.norm(x[torch.arange(len(x)), last]))


class Case:
    def __init__(self, folder):
        with open(folder + "/case.json") as file:
            self.said = json.load(file)
        self.folder, self.samples, self.steps = folder, self.said["samples"], self.said["steps"]

    def weights(self):
        with open(self.folder + "/weights.f32", "rb") as file:
            values, at, given = torch.frombuffer(bytearray(file.read()), dtype=torch.float32), 0, {}
        for parameter in self.said["parameters"]:
            count = math.prod(parameter["shape"])
            given[parameter["name"]] = values[at:at + count].view(parameter["shape"]).clone()
            at += count
        return given

    def batch(self, step, rank, ranks):
        own = self.steps[step]
        own = [self.samples[i] for i in own[len(own) * rank // ranks:len(own) * (rank + 1) // ranks]]
        longest = max(len(sample["tokens"]) for sample in own)
        tokens = torch.tensor([sample["tokens"] + [256] * (longest - len(sample["tokens"])) for sample in own])
        return tokens, torch.tensor([len(s["tokens"]) - 1 for s in own]), torch.tensor([s["label"] for s in own])


def distributed(way, model):
    """The wrapped model, its optimizer, and how its gradients are clipped."""
    def clip(most):
        torch.nn.utils.clip_grad_norm_(model.parameters(), most)

    settings = dict(lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01)
    if way == "fsdp":
        from torch.distributed.fsdp import FullyShardedDataParallel
        from torch.distributed.fsdp.wrap import ModuleWrapPolicy
        sharded = FullyShardedDataParallel(model, auto_wrap_policy=ModuleWrapPolicy({Layer}), use_orig_params=True,
                                           device_id=torch.device("cpu"))
        return sharded, torch.optim.AdamW(sharded.parameters(), **settings), sharded.clip_grad_norm_
    wrapped = nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
    if way == "ddp":
        return wrapped, torch.optim.AdamW(model.parameters(), **settings), clip
    from torch.distributed.optim import ZeroRedundancyOptimizer
    return wrapped, ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.AdamW, **settings), clip


def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))  # kB


def bytes_sent():
    """What this process's TCP sockets have sent, and its peers have taken: tcpi_bytes_acked of linux/tcp.h."""
    sent = 0
    for number in os.listdir("/proc/self/fd"):
        try:
            one = socket.socket(fileno=os.dup(int(number)))
        except OSError:
            continue
        with one:
            try:
                sent += int.from_bytes(one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192)[120:128], "little")
            except OSError:
                pass
    return sent


def main(way, folder):
    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.set_num_threads(1)
    case = Case(folder)
    dist.init_process_group("gloo")
    before = status("VmRSS")
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    tokens = max(len(sample["tokens"]) for sample in case.samples)
    model, optimizer, clip = distributed(way, Classifier(case.weights(), case.said, tokens))
    losses, warm, sent, peak, word = [], 0, 0, 0, torch.zeros(1)
    for step, rate in enumerate(case.said["rates"]):
        if rank == 0:
            word[0] = 1 if sys.stdin.readline() else 0
        dist.broadcast(word, 0)
        if word[0] == 0:
            return
        if step + 1 == len(case.steps):
            sent, peak = bytes_sent() - warm, status("VmHWM") - before
        begin, cpu = time.perf_counter(), time.process_time()
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad(set_to_none=True)
        tokens, last, labels = case.batch(step, rank, ranks)
        loss = F.cross_entropy(model(tokens, last), labels)
        loss.backward()
        clip(case.said["clip"])
        optimizer.step()
        ms = 1e3 * (time.perf_counter() - begin)
        mean = loss.detach().double() / ranks
        dist.all_reduce(mean)
        losses.append(mean.item())
        if step == 0:
            warm = bytes_sent()
        if rank == 0:
            print([ms, 1e3 * (time.process_time() - cpu)], flush=True)
    if rank == 0:
        print(json.dumps({"loss": losses, "memory": 1024 * peak, "sent": sent / max(1, len(case.steps) - 2),
                          "torch": torch.__version__}), flush=True)
    dist.destroy_process_group()


main(*sys.argv[1:])
