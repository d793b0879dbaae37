"""The situations of situations.h as files, and what the report says of them."""
import json
import os
import pathlib
import subprocess

WRITE_DUMPS = os.environ["RINGSIDE_WRITE_DUMPS"]


def write_dumps(folder):
    subprocess.run([WRITE_DUMPS, folder], check=True, timeout=60)
    return {path.name: path for path in sorted(pathlib.Path(folder).iterdir()) if path.is_dir()}


def report_of(situation):
    return json.loads(situation.with_name(situation.name + ".report.json").read_text())


def json_dumps(situation):
    return [json.loads(path.read_text()) for path in sorted(situation.glob("flight_*.json"))]
