#!/usr/bin/env python3
"""peers.py BUILD [--json FILE] [--fused | --packed] [--fsdp-python PYTHON] ...: our steps beside PyTorch's, in turns.

BUILD is a build folder with bin/peer_ranks (cmake --build BUILD --target peer_ranks). One classifier, batch, seed and
starting weights, fp32, one thread a rank, loopback: stage 0 beside DistributedDataParallel, stage 1 beside DDP with
ZeroRedundancyOptimizer, both over Gloo in this Python's torch; with --fsdp-python stage 3 beside FSDP in that one's.

time     a step of rank 0, from its batch to the updated parameters: medians; ours / theirs is the median of the rounds'
         ratios, and the interval that holds it with 95 % or more
CPU      time of all threads of rank 0 in a step, ms
memory   of rank 0: its highest resident size, less what it had before it made the model
sent     bytes a step that rank 0 sent: ours as counted at its sockets, Gloo's as its TCP sockets count them
loss     the largest difference between the two curves
"""
import argparse
import json
import math
import os
import socket
import statistics
import subprocess
import sys
import tempfile

MODELS = ((64, 2), (128, 4), (256, 8))  # hidden, layers
PAIRS = (("0", "ddp"), ("1", "zero"), ("3", "fsdp"))
WARM_UP = 2
HERE = os.path.dirname(os.path.abspath(__file__))


class Side:
    """Ranks of one training. step() takes one and says rank 0's milliseconds, and those of CPU time; end() says what came of it."""

    def __init__(self, commands):
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        self.ranks = [subprocess.Popen(command, env={**os.environ, **threads, **who}, text=True,
                                       stdin=subprocess.PIPE if first else subprocess.DEVNULL,
                                       stdout=subprocess.PIPE if first else subprocess.DEVNULL)
                      for first, (command, who) in zip([True] + [False] * len(commands), commands)]

    def line(self):
        line = self.ranks[0].stdout.readline()
        if not line:
            sys.exit(f"{self.ranks[0].args}: ended")
        return json.loads(line)

    def step(self):
        self.ranks[0].stdin.write("step\n")
        self.ranks[0].stdin.flush()
        return self.line()

    def end(self):
        said = self.line()
        for rank in self.ranks:
            if rank.wait() != 0:
                sys.exit(f"{rank.args}: ended with exit code {rank.returncode}")
        return said

    def stop(self):
        for rank in self.ranks:
            rank.kill()
            rank.wait()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def own_side(program, words, ranks):
    return Side([([program, *words, "--processes", str(ranks)], {})])


def peer_side(python, way, folder, ranks):
    where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port(), "WORLD_SIZE": str(ranks), "GLOO_SOCKET_IFNAME": "lo"}
    return Side([([python, HERE + "/rank.py", way, folder], {**where, "RANK": str(rank)}) for rank in range(ranks)])


def interval(ratios):
    """As base/ratio.h: the median, and the order statistics that hold it with 95 %, or the whole range."""
    ratios, n = sorted(ratios), len(ratios)
    k = max([1] + [k for k in range(1, n // 2 + 1) if 1 - 2 * sum(math.comb(n, j) for j in range(k)) / 2**n >= 0.95])
    return [statistics.median(ratios), ratios[k - 1], ratios[n - k]]


def compare(args, pairs, words, ranks, folder):
    program = args.build + "/bin/peer_ranks"
    sides = []
    try:
        for stage, way in pairs:
            sides.append(own_side(program, words + ["stage=" + stage], ranks))
            sides.append(peer_side(args.fsdp_python if way == "fsdp" else sys.executable, way, folder, ranks))
        ms = [[] for _ in sides]
        for step in range(WARM_UP + args.rounds):
            order = list(zip(sides, ms))
            for side, times in order if step % 2 == 0 else reversed(order):
                times.append(side.step())
        ends = [side.end() for side in sides]
    finally:
        for side in sides:
            side.stop()
    cpu = [statistics.median(one for _, one in times[WARM_UP:]) for times in ms]
    ms = [[one for one, _ in times[WARM_UP:]] for times in ms]
    for i, (stage, way) in enumerate(pairs):
        own, peer = ms[2 * i], ms[2 * i + 1]
        a, b = ends[2 * i], ends[2 * i + 1]
        yield {"stage": int(stage), "peer": way, "torch": b["torch"], "ours_ms": statistics.median(own),
               "peer_ms": statistics.median(peer), "ours_cpu_ms": cpu[2 * i], "peer_cpu_ms": cpu[2 * i + 1],
               "ratio": interval([x / y for x, y in zip(own, peer)]),
               "ours_memory": a["memory"], "peer_memory": b["memory"], "ours_sent": a["sent"], "peer_sent": b["sent"],
               "ours_loss": a["loss"], "peer_loss": b["loss"], "ours_round_ms": own, "peer_round_ms": peer,
               "loss_apart": max(abs(x - y) for x, y in zip(a["loss"], b["loss"]))}


def print_row(row):
    ratio, low, high = row["ratio"]
    mb = 1 << 20
    print(f"{row['parameters'] / 1e6:5.2f} M  {row['ranks']}  stage {row['stage']} / {row['peer']:<5}"
          f"{row['ours_ms']:8.1f} {row['peer_ms']:8.1f} ms  {ratio:.2f} [{low:.2f}, {high:.2f}]"
          f"{row['ours_cpu_ms']:8.1f} {row['peer_cpu_ms']:6.1f}{row['ours_memory'] / mb:7.0f} {row['peer_memory'] / mb:5.0f} MB"
          f"{row['ours_sent'] / mb:7.2f} {row['peer_sent'] / mb:6.2f} MB  {row['loss_apart']:.0e}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--json")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--models", default=",".join(f"{h}x{l}" for h, l in MODELS), help="hidden x layers")
    parser.add_argument("--fsdp-python", help="a Python whose torch has FSDP for CPUs")
    parser.add_argument("--fused", action="store_true", help="norms, attention and SwiGLU as one node each (ClassifierConfig::fused), which lessons leave off")
    parser.add_argument("--data", default="self", choices=("self", "synthetic"), help="self: texts of which few are shorter than 48 tokens; synthetic: 24 to 48 tokens")
    parser.add_argument("--packed", action="store_true", help="--fused, and our side leaves out what the head does not read (ClassifierConfig::packed): padding, and in the last layer all but the last tokens; PyTorch's side computes it")
    parser.add_argument("--only", help="0 / 1 / 3: one stage alone")
    args = parser.parse_args()
    pairs = [pair for pair in PAIRS if (pair[1] != "fsdp" or args.fsdp_python) and args.only in (None, pair[0])]
    rows = []
    print("  model  ranks             ours   theirs      ours / theirs       CPU, ms        memory           sent a step    loss apart")
    for model in args.models.split(","):
        hidden, layers = model.split("x")
        words = [f"hidden={hidden}", f"layers={layers}", f"steps={WARM_UP + args.rounds}", f"fused={int(args.fused or args.packed)}", f"packed={int(args.packed)}", "data=" + args.data]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([args.build + "/bin/peer_ranks", *words, "export=" + folder], check=True)
            parameters = os.path.getsize(folder + "/weights.f32") // 4
            for ranks in map(int, args.ranks.split(",")):
                for row in compare(args, pairs, words, ranks, folder):
                    rows.append({"parameters": parameters, "ranks": ranks, **row})
                    print_row(rows[-1])
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=1)


main()
