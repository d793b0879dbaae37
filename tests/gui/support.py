"""The study room as a program, driven by scripts; a display of the tests' own; what is on its pictures."""
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import zlib

RINGSIDE = pathlib.Path(os.environ.get("RINGSIDE", "build/release/bin/ringside"))
DEADLINE = 1200  # seconds: a script ends by itself where something stalls
PATIENCE = 300  # for one thing to come
FOR_EVER = 900000  # longer than any deadline
USAGE, INPUT, CHECK_FAILED, MISSING, INTERRUPTED = 2, 3, 4, 9, 130
XVFB = shutil.which("Xvfb")
SKIPPED = 77  # as CTest is told

# Small enough for two busy cores, whole enough for every picture of the lesson.
SMALL = ["data=synthetic", "steps=3", "hidden=32", "layers=2", "batch=8", "tokens=16"]


def until(holds, seconds=PATIENCE):
    """Looks again and again; what it holds at last, or None."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := holds():
            return found
        time.sleep(0.02)
    return None


def has(pid, sets, number):
    """Is this signal in one of these sets of the process (SigCgt: it has a handler; ShdPnd: not delivered yet)?"""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    masks = [int(line.split()[1], 16) for line in status if line.startswith(sets)]
    return any(mask >> (number - 1) & 1 for mask in masks)


def unpack(path):
    """(width, height, rows as they are packed: the kind of filter, then RGBA) of a picture without interlacing."""
    data = pathlib.Path(path).read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    raw, row = zlib.decompress(packed), width * 4 + 1
    return width, height, [raw[y * row:(y + 1) * row] for y in range(height)]


def png(path):
    """(width, height, set of colours)"""
    width, height, packed = unpack(path)
    rows, before = [], bytes(width * 4)
    for kind, *values in packed:
        line = bytearray(values)
        unfilter(kind, line, before)
        rows.append(before := bytes(line))
    return width, height, {line[x:x + 4] for line in rows for x in range(0, width * 4, 4)}


def detail(path):
    """(width, height, how many different pixels the emptiest third of the picture's height has). Of the filtered
    rows, which is quick: of what is drawn in one colour there are two or three, of a line of text hundreds."""
    width, height, rows = unpack(path)
    pixels = [memoryview(row)[1:].cast("I") for row in rows]
    least = min(len(set().union(*pixels[third * height // 3:(third + 1) * height // 3])) for third in range(3))
    return width, height, least


def unfilter(kind, line, above):
    for i, value in enumerate(line):
        left, up, corner = (line[i - 4], above[i], above[i - 4]) if i >= 4 else (0, above[i], 0)
        guess = left + up - corner
        paeth = min((left, up, corner), key=lambda v: abs(guess - v))
        line[i] = (value + (0, left, up, (left + up) // 2, paeth)[kind]) & 255


class Display:
    """An X server of our own, on whichever number is free."""

    def __init__(self):
        read, write = os.pipe()
        self.server = subprocess.Popen([XVFB, "-displayfd", str(write), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
                                       pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            self.name = ":" + pipe.readline().strip()

    def stop(self):
        self.server.terminate()
        self.server.wait(DEADLINE)


class Program(unittest.TestCase):
    display = None
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.renderer = ["--renderer", "null"]

    def environment(self, **changes):
        values = dict(os.environ, HOME=str(self.folder), LIBGL_ALWAYS_SOFTWARE="1")
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "WAYLAND_DISPLAY", "DISPLAY"):
            values.pop(name, None)
        if self.display:
            values["DISPLAY"] = self.display.name
        values.update(changes)
        return {name: value for name, value in values.items() if value is not None}

    def start(self, *words, **changes):
        process = subprocess.Popen([RINGSIDE, "gui", *words], env=self.environment(**changes), text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        out, err = process.communicate(timeout=DEADLINE)
        return process.returncode, out, err

    def gui(self, *words, **changes):
        return self.finish(self.start(*words, **changes))

    def play(self, script, *words):
        file = self.folder / "a script"
        file.write_text(script.replace("HERE", str(self.folder)))
        return self.gui(*self.renderer, "--script", str(file), *words)

    def assert_fails(self, done, code, *parts):
        self.assertEqual(done[0], code, done)
        self.assertTrue(done[2].startswith("ringside: "), done)
        for part in parts:
            self.assertIn(part, done[2])
