"""Ctrl-C, once and twice, and SIGQUIT."""
import json
import os
import select
import signal
import subprocess
import tempfile
import time
import unittest

from support import DEADLINE, INTERRUPTED, RINGSIDE, TerminalTest, catches, environment, has_signal


class Interrupt(TerminalTest):
    def until(self, holds):
        end = time.monotonic() + DEADLINE
        while not holds():
            self.assertLess(time.monotonic(), end, "it never came")
            time.sleep(0.01)

    def start(self, *words):
        """A run that handles signals and has taken some steps, or got stuck."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        there = os.path.join(folder.name, "there")
        process = subprocess.Popen([RINGSIDE, "run", "faults", *words], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment(RINGSIDE_TESTED_THERE=there))
        self.addCleanup(process.kill)
        self.until(lambda: os.path.exists(there) and catches(process.pid, signal.SIGINT))
        return process

    def send(self, process, number):
        """Sends a signal and waits until its handler was called: two at once would be one."""
        process.send_signal(number)
        self.until(lambda: not has_signal(process.pid, ("SigPnd:", "ShdPnd:"), number))

    def finish(self, process):
        out, err = process.communicate(timeout=DEADLINE)
        return process.returncode, out.decode(), err.decode()

    def test_the_first_prints_the_partial_result_marked_incomplete(self):
        process = self.start("how=slow")
        process.send_signal(signal.SIGINT)
        code, out, err = self.finish(process)
        self.assertEqual(code, INTERRUPTED)
        self.assertFalse([line for line in err.splitlines() if not line.startswith("runs      ")], err)
        self.assertIn("INCOMPLETE", out)
        self.assertIn("? open", out)
        self.assertIn("not testable: the run was interrupted", out)

    def test_the_partial_result_as_json(self):
        process = self.start("how=slow", "--json")
        process.send_signal(signal.SIGINT)
        code, out, _ = self.finish(process)
        self.assertEqual(code, INTERRUPTED)
        document = json.loads(out)
        self.assertFalse(document["complete"])
        self.assertEqual({claim["verdict"] for claim in document["claims"]}, {"not_testable"})
        self.assertGreater(len(document["series"][0]["y"]), 0)

    def test_the_second_ends_at_once(self):
        process = self.start("how=stuck")
        self.send(process, signal.SIGINT)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process)[0], INTERRUPTED)

    def test_sigquit_says_who_waits_where_and_goes_on(self):
        process = self.start("how=stuck")
        process.send_signal(signal.SIGQUIT)
        said = b""
        while b"something that never comes" not in said:
            self.assertTrue(select.select([process.stderr], [], [], DEADLINE)[0], said)
            self.assertIsNone(process.poll(), said)
            said += os.read(process.stderr.fileno(), 65536)
        self.assertIn(b"run", said)
        self.assertIsNone(process.poll())
        process.kill()
        self.finish(process)


if __name__ == "__main__":
    unittest.main()
