#!/usr/bin/env python3
"""What the study room costs while eight ranks train: a frame, the live panel in it, and the training that it watches.
A benchmark, no test: it says figures and judges none.

  demos/gui/cost.py [--pairs N] [--size WxH]

Frames are of the null renderer, which draws everything and shows nothing; their CPU time is told, so that other work on
the machine is not in it. For the slowdown one scenario is trained in a terminal and in the room, in turn, A B B A ...:
what else the machine does falls on both. Told are the median of the pairs' ratios of a median step, and the interval of at
least 95 % that base/ratio.h defines, which takes six pairs.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RINGSIDE = os.environ.get("RINGSIDE", str(ROOT / "build/release/bin/ringside"))
SCENARIO = ["zero", "stage=2", "ranks=8", "steps=40", "proof=off"]
DEADLINE = 900  # s


def in_terminal():
    done = subprocess.run([RINGSIDE, "run", *SCENARIO, "--json"], check=True, capture_output=True, timeout=DEADLINE)
    return json.loads(done.stdout)["outcome"]["step_ms"]


def in_room(folder, size):
    """The median step, and what the frames cost while it trained."""
    script, state = pathlib.Path(folder) / "script", pathlib.Path(folder) / "state.json"
    script.write_text(f"step watch\nwait /run/ended == true {DEADLINE}\ndump {state}\n")
    done = subprocess.run([RINGSIDE, "gui", *SCENARIO, "--script", str(script), "--renderer", "null", "--size", size,
                           "--frame-times"], check=True, capture_output=True, text=True, timeout=DEADLINE)
    return json.loads(state.read_text())["outcome"]["step_ms"], done.stdout


def interval(ratios):
    """The narrowest order statistics between which the median lies with at least 95 %, and that probability."""
    ratios, n = sorted(ratios), len(ratios)
    outside = lambda k: 2 * sum(math.comb(n, i) for i in range(k)) / 2 ** n
    k = max([1] + [k for k in range(1, n // 2 + 1) if outside(k) <= 0.05])
    return ratios[k - 1], ratios[n - k], 1 - outside(k)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--size", default="1280x800")
    options = parser.parse_args()
    print(f"{' '.join(SCENARIO)}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for pair in range(options.pairs):
            first = in_terminal() if pair % 2 == 0 else None
            room, frames = in_room(folder, options.size)
            terminal = first or in_terminal()
            ratios.append(room / terminal)
            print(frames + f"  pair {pair + 1}: terminal {terminal:.2f} ms, room {room:.2f} ms, {ratios[-1]:.3f}, "
                  f"load {os.getloadavg()[0]:.1f}", flush=True)
    low, high, confidence = interval(ratios)
    print(f"a training step in the room takes {statistics.median(ratios):.3f} times as long "
          f"[{low:.3f}, {high:.3f}] ({100 * confidence:.0f} %, {options.pairs} pairs)")


if __name__ == "__main__":
    main()
