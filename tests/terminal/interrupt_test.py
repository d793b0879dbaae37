"""Ctrl-C, once and twice, and SIGQUIT."""
import json
import signal
import subprocess
import time
import unittest

from support import DEADLINE, INTERRUPTED, RINGSIDE, TerminalTest, catches, environment


class Interrupt(TerminalTest):
    def start(self, *words):
        """A run that has come so far that it handles signals, and has taken some steps."""
        process = subprocess.Popen([RINGSIDE, "run", "faults", *words], env=environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        end = time.monotonic() + DEADLINE
        while not catches(process.pid, signal.SIGINT) and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.3)
        return process

    def finish(self, process, seconds=30):
        out, err = process.communicate(timeout=seconds)
        return process.returncode, out.decode(), err.decode()

    def test_the_first_prints_the_partial_result_marked_incomplete(self):
        process = self.start("how=slow")
        process.send_signal(signal.SIGINT)
        code, out, err = self.finish(process)
        self.assertEqual((code, err), (INTERRUPTED, ""))
        self.assertIn("INCOMPLETE", out)
        self.assertIn("not_testable", out)

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
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process, seconds=10)[0], INTERRUPTED)

    def test_sigquit_says_who_waits_where_and_goes_on(self):
        process = self.start("how=stuck")
        process.send_signal(signal.SIGQUIT)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        process.kill()
        _, _, err = self.finish(process)
        self.assertIn("run", err)
        self.assertIn("something that never comes", err)


if __name__ == "__main__":
    unittest.main()
