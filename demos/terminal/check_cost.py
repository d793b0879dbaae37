#!/usr/bin/env python3
"""What comparing every collective across ranks costs of a training step (a benchmark, not a test).

The ZeRO lesson's default scenario with check=on and check=off, in turns; check=on also looks for NaN in each
rank's gradients and for cycles of waits. Prints, for each stage, the median step of either and the median and middle
half of the ratios of neighbours; and the same of the CPU time, which a busy machine disturbs less.

    demos/terminal/check_cost.py [--pairs 7] [--ranks 8] [--program build/release/bin/ringside] [name=value ...]
"""
import argparse
import json
import resource
import statistics
import subprocess
import sys

STAGES = range(4)


def steps_ms(program, check, words):
    command = [program, "run", "zero", f"check={check}", "proof=off", *words, "--json", "--quiet"]
    before = cpu_seconds()
    result = subprocess.run(command, stdout=subprocess.PIPE, timeout=600, check=True)
    outcome = json.loads(result.stdout)["outcome"]
    return [outcome[f"stage_{stage}_step_ms"] for stage in STAGES] + [cpu_seconds() - before]


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def told(name, unit, on, off):
    ratios = sorted(a / b for a, b in zip(on, off))
    quarter = len(ratios) // 4
    return (f"{name}: {statistics.median(on):.1f} {unit} with the check, {statistics.median(off):.1f} {unit} without: "
            f"{100 * (statistics.median(ratios) - 1):+.1f} % (middle half {100 * (ratios[quarter] - 1):+.1f} to "
            f"{100 * (ratios[-1 - quarter] - 1):+.1f} %)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--program", default="build/release/bin/ringside")
    parser.add_argument("words", nargs="*", help="more of the scenario, as name=value")
    options = parser.parse_args()
    words = [f"ranks={options.ranks}", *options.words]
    on, off = [], []
    for pair in range(options.pairs):
        for check in ("on", "off") if pair % 2 == 0 else ("off", "on"):
            (on if check == "on" else off).append(steps_ms(options.program, check, words))
        print(f"pair {pair + 1} of {options.pairs}", file=sys.stderr)
    for stage in STAGES:
        print(told(f"stage {stage}, a step", "ms", [run[stage] for run in on], [run[stage] for run in off]))
    print(told("CPU time of a whole run", "s", [run[-1] for run in on], [run[-1] for run in off]))


if __name__ == "__main__":
    main()
