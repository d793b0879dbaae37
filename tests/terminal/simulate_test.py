"""`ringside ps simulate`: its table, its document, what it refuses."""
import unittest

from support import USAGE, TerminalTest

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

    def test_what_cannot_be_is_refused(self):
        self.assert_fails(["ps", "simulate", *GIVEN, "--batch", "50"], USAGE, "100 workers", "batch=50")
        self.assert_fails([*SMALL, "--workers", "0"], USAGE, "--workers")
        self.assert_fails([*SMALL, "--costs", "1,2"], USAGE, "--costs")
        self.assert_fails([*SMALL, "--link", "string"], USAGE, "link")
        for option in ("--target", "--sample-ms", "--straggling", "--straggling-factor", "--learning-rate", "--costs"):
            self.assert_fails([*SMALL, option, "4,nan,4,1" if option == "--costs" else "nan"], USAGE, option, "not a number")


if __name__ == "__main__":
    unittest.main()
