#!/usr/bin/env python3
"""What the study room costs: the training that it watches, a frame, doing nothing, starting. A benchmark, no test.

  demos/gui/slowdown.py [--pairs N] [--only slowdown|frames|idle|start]

The slowdown compares the median step of one scenario in a terminal (ringside run) and in the room, whose renderer is
the null one: it draws everything and shows nothing. They run in turn, A B B A ..., so that what else the machine does
falls on both; told is the median of the pairs' ratios and the range of their middle half.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RINGSIDE = os.environ.get("RINGSIDE", str(ROOT / "build/release/bin/ringside"))
SCENARIO = ["zero", "stage=0", "ranks=8", "steps=60", "proof=off"]
SMALL = ["zero", "data=synthetic", "steps=3", "hidden=32", "layers=2", "batch=8", "tokens=16", "proof=off"]
DEADLINE = 600


def play(folder, script, words, renderer="null", *options):
    """stdout of the room after that script; in a real window where the renderer is opengl."""
    file = pathlib.Path(folder) / "script"
    file.write_text(script)
    command = [RINGSIDE, "gui", *words, "--script", str(file), "--renderer", renderer, *options]
    if renderer == "opengl" and "DISPLAY" not in os.environ:
        command = ["xvfb-run", "-a", "-s", "-screen 0 1600x1000x24", *command, "--visible"]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=DEADLINE).stdout


def in_terminal(_):
    done = subprocess.run([RINGSIDE, "run", *SCENARIO, "--json"], check=True, capture_output=True, timeout=DEADLINE)
    return json.loads(done.stdout)["outcome"]["step_ms"]


def in_room(folder):
    state = pathlib.Path(folder) / "state.json"
    play(folder, f"step watch\nwait item run {DEADLINE}\nwait /run/ended == true 10\ndump {state}\n", SCENARIO)
    return json.loads(state.read_text())["outcome"]["step_ms"]


def slowdown(folder, pairs):
    ratios = []
    for i in range(pairs):
        if i % 2 == 0:
            terminal, room = in_terminal(folder), in_room(folder)
        else:
            room, terminal = in_room(folder), in_terminal(folder)
        ratios.append(room / terminal)
        print(f"  pair {i + 1}: terminal {terminal:.2f} ms, room {room:.2f} ms, {ratios[-1]:.3f}", flush=True)
    low, _, high = statistics.quantiles(ratios, n=4)
    print(f"slowdown of a training step: {100 * (statistics.median(ratios) - 1):+.1f} % "
          f"(middle half {100 * (low - 1):+.1f} to {100 * (high - 1):+.1f}, {pairs} pairs)")


def frames(folder):
    """While a run goes on, and while its trace is played and every picture shown."""
    script = "step watch\nwait /run/sections >= 2 60\n" + "".join(
        f"picture {name}\nplayhead 0.1\nplay 0.02\nframes 150\n"
        for name in ("blocks", "traffic", "ring", "bits", "scale", "loss", "stages")) + "live\nwait /run/ended == true 120\n"
    for renderer in ("null", "opengl"):
        out = play(folder, script, ["zero", "steps=10", "proof=off"], renderer, "--frame-times", "--size", "1440x900")
        print(f"frames, {renderer}: {out.splitlines()[0]}")


def descendants(pid):
    """The program below xvfb-run, sh and the like."""
    below = [int(child) for task in os.listdir(f"/proc/{pid}/task")
             for child in pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text().split()]
    return [pid] + [each for child in below for each in descendants(child)]


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def idle(folder, seconds=20):
    """Without a script: one looks at the state before each frame, and so is never idle."""
    for renderer in ("null", "opengl"):
        command = [RINGSIDE, "gui", *SMALL, "--renderer", renderer, "--data-folder", folder, "--config-folder", folder]
        if renderer == "opengl" and "DISPLAY" not in os.environ:
            command = ["xvfb-run", "-a", "-s", "-screen 0 1600x1000x24", *command]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:
            time.sleep(12)  # the run is over
            room = next(pid for pid in descendants(process.pid)
                        if os.readlink(f"/proc/{pid}/exe").endswith("ringside-gui"))
            before = cpu_seconds(room)
            time.sleep(seconds)
            used = cpu_seconds(room) - before
            os.kill(room, 15)
        print(f"idle, {renderer}: {100 * used / seconds:.2f} % of a core over {seconds} s")


def start(folder):
    script = "step watch\nwait /playhead/time_ns > 0 60\nwait /playhead/section != \"\" 60\nquit\n"
    for renderer in ("null", "opengl"):
        times = []
        for _ in range(5):
            began = time.monotonic()
            play(folder, script, ["zero"], renderer)
            times.append(time.monotonic() - began)
        print(f"start to the first live figures and out again, {renderer}: {statistics.median(times):.2f} s "
              f"({min(times):.2f} to {max(times):.2f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--only", choices=["slowdown", "frames", "idle", "start"])
    options = parser.parse_args()
    if "DISPLAY" not in os.environ and not shutil.which("xvfb-run"):
        sys.exit("neither a display nor xvfb-run")
    jobs = {"start": start, "idle": idle, "frames": frames,
            "slowdown": lambda folder: slowdown(folder, max(2, options.pairs))}
    with tempfile.TemporaryDirectory() as folder:
        for name, job in jobs.items():
            if options.only in (None, name):
                job(folder)


if __name__ == "__main__":
    main()
