"""The room through a fixed number of cycles (--cycles N) of runs started, stopped, pinned and forgotten: what it holds
must not grow.

The same acts in each cycle, without a window. At its end nothing runs, and the room waits until memory, threads and
open files are counted. The first quarter of the cycles is left out: fonts, OpenBLAS's buffers and the allocator's
arenas are had once. Of the rest a line is fitted through the resident size, and its rise over them must stay below
5 % or 30 MiB, whichever is more: a trace kept by mistake in each cycle would be 10 MiB and more each time. Threads and
open files must come back to the same number. A slow machine takes longer; only a cycle that does not end is a failure.
What grows must grow again in a second soak: of a few cycles the line swings by 30 MiB where the arenas fill late.

glibc gives each rank's thread an arena of its own, 8 for each core, and holes in them come on top of what is in use:
for about two minutes they fill (on two cores to some 130 MiB) and then swing by 10 MiB. So that a few cycles say
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
WARM_UP = 1 / 4  # of the cycles
STALL = 300  # seconds without the end of a cycle
GROWTH_PART, GROWTH_MIB = 0.05, 30

# Every run of the cycle but one is stopped at some step, as a learner does who moves a slider.
CYCLE = f"""
scenario zero {SMALL}
wait /run/ended == true 120
pin
set ranks 2
wait /run/done >= 1 120
set ranks 8
wait /run/done >= 1 120
stop
set ranks 4
set stage 2
wait /run/done >= 1 120
pin
run
wait /run/ended == true 120
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
wait /run/done >= 1 120
picture traffic
picture ring
picture blocks
step say
step guess
predict state_stage_2 2P+14P/N
step reveal
frames 3
stop
wait /run/busy == false 120
open TRACE
wait /run/file == true 120
wait /run/busy == false 120
frames 5
step watch
frames 10
dump "QUIET"
dump "COUNTED"
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


def read(pipe, room):
    """What the room writes into a named pipe, where it waits for its reader; b"" where it ends or stalls instead."""
    said, end = b"", time.monotonic() + STALL
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    while time.monotonic() < end and room.poll() is None:
        try:
            chunk = os.read(reader, 65536)
        except BlockingIOError:  # it is writing
            continue
        if said and not chunk:
            break
        said += chunk
        time.sleep(0 if chunk else 0.02)
    os.close(reader)
    return said


def soak(folder, cycles):
    """What is held at the end of each cycle, as (seconds, MiB, threads, files); and how the room ended."""
    trace, quiet, counted, script = (folder / name for name in ("run.jsonl", "quiet", "counted", "soak.script"))
    subprocess.run([RINGSIDE, "run", "zero", *SMALL.split(), "--quiet", "--trace", trace], check=True,
                   stdout=subprocess.DEVNULL, timeout=STALL)
    cycle = CYCLE.replace("TRACE", str(trace)).replace("QUIET", str(quiet)).replace("COUNTED", str(counted))
    script.write_text("motion off\n" + cycle * cycles)
    for pipe in (quiet, counted):
        os.mkfifo(pipe)
    words = ["gui", "zero", *SMALL.split(), "--renderer", "null", "--data-folder", str(folder), "--script", str(script)]
    began, samples = time.monotonic(), []
    environment = {"MALLOC_ARENA_MAX": "4", **os.environ}
    with subprocess.Popen([RINGSIDE, *words], stderr=subprocess.PIPE, text=True, env=environment) as room:
        while len(samples) < cycles and read(quiet, room):
            samples.append((time.monotonic() - began, *held(room.pid)))
            read(counted, room)
        try:
            room.wait(STALL if len(samples) == cycles else 1)
        except subprocess.TimeoutExpired:
            room.kill()
        return samples, room.wait(), room.stderr.read()


def grows(options):
    """Of one soak: whether what is held grows."""
    with tempfile.TemporaryDirectory() as folder:
        samples, code, said = soak(pathlib.Path(folder), options.cycles)
    if options.samples:
        for seconds, size, threads, files in samples:
            print(f"{seconds:7.1f} s  {size:7.1f} MiB  {threads} threads  {files} files")
    if code != 0 or len(samples) < options.cycles:
        sys.exit(f"the room ended with {code} after {len(samples)} of {options.cycles} cycles: {said}")
    warm = samples[int(WARM_UP * options.cycles):]
    size = sum(sample[1] for sample in warm) / len(warm)
    growth = slope([(cycle, sample[1]) for cycle, sample in enumerate(warm)]) * (len(warm) - 1)
    bound = max(GROWTH_PART * size, GROWTH_MIB)
    threads, files = {sample[2] for sample in warm}, {sample[3] for sample in warm}
    print(f"{len(warm)} cycles in {warm[-1][0] - warm[0][0]:.0f} s: {size:.0f} MiB, rising by {growth:+.1f} MiB "
          f"(at most {bound:.0f}); threads {sorted(threads)}, files {sorted(files)}")
    return growth >= bound or len(threads) != 1 or len(files) != 1


def main():
    options = argparse.ArgumentParser(description="Starts and stops runs in the study room and watches what it holds.")
    options.add_argument("--cycles", type=int, default=6, help="at least 4")
    options.add_argument("--samples", action="store_true", help="print what each cycle held")
    options = options.parse_args()
    return 1 if grows(options) and grows(options) else 0


if __name__ == "__main__":
    sys.exit(main())
