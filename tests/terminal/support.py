"""Runs the `ringside` that was built with the lessons of the tests."""
import os
import subprocess
import unittest

RINGSIDE = os.environ["RINGSIDE"]
SOURCE = os.environ["RINGSIDE_SOURCE"]
SANITIZED = bool(os.environ.get("RINGSIDE_SANITIZE"))
DEADLINE = 300  # seconds; a hang, not a slow machine

USAGE, INPUT, CHECK_FAILED, INTERRUPTED = 2, 3, 4, 130


def environment(**changes):
    """This process's, as a terminal has it, with changes; None removes."""
    values = dict(os.environ, TERM="xterm-256color")
    values.pop("NO_COLOR", None)
    values.update(changes)
    return {name: value for name, value in values.items() if value is not None}


def ringside(*words, **changes):
    """A finished run, its stdout and stderr as bytes."""
    return subprocess.run([RINGSIDE, *words], capture_output=True, timeout=DEADLINE, stdin=subprocess.DEVNULL,
                          env=environment(**changes))


def has_signal(pid, sets, number):
    """Is this signal in one of these sets of the process (SigCgt: it has a handler; ShdPnd: not delivered yet)?"""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        masks = [int(line.split()[1], 16) for line in file if line.startswith(sets)]
    return any(mask >> (number - 1) & 1 for mask in masks)


def catches(pid, number):
    """Has the process a handler for this signal yet?"""
    return has_signal(pid, "SigCgt:", number)


class TerminalTest(unittest.TestCase):
    def run_ok(self, *words, **changes):
        """stdout of a run that must succeed in silence."""
        done = ringside(*words, **changes)
        self.assertEqual((done.returncode, done.stderr), (0, b""), words)
        return done.stdout.decode()

    def assert_fails(self, words, code, *parts):
        """Exit code, nothing on stdout, and a message on stderr that has all parts."""
        done = ringside(*words)
        message = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, (words, message))
        self.assertEqual(done.stdout, b"", words)
        self.assertTrue(message.startswith("ringside: "), message)
        for part in parts:
            self.assertIn(part, message)
