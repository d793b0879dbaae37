"""./run asks a question while it builds: in a tree of stand-ins, on a pseudo-terminal."""
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
DEADLINE = 60  # seconds

PROGRAM = """#!/usr/bin/env bash
if [[ $1 == ask ]]; then
  [[ ! -e {state}/old ]] || exit 2
  trap 'exit 130' INT
  printf 'QUESTION %s? ' "$3"
  read -r line
  echo "id $line" >"$2"
else
  printf 'RAN %s asked=%s.' "$*" "${{RINGSIDE_ASKED-nothing}}"
fi
"""
CMAKE = """#!/usr/bin/env bash
if [[ $1 == --preset ]]; then mkdir -p build/$2; touch build/$2/build.ninja; exit; fi
echo '[1/3] Building a'
sleep $(cat {state}/seconds)
[[ ! -e {state}/broken ]] || {{ printf 'FAILED: a.o\\na.cpp:1: error: no such thing\\n'; exit 1; }}
echo '[2/3] Building b'
echo '[3/3] Linking c'
"""


class Ask(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        shutil.copytree(SOURCE / "cmake", self.tree / "cmake", ignore=shutil.ignore_patterns("*.cmake", "*.cpp"))
        shutil.copy(SOURCE / "run", self.tree)
        (self.tree / "CMakePresets.json").write_text("{}")
        lesson = self.tree / "lessons/zero"
        lesson.mkdir(parents=True)
        (lesson / "lesson.md").write_text("---\nid: zero\ntitle: T\norder: 1\n---\n")
        self.program("build/release/bin/ringside", PROGRAM)
        self.program("bin/cmake", CMAKE)
        self.program("bin/dpkg-query", "#!/bin/sh\nfor name; do echo \"installed $name\"; done\n")
        self.builds_for(4)

    def program(self, path, text):
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.format(state=self.tree) if "{state}" in text else text)
        file.chmod(0o755)

    def builds_for(self, seconds):
        (self.tree / "seconds").write_text(str(seconds))

    def environment(self):
        return dict(os.environ, PATH=f"{self.tree}/bin:" + os.environ["PATH"])

    def start(self, *words):
        try:
            pid, self.master = pty.fork()
        except OSError as error:
            raise unittest.SkipTest(f"no pseudo-terminal here: {error}") from error
        if pid == 0:
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):  # as at a terminal: behind a shell's & or nohup they
                signal.signal(number, signal.SIG_DFL)                     # are ignored, and bash cannot trap them then
            os.execve(self.tree / "run", ["run", *words], self.environment())
        self.addCleanup(os.close, self.master)
        self.seen, self.pid = "", pid

    def take(self):
        if not select.select([self.master], [], [], 0.1)[0]:
            return True
        try:
            self.seen += os.read(self.master, 65536).decode()
            return True
        except OSError:  # the other end is closed
            return False

    def expect(self, text):
        end = time.monotonic() + DEADLINE
        while text not in self.seen:
            if time.monotonic() > end or not self.take():
                os.kill(self.pid, signal.SIGKILL)
                self.fail(f"{text!r} never came; this did: {self.seen!r}")

    def end(self):
        end = time.monotonic() + DEADLINE
        while self.take():
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def test_it_asks_while_it_builds_and_hands_the_answer_over(self):
        self.start("zero", "stage=3")
        self.expect("QUESTION zero?")
        before = len(self.seen)
        end = time.monotonic() + 3
        while time.monotonic() < end:
            self.take()
        self.assertEqual(self.seen[before:].strip(), "")  # whoever types is not disturbed
        os.write(self.master, b"50 %\r")
        self.expect("RAN run zero stage=3 asked=id 50 %.")
        self.assertEqual(self.end(), 0)
        self.assertEqual([path.name for path in (self.tree / "build").iterdir() if "." in path.name[1:]], [])

    def test_it_does_not_ask_where_a_build_is_short_or_nobody_sits_there(self):
        self.builds_for(0)
        self.start("zero")
        self.expect("RAN run zero asked=nothing.")
        self.assertEqual(self.end(), 0)
        self.assertNotIn("QUESTION", self.seen)
        self.builds_for(3)
        self.start("zero", "--json")
        self.expect("RAN run zero --json asked=nothing.")
        self.assertEqual(self.end(), 0)
        self.assertNotIn("QUESTION", self.seen)
        done = subprocess.run([self.tree / "run", "zero"], capture_output=True, text=True, timeout=DEADLINE,
                              stdin=subprocess.DEVNULL, env=self.environment())
        self.assertEqual((done.returncode, done.stdout), (0, "RAN run zero asked=nothing."))

    def test_a_program_from_before_asks_nothing(self):
        (self.tree / "old").touch()
        self.start("zero")
        self.expect("RAN run zero asked=nothing.")
        self.assertEqual(self.end(), 0)

    def test_a_build_that_fails_says_so_behind_the_answer(self):
        (self.tree / "broken").touch()
        self.builds_for(3)
        self.start("zero")
        self.expect("QUESTION zero?")
        time.sleep(2)
        self.take()
        self.assertNotIn("error", self.seen)
        os.write(self.master, b"50\r")
        self.expect("no such thing")
        self.assertEqual(self.end(), 1)
        self.assertNotIn("RAN", self.seen)

    def test_ctrl_c_ends_it(self):
        self.start("zero")
        self.expect("QUESTION zero?")
        os.write(self.master, b"\x03")
        self.assertEqual(self.end(), 130)
        self.assertNotIn("RAN", self.seen)
        self.assertNotIn("failed", self.seen)


if __name__ == "__main__":
    unittest.main()
