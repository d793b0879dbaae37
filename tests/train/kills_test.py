#!/usr/bin/env python3
"""Ranks of a training that are killed at random moments: started anew, it ends with the bits of one that was not.

kills_test.py START_RANKS RESTARTED_RANK [--kills 3] [--steps 60] [--every 10] [--seed 0] [--most 0.8]

Runs follow one another until so many ranks were killed: each is four processes under `start_ranks --restarts`,
of which a random one gets a SIGKILL at a random moment, again and again; every second run saves beside its steps.
By hand: --kills 100 --steps 1000.
"""
import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

RANKS, MOST_RESTARTS, DEADLINE = 4, 400, 900


def children_of(parent):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                if int(file.read().rsplit(")", 1)[1].split()[1]) == parent:
                    found.append(int(pid))
        except OSError:
            continue
    return found


def newest(folder):
    steps = [int(name[5:]) for name in os.listdir(folder) if name.startswith("step-")] if os.path.isdir(folder) else []
    return max(steps, default=0)


def wait_for_a_moment(started, folder, chance, most):
    """One of four kills is at any moment, joining and loading among them; the others are behind a new checkpoint."""
    before = newest(folder)
    if chance.random() < 0.25:
        time.sleep(chance.uniform(0, most))
        return
    while started.poll() is None and newest(folder) == before:
        time.sleep(0.002)
    time.sleep(chance.uniform(0, 0.3))


def run(options, folder, kills, chance, beside):
    """The hash, how many were killed, and with which step the last start began."""
    command = [options.start_ranks, "--restarts", str(MOST_RESTARTS), str(RANKS), options.rank, folder,
               str(options.steps), str(options.every)] + (["beside"] if beside else [])
    killed = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as started:
        over = threading.Timer(DEADLINE, started.kill)
        over.start()
        while started.poll() is None and killed < kills:
            wait_for_a_moment(started, folder, chance, options.most)
            ranks = children_of(started.pid)
            if len(ranks) == RANKS and started.poll() is None:
                try:
                    os.kill(chance.choice(ranks), signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:  # it has just ended
                    pass
        said = started.communicate()[0]
        over.cancel()
    found = re.search(r"from (\d+) hash ([0-9a-f]{64})", said)
    if started.returncode != 0 or not found:
        sys.exit(f"it ended with {started.returncode}, after {killed} kills: {said}")
    print(f"{killed} ranks killed, the last start began with step {found[1]}: {found[2][:16]}"
          + (", saved beside the steps" if beside else ""), flush=True)
    return found[2], killed, int(found[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("start_ranks")
    parser.add_argument("rank")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=float, default=0.8, help="seconds, of a kill at any moment")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as temp:
        # As threads of one process, which nobody kills.
        said = subprocess.run([options.rank, os.path.join(temp, "whole"), str(options.steps), str(options.every)],
                              check=True, capture_output=True, text=True, timeout=DEADLINE).stdout
        whole = said.split()[-1]
        left, runs, resumed = options.kills, 0, 0
        while left > 0:
            runs += 1
            hash_, killed, began = run(options, os.path.join(temp, str(runs)), left, chance, runs % 2 == 0)
            if hash_ != whole:
                sys.exit(f"run {runs}: {hash_[:16]}, and undisturbed {whole[:16]}")
            left -= killed
            resumed = max(resumed, began)
            if runs > 10 * options.kills:
                sys.exit("the runs end before anybody is killed")
    if resumed == 0:
        sys.exit("no start went on from a checkpoint")
    print(f"{options.kills} kills in {runs} runs: the hash of the undisturbed one, each time")


if __name__ == "__main__":
    main()
