"""The room for a minute (or --minutes M) of runs started, stopped, pinned and forgotten: what it holds must not grow.

The same cycle of acts, over and over, without a window. At the end of each cycle nothing runs; there memory, threads
and open files are counted. The first quarter of the time is left out: fonts, OpenBLAS's buffers and the allocator's
arenas are had once. Of the rest a line is fitted through the resident size, and its rise over that time must stay
below 5 % or 30 MiB, whichever is more: a trace kept by mistake in each cycle would be 10 MiB and more each time.
Threads and open files must come back to the same number.

glibc gives each rank's thread an arena of its own, 8 for each core, and holes in them come on top of what is in use:
for about two minutes they fill (on two cores to some 130 MiB) and then swing by 10 MiB. So that a minute says
something, the test allows 4 arenas; people have as many as glibc likes, as fewer would slow the training down.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

RINGSIDE = os.environ.get("RINGSIDE", str(pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/ringside"))
SMALL = "data=synthetic steps=3 hidden=32 layers=2 batch=8 tokens=16 proof=off"
WARM_UP = 1 / 4  # of the time
LEAST_CYCLES = 4
GROWTH_PART, GROWTH_MIB = 0.05, 30

# Every run of the cycle but one is stopped at some step, as a learner does who moves a slider.
CYCLE = f"""
scenario zero {SMALL}
wait /run/ended == true 60
pin
set ranks 2
sleep 0.15
set ranks 8
sleep 0.2
stop
set ranks 4
set stage 2
sleep 0.2
pin
run
wait /run/ended == true 60
watch stage 2
playhead 0.5
stride event 3
play 0.01
frames 5
live
theme light
font 1.25
frames 3
theme dark
font 1
select zero
sleep 0.4
picture traffic
picture ring
picture blocks
step say
step guess
predict state_stage_2 2P+14P/N
step reveal
frames 3
stop
wait /run/busy == false 60
open TRACE
wait /run/file == true 60
wait /run/busy == false 60
frames 5
step watch
sleep 0.5
dump QUIET
sleep 0.5
"""


def held(pid):
    """(resident MiB, threads, open files)"""
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    return (int(status["VmRSS"].split()[0]) / 1024, len(os.listdir(f"/proc/{pid}/task")),
            len(os.listdir(f"/proc/{pid}/fd")))


def slope(points):
    """Of the line that fits (x, y) best."""
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread


def soak(folder, seconds):
    """What is held at the end of each cycle, as (seconds, MiB, threads, files); and how the room ended."""
    trace, quiet, script = folder / "run.jsonl", folder / "quiet.json", folder / "soak.script"
    subprocess.run([RINGSIDE, "run", "zero", *SMALL.split(), "--quiet", "--trace", trace], check=True,
                   stdout=subprocess.DEVNULL, timeout=120)
    cycle = CYCLE.replace("TRACE", str(trace)).replace("QUIET", str(quiet))
    script.write_text("motion off\n" + cycle * (int(seconds / 3) + 1))  # a cycle takes longer than 3 s
    words = ["gui", "zero", *SMALL.split(), "--renderer", "null", "--data-folder", str(folder),
             "--seconds", str(seconds), "--script", str(script)]
    began, samples = time.monotonic(), []
    environment = {"MALLOC_ARENA_MAX": "4", **os.environ}
    with subprocess.Popen([RINGSIDE, *words], stderr=subprocess.PIPE, text=True, env=environment) as room:
        while room.poll() is None and time.monotonic() < began + seconds + 60:
            if quiet.exists():
                time.sleep(0.2)  # until it is closed
                samples.append((time.monotonic() - began, *held(room.pid)))
                quiet.unlink()
            time.sleep(0.05)
        room.kill()  # where it has not ended by itself
        return samples, room.wait(), room.stderr.read()


def main():
    options = argparse.ArgumentParser(description="Starts and stops runs in the study room and watches what it holds.")
    options.add_argument("--minutes", type=float, default=1)
    options.add_argument("--samples", action="store_true", help="print what each cycle held")
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        samples, code, said = soak(pathlib.Path(folder), options.minutes * 60)
    warm = [sample for sample in samples if sample[0] >= WARM_UP * options.minutes * 60]
    if options.samples:
        for seconds, size, threads, files in samples:
            print(f"{seconds:7.1f} s  {size:7.1f} MiB  {threads} threads  {files} files")
    if code != 0 or len(warm) < LEAST_CYCLES:
        print(f"the room ended with {code} after {len(samples)} cycles: {said}")
        return 1
    over = warm[-1][0] - warm[0][0]
    size = sum(sample[1] for sample in warm) / len(warm)
    growth = slope([(seconds, mib) for seconds, mib, _, _ in warm]) * over
    bound = max(GROWTH_PART * size, GROWTH_MIB)
    threads, files = {sample[2] for sample in warm}, {sample[3] for sample in warm}
    print(f"{len(warm)} cycles in {over:.0f} s: {size:.0f} MiB, rising by {growth:+.1f} MiB (at most {bound:.0f}); "
          f"threads {sorted(threads)}, files {sorted(files)}")
    return 0 if growth < bound and len(threads) == 1 and len(files) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
