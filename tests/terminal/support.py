"""Runs the `ringside` that was built with the lessons of the tests."""
import fcntl
import functools
import json
import os
import tempfile
import pty
import select
import subprocess
import termios
import time
import unittest

import jsonschema

RINGSIDE = os.environ["RINGSIDE"]
SOURCE = os.environ["RINGSIDE_SOURCE"]
SANITIZED = bool(os.environ.get("RINGSIDE_SANITIZE"))
DEADLINE = 300  # seconds; a hang, not a slow machine
TALK_DEADLINE = 60  # seconds, of one thing that is said

USAGE, INPUT, CHECK_FAILED, CHECKPOINT, INTERRUPTED = 2, 3, 4, 8, 130


def environment(**changes):
    """This process's, as a terminal has it, with changes; None removes."""
    values = dict(os.environ, TERM="xterm-256color")
    values.pop("NO_COLOR", None)
    values.update(changes)
    return {name: value for name, value in values.items() if value is not None}


def ringside(*words, program=RINGSIDE, **changes):
    """A finished run, its stdout and stderr as bytes."""
    return subprocess.run([program, *words], capture_output=True, timeout=DEADLINE, stdin=subprocess.DEVNULL,
                          env=environment(**changes))


def has_signal(pid, sets, number):
    """Is this signal in one of these sets of the process (SigCgt: it has a handler; ShdPnd: not delivered yet)?"""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        masks = [int(line.split()[1], 16) for line in file if line.startswith(sets)]
    return any(mask >> (number - 1) & 1 for mask in masks)


def catches(pid, number):
    """Has the process a handler for this signal yet?"""
    return has_signal(pid, "SigCgt:", number)


def ranks_of(starter):
    """The processes that it started, by rank."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
            with open(f"/proc/{pid}/environ", "rb") as file:
                variables = dict(entry.split(b"=", 1) for entry in file.read().split(b"\0") if b"=" in entry)
        except OSError:
            continue
        if parent == starter and b"RANK" in variables:
            found[int(variables[b"RANK"])] = int(pid)
    return found


def torchrun(test, folder, ranks, *words):
    """Debian's, which keeps what the ranks write in the folder; the test is skipped where there is none."""
    if not os.path.exists("/usr/bin/torchrun"):
        test.skipTest("no torchrun here")
    return ["/usr/bin/torchrun", "--no_python", "-r", "1", "-t", "1", "--log_dir", folder, "--nproc_per_node", str(ranks),
            "--master_port", str(20000 + os.getpid() % 10000), *words]


def skip_without_libuv(test, said):
    """The test, where torchrun said so."""
    if b"without libuv support" in said:
        test.skipTest("Debian 13's torchrun starts nothing: it asks for libuv, which its build lacks")


@functools.cache
def validator(name):
    """Of assets/schema, which is a schema itself."""
    with open(os.path.join(SOURCE, "assets/schema", name + ".schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


class TerminalTest(unittest.TestCase):
    def run_ok(self, *words, **changes):
        """stdout of a run that must succeed, and say nothing but how far it is."""
        done = ringside(*words, **changes)
        said = [line for line in done.stderr.splitlines() if not line.startswith(b"runs      ")]
        self.assertEqual((done.returncode, said), (0, []), words)
        return done.stdout.decode()

    def valid(self, name, text):
        """The document, which fits the schema of that name; NaN and infinity are no JSON."""
        document = json.loads(text, parse_constant=lambda constant: self.fail(f"{constant} is no JSON"))
        validator(name).validate(document)
        return document

    def assert_strict(self, name, document):
        """It needs all of its members and takes no other."""
        for key in document:
            self.assertFalse(validator(name).is_valid({other: document[other] for other in document if other != key}), key)
        self.assertFalse(validator(name).is_valid(dict(document, extra=1)))

    def assert_fails(self, words, code, *parts):
        """Exit code, nothing on stdout, and a message on stderr that has all parts."""
        done = ringside(*words)
        message = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, (words, message))
        self.assertEqual(done.stdout, b"", words)
        self.assertTrue(message.startswith("ringside: "), message)
        for part in parts:
            self.assertIn(part, message)


class KeptTest(TerminalTest):
    """With a learner's folder of its own: `home`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = folder.name

    def kept(self):
        path = os.path.join(self.home, "ringside", "progress.json")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return json.load(file)["attempts"]


class Talk:
    """A program on a pseudo-terminal, and somebody who reads and types. Every wait has an end."""

    def __init__(self, *words, program=RINGSIDE, **changes):
        try:
            self.master, slave = pty.openpty()
        except OSError as error:  # a chroot without /dev/pts
            raise unittest.SkipTest(f"no pseudo-terminal here: {error}") from error
        self.modes = termios.tcgetattr(slave)
        self.slave = slave
        self.seen = ""  # all of it
        self.read = 0   # of it, what was expected so far
        self.process = subprocess.Popen([program, *words], stdin=slave, stdout=slave, stderr=slave,
                                        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
                                        env=environment(**changes))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.slave)
        os.close(self.master)

    def _take(self, seconds):
        if select.select([self.master], [], [], seconds)[0]:
            self.seen += os.read(self.master, 65536).decode(errors="replace")

    def expect(self, text):
        """Until it is there, behind what was expected before."""
        end = time.monotonic() + TALK_DEADLINE
        while text not in self.seen[self.read:]:
            if time.monotonic() > end or (self.process.poll() is not None and not self._more()):
                raise AssertionError(f"{text!r} never came; this did: {self.seen!r}")
            self._take(0.1)
        self.read = self.seen.index(text, self.read) + len(text)

    def _more(self):
        before = len(self.seen)
        self._take(0.1)
        return len(self.seen) > before

    def type(self, text):
        os.write(self.master, text.encode())

    def end(self):
        """The exit code; the terminal must be as it was."""
        end = time.monotonic() + TALK_DEADLINE
        while self.process.poll() is None:
            if time.monotonic() > end:
                raise AssertionError(f"it did not end: {self.seen!r}")
            self._take(0.05)
        while self._more():
            pass
        if termios.tcgetattr(self.slave) != self.modes:
            raise AssertionError("the terminal is not as it was")
        return self.process.returncode
