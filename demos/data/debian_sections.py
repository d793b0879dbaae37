#!/usr/bin/env python3
"""Debian's own package descriptions as a task: which of the 20 largest sections has a package?

  debian_sections.py FOLDER [TEXTS]    writes FOLDER/train.csv and test.csv, TEXTS of each section, 400

The texts are what `apt-cache dumpavail` says here; which ones are taken depends on nothing but them.
"""
import csv
import hashlib
import os
import subprocess
import sys

SECTIONS, HELD_OUT = 20, 5  # every fifth text is held out


def packages():
    """Section and short description of each package that apt knows."""
    listed = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, check=True, text=True).stdout
    for block in listed.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line[:1].strip() and ": " in line)
        text = fields.get("Description") or fields.get("Description-en")
        if text and "Section" in fields:
            yield fields["Section"], text


def main():
    folder, texts = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 400
    sections, seen = {}, set()
    for section, text in packages():
        if text not in seen:
            sections.setdefault(section, []).append(text)
        seen.add(text)
    largest = sorted(sections, key=lambda section: (-len(sections[section]), section))[:SECTIONS]
    parts = {"train": [], "test": []}
    for section in sorted(largest):
        drawn = sorted(sections[section], key=lambda text: hashlib.sha256(text.encode()).digest())[:texts]
        for i, text in enumerate(drawn):
            parts["test" if i % HELD_OUT == 0 else "train"].append((text, section))
    os.makedirs(folder, exist_ok=True)
    for name, rows in parts.items():
        with open(os.path.join(folder, name + ".csv"), "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("text", "label"), *rows])
        print(f"{folder}/{name}.csv: {len(rows)} texts of {len(largest)} sections")


if __name__ == "__main__":
    main()
