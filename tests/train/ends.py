#!/usr/bin/env python3
"""How long the others take after a kill -9 until they have their error, and until it has the report of all flight
recorders: each rank is killed at each moment, so many times. By hand.

ends.py BUILD [--times 20] [--ranks 4] [--transport gloo] [--moments end ...]
"""
import argparse
import os
import re
import statistics
import subprocess

MOMENTS = ("start", "forward", "collective", "evaluation", "end")


def ends(options, moment, killed):
    """Milliseconds from the kill: (lost, ended) of each other rank."""
    binaries = os.path.join(options.build, "bin")
    environment = dict(os.environ, RINGSIDE_KILL_AT=moment, RINGSIDE_KILL_RANK=str(killed))
    if options.transport:
        environment["RINGSIDE_TRANSPORT"] = options.transport
    done = subprocess.run([f"{binaries}/start_ranks", "--seconds", "60", "--killed", str(killed), str(options.ranks),
                           f"{binaries}/train_test", "[.killed]"], env=environment, capture_output=True, text=True, timeout=90)
    if done.returncode != 0:
        raise SystemExit(f"{moment}, rank {killed}: {done.stdout}{done.stderr}")
    began = int(re.search(r"killed at (\d+) us", done.stdout)[1])
    lost, ended = ([(int(at) - began) / 1000 for at in re.findall(rf"{what} at (\d+) us", done.stdout)]
                   for what in ("lost", "ended"))
    if not len(lost) == len(ended) == options.ranks - 1:
        raise SystemExit(f"{moment}, rank {killed}: not all of {options.ranks - 1} ended: {done.stdout}")
    return list(zip(lost, ended))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--transport", help="gloo; else sockets")
    parser.add_argument("--moments", nargs="+", choices=MOMENTS)
    options = parser.parse_args()
    print("ms to the error and to its report: median and last of each")
    for moment in options.moments or MOMENTS:
        took = [pair for _ in range(options.times) for killed in range(options.ranks) for pair in ends(options, moment, killed)]
        figures = [f"{figure(column):8.1f}" for column in zip(*took) for figure in (statistics.median, max)]
        print(f"{moment:12}{len(took):5} ends{''.join(figures)}", flush=True)


if __name__ == "__main__":
    main()
