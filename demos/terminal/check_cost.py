#!/usr/bin/env python3
"""What comparing every collective across ranks costs of a training step (a benchmark, not a test).

The ZeRO lesson's default scenario with check=on and check=off, in turns; check=on also looks for NaN in each
rank's gradients and for cycles of waits. Prints, for each stage, the median step of either and the median and middle
half of the ratios of neighbours.

    demos/terminal/check_cost.py [--pairs 7] [--ranks 8] [--program build/release/bin/ringside] [name=value ...]
"""
import argparse
import json
import statistics
import subprocess
import sys

STAGES = range(4)


def steps_ms(program, check, words):
    command = [program, "run", "zero", f"check={check}", "proof=off", *words, "--json", "--quiet"]
    result = subprocess.run(command, stdout=subprocess.PIPE, timeout=600, check=True)
    outcome = json.loads(result.stdout)["outcome"]
    return [outcome[f"stage_{stage}_step_ms"] for stage in STAGES]


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
        with_check, without = [run[stage] for run in on], [run[stage] for run in off]
        ratios = sorted(a / b for a, b in zip(with_check, without))
        quarter = len(ratios) // 4
        print(f"stage {stage}: {statistics.median(with_check):.1f} ms with the check, "
              f"{statistics.median(without):.1f} ms without: {100 * (statistics.median(ratios) - 1):+.1f} % "
              f"(middle half {100 * (ratios[quarter] - 1):+.1f} to {100 * (ratios[-1 - quarter] - 1):+.1f} %)")


if __name__ == "__main__":
    main()
