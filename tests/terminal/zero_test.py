"""The program that people start, with the ZeRO lesson."""
import json
import os
import tempfile
import unittest

import jsonschema

from support import INPUT, SOURCE, USAGE, TerminalTest

SMALL = ("run", "zero", "hidden=8", "layers=1", "tokens=8", "batch=8", "steps=4", "proof=off")


class ZeroLesson(TerminalTest):
    def document(self, *words):
        document = json.loads(self.run_ok(*SMALL, *words, "--json"))
        with open(os.path.join(SOURCE, "assets/schema/run.schema.json"), encoding="utf-8") as file:
            jsonschema.Draft202012Validator(json.load(file)).validate(document)
        return document

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
        small = "hidden=8 layers=1 tokens=8 batch=8 data=synthetic ranks=2"
        lines = (f"zero {small}", f"zero stage=3 precision=fp32 {small}", "nccl_timeout ranks=3")
        with open(os.path.join(SOURCE, "assets/schema/bench.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        for a, b in (lines[:2], lines[1:]):
            document = json.loads(self.run_ok("bench", "step", a, b, "--rounds", "6", "--json"))
            jsonschema.Draft202012Validator(schema).validate(document)
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
        self.assertIn("lacks Adadelta, Lion.", " ".join(self.run_ok(*words).split()))

    def test_the_papers_table(self):
        table = self.run_ok("plan", "zero", "--parameters", "7.5e9", "--ranks", "64")
        for figure in ("120", "31.4", "16.6", "1.88"):
            self.assertIn(figure, table)


if __name__ == "__main__":
    unittest.main()
