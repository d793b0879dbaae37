"""What the numpy tests of lessons share: numpy, or exit code 77 (skipped); rows of a run's saved trace, a softmax, a
comparison."""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def rows_of_run(program, words):
    """By section and table: lists of values."""
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.jsonl")
        command = [program, "run", *words, "--quiet", "--trace", path]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=600)
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if '"type":"row"' in line.replace(" ", ""):
                    row = json.loads(line)
                    rows.setdefault((row["section"], row["table"]), []).append(row["values"])
    return rows


def softmax(scores, axis):
    powers = numpy.exp(scores - scores.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def near(what, mine, recorded, within):
    print(f"{what}: numpy {mine:.6g}, the run {recorded:.6g}")
    assert abs(mine - recorded) <= within, what
