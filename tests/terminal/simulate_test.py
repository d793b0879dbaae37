"""`ringside ps simulate`: its table, its document, what it refuses."""
import signal
import subprocess
import time
import unittest

from support import DEADLINE, INTERRUPTED, RINGSIDE, USAGE, TerminalTest, catches, environment

SMALL = ["ps", "simulate", "--workers", "5,100", "--servers", "1,2", "--batch", "500", "--keys", "500", "--clocks", "4",
         "--fields", "5"]
GIVEN = ["--costs", "4,1,4,1"]


class Simulate(TerminalTest):
    def document(self, *words):
        return self.valid("ps_simulate", self.run_ok(*SMALL, *words, "--json"))

    def test_with_given_costs_the_figures_repeat(self):
        first, again = self.document(*GIVEN), self.document(*GIVEN)
        for cell in first["cells"] + again["cells"]:
            del cell["real_seconds"]
        self.assertEqual(first, again)
        self.assertEqual([(cell["servers"], cell["workers"]) for cell in first["cells"]],
                         [(1, 5), (1, 100), (2, 5), (2, 100)])
        self.assertEqual(first["calibration"]["runs"], [])

    def test_costs_are_measured_and_predictions_stand_beside(self):
        runs = self.document()["calibration"]["runs"]
        self.assertEqual([run["fitted"] for run in runs].count(False), 2)
        for run in runs:
            self.assertGreater(run["measured_iterations_per_s"], 0)

    def test_the_table_fits_80_columns(self):
        text = self.run_ok(*SMALL, "--width", "80")
        self.assertLessEqual(max(map(len, text.splitlines())), 80, text)
        self.assertIn("simulated", text)
        self.assertIn("not fitted to", text)

    def test_waiting_is_what_computing_leaves(self):
        words = ("ps", "simulate", "--workers", "10,100", "--servers", "1", "--clocks", "4", "--costs", "5,0.1,5,0.1")
        ten = self.valid("ps_simulate", self.run_ok(*words, "--json"))["cells"][0]
        # 10 workers of 1 ms a sample, of whose iterations none is faster
        self.assertGreaterEqual(1 - ten["waiting"], 0.999 * ten["samples_per_s"] / 10_000)
        self.assertGreater(ten["waiting"], 0.2)
        self.assertIn("it is the workers that wait for each other", " ".join(self.run_ok(*words).split()))

    def test_ctrl_c_keeps_the_rows_that_are_done(self):
        words = ["ps", "simulate", "--workers", "10,10000", "--servers", "16", "--clocks", "2000", "--target", "0", *GIVEN]
        process = subprocess.Popen([RINGSIDE, *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment())
        self.addCleanup(process.kill)
        time.sleep(1)
        end = time.monotonic() + DEADLINE
        while not catches(process.pid, signal.SIGINT):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE)
        self.assertEqual((process.returncode, err), (INTERRUPTED, b""))
        document = self.valid("ps_simulate", out)
        self.assertFalse(document["complete"])
        self.assertLess(len(document["cells"]), 2)
        process = subprocess.Popen([RINGSIDE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        self.addCleanup(process.kill)
        while not catches(process.pid, signal.SIGINT):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertIn(b"INCOMPLETE", process.communicate(timeout=DEADLINE)[0])

    def test_what_cannot_be_is_refused(self):
        self.assert_fails(["ps", "simulate", *GIVEN, "--batch", "50"], USAGE, "100 workers", "batch=50")
        self.assert_fails([*SMALL, "--workers", "0"], USAGE, "--workers")
        self.assert_fails([*SMALL, "--costs", "1,2"], USAGE, "--costs")
        self.assert_fails([*SMALL, "--link", "string"], USAGE, "link")
        for option in ("--target", "--sample-ms", "--straggling", "--straggling-factor", "--learning-rate", "--costs"):
            self.assert_fails([*SMALL, option, "4,nan,4,1" if option == "--costs" else "nan"], USAGE, option, "not a number")


if __name__ == "__main__":
    unittest.main()
