"""The program that people start, with the ZeRO lesson."""
import json
import os
import tempfile
import unittest

from support import INPUT, USAGE, TerminalTest

SMALL = ("run", "zero", "hidden=8", "layers=1", "tokens=8", "batch=8", "steps=4", "proof=off")


class ZeroLesson(TerminalTest):
    def document(self, *words):
        return self.valid("run", self.run_ok(*SMALL, *words, "--json"))

    def test_its_document_fits_the_schema_and_the_books_are_kept(self):
        document = self.document("stage=3", "ranks=3", "data=synthetic")
        self.assertTrue(document["complete"])
        self.assertTrue(all(row["unexplained"] == 0 for row in document["ledger"]))
        reasons = {reason["name"] for row in document["ledger"] for reason in row["reasons"]}
        self.assertEqual(reasons, {"padding", "uneven chunks"})
        self.assertTrue(all(claim["evidence"] for claim in document["claims"]))
        for name in ("initial_loss", "final_loss", "accuracy", "majority_accuracy", "parameters_sha256",
                     "step_ms", "data_sha256"):
            self.assertIn(name, document["outcome"])
        names = {series["name"] for series in document["series"]}
        self.assertIn("stage 3/loss", names)
        self.assertTrue(any("memory" in name and "parameters" in name for name in names), names)

    def test_the_projects_own_files_are_the_default_data(self):
        self.assertGreaterEqual(self.document("stage=0", "ranks=2")["outcome"]["classes"], 3)

    def test_rejected_data_ends_with_3_and_names_the_path(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "only"))
            with open(os.path.join(folder, "only", "a.txt"), "w", encoding="utf-8") as file:
                file.write("one class is not enough\n" * 20)
            for path in (folder, os.path.join(folder, "missing")):
                self.assert_fails((*SMALL, "data=folder:" + path), INPUT, path)

    def test_steps_are_compared_in_turns(self):
        lines = ("zero stage=3 precision=fp32 hidden=8 layers=1 tokens=8 batch=8 data=synthetic ranks=2", "nccl_timeout ranks=3")
        document = self.valid("bench", self.run_ok("bench", "step", *lines, "--rounds", "6", "--json"))
        self.assertTrue(document["complete"])
        self.assertEqual([len(side["round_ms"]) for side in document["sides"]], [6, 6])
        self.assertGreater(document["ratio"]["low"], 0)
        self.assertIsNotNone(document["build"]["libtorch"])
        self.assert_fails(["bench", "step", lines[0], "nccl_timeout faults=skip"], USAGE, "faults=skip")

    def test_torchs_loops_stand_beside_the_passes(self):
        words = ("bench", "optimizers", "--parameters", "5000", "--rounds", "6")
        rows = {row["optimizer"]: row for row in json.loads(self.run_ok(*words, "--json"))["optimizers"]}
        for name in ("sgd", "adagrad", "rmsprop", "adam", "amsgrad", "adamw"):
            self.assertEqual(len(rows[name]["torch_ms"]), 6, name)
            self.assertGreater(rows[name]["torch_loop_takes"]["low"], 0)
        self.assertIsNone(rows["lion"]["torch_loop_takes"])
        self.assertIn("lacks Adadelta, Lion.", " ".join(self.run_ok(*words, "adadelta", "lion", "sgd").split()))


if __name__ == "__main__":
    unittest.main()
