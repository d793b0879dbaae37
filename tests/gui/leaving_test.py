"""Every way out of the study room with a real lesson in it, and every bad start: what is said, with which exit code,
and what is on the disk afterwards. (program_test.py tries the program with a room that does nothing.)"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import unittest

from support import CHECK_FAILED, DEADLINE, Display, FOR_EVER, INTERRUPTED, MISSING, Program, RINGSIDE, SMALL
from support import USAGE, XVFB, until

CLOSE_WINDOW = pathlib.Path(__file__).resolve().parent / "close_window.py"
LONG = ["data=synthetic", "steps=100000", "hidden=32", "layers=2", "batch=8", "tokens=16", "proof=off", "stage=2"]
GUESS = 'predict copies_stage_0 25\nwait /run/done > 3 120\ndump "HERE/in the middle"\n'


class Lesson(Program):
    def progress(self):
        return json.loads((self.folder / "data/progress.json").read_text())

    def assert_kept(self):
        """The last guess is on the disk, and nothing half written beside it."""
        self.assertEqual([(one["prediction"], one["value"]) for one in self.progress()["attempts"]],
                         [("copies_stage_0", 25)])
        self.assertEqual({path.name for path in (self.folder / "data").iterdir()} - {"progress.json.lock"},
                         {"progress.json"})

    def in_the_middle(self, *words, then=f"sleep {FOR_EVER}", **changes):
        """A room that has guessed, with a run under way."""
        file = self.folder / "a script"
        file.write_text((GUESS + then).replace("HERE", str(self.folder)))
        process = self.start("zero", *LONG, "--script", str(file), "--data-folder", str(self.folder / "data"),
                             *self.renderer, *words, **changes)
        there = self.folder / "in the middle"
        until(lambda: there.exists() or process.poll() is not None)
        if not there.exists():
            self.fail(self.finish(process))
        return process

    def assert_leaves(self, process, code):
        done = self.finish(process)
        self.assertEqual(done[0], code, done)
        self.assert_kept()
        return done[2]


class InTheMiddleOfARun(Lesson):
    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = self.in_the_middle()
            process.send_signal(number)
            self.assertEqual(self.assert_leaves(process, INTERRUPTED), "")
            for name in ("data/progress.json", "in the middle"):
                (self.folder / name).unlink()

    def test_killed(self):
        process = self.in_the_middle()
        until((self.folder / "data/progress.json").exists)
        process.kill()
        self.assert_leaves(process, -signal.SIGKILL)

    def test_the_key(self):
        self.assertEqual(self.assert_leaves(self.in_the_middle(then=f"key Ctrl+Q\nsleep {FOR_EVER}"), 0), "")

    def test_the_end_of_a_script(self):
        self.assertEqual(self.assert_leaves(self.in_the_middle(then=f"quit\nsleep {FOR_EVER}"), 0), "")

    def test_a_failed_expectation(self):
        process = self.in_the_middle(then="expect /step == Reveal")
        self.assertIn("a script:4: expect /step == Reveal: it is", self.assert_leaves(process, CHECK_FAILED))


class BadStarts(Lesson):
    def test_traces(self):
        good = self.folder / "good.jsonl"
        subprocess.run([RINGSIDE, "run", "zero", *SMALL, "proof=off", "stage=1", "--quiet", "--trace", good],
                       check=True, stdout=subprocess.DEVNULL, timeout=DEADLINE)
        whole = good.read_bytes()
        lines = whole.splitlines(keepends=True)
        middle = len(lines) // 2
        cases = {
            "empty.jsonl": b"",
            "text.jsonl": b"This is no trace.\n",
            "foreign.jsonl": b'{"traceEvents": []}\n{"a": 1}\n',
            "picture.jsonl": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40,
            "damaged.jsonl": b"".join(lines[:middle] + [b'{"kind": \x00\xff\n'] + lines[middle + 1:]),
            "future.jsonl": re.sub(rb":\d+", b":99", lines[0], count=1) + b"".join(lines[1:]),
        }
        (self.folder / "cut.jsonl").write_bytes(whole[:len(whole) // 2])
        # One room opens them one after the other, and has a message for each.
        script = 'wait /run/busy == false 120\nframes 3\nexpect /run/file == true\ndump "HERE/good"\n'
        for name, content in cases.items():
            (self.folder / name).write_bytes(content)
            script += f'open HERE/{name}\nwait /messages/0 contains {name} 120\ndump "HERE/{name}.said"\nkey Escape\n'
        # What is whole of a cut one is shown.
        script += "open HERE/cut.jsonl\nwait /run/complete == false 120\nexpect /messages == []\n"
        self.assertEqual(self.play(script, "--trace", str(good)), (0, "", ""))
        said = lambda name: json.loads((self.folder / name).read_text())["messages"]
        self.assertEqual(said("good"), [])
        for name in cases:
            self.assertEqual(len(said(name + ".said")), 1, name)

    def test_words(self):
        null = ["--renderer", "null", "--seconds", "0.1"]
        self.assert_fails(self.gui("nothing", *null), USAGE, "nothing", "zero")
        self.assert_fails(self.gui("zero", "ranks=9", *null), USAGE, "ranks", "1 to 8")


@unittest.skipUnless(XVFB, "no Xvfb")
class OnADisplay(Lesson):
    def setUp(self):
        super().setUp()
        self.display = Display()
        self.addCleanup(self.display.stop)
        self.renderer = []

    def test_the_display_is_killed(self):
        process = self.in_the_middle("--visible")
        self.display.server.kill()
        self.assertIn("display went away", self.assert_leaves(process, MISSING))

    def test_the_window_is_closed(self):
        process = self.in_the_middle("--visible")
        subprocess.run([sys.executable, "-B", CLOSE_WINDOW], env=self.environment(), check=True, timeout=DEADLINE)
        self.assertEqual(self.assert_leaves(process, 0), "")


if __name__ == "__main__":
    unittest.main()
