"""The documents against their schemas."""
import copy
import shlex
import unittest

from support import TerminalTest, ringside, validator


class JsonDocuments(TerminalTest):
    def document(self, name, *words):
        return self.valid(name, self.run_ok(*words, "--json"))

    def test_schemas_are_strict(self):
        for name, words in {"run": ["run", "faults"], "plan": ["plan", "zero"], "list": ["list"]}.items():
            self.assert_strict(name, self.document(name, *words))

    def test_the_schema_of_run_rejects_what_is_wrong_inside(self):
        good = self.document("run", "run", "faults")
        for path, value in (
            (("claims", 0, "verdict"), "true"),
            (("ledger", 0, "counted"), 1.5),
            (("ledger", 0, "op"), "x"),
            (("series", 0, "x", 0), "0"),
            (("build", "extra"), 1),
            (("outcome", "a"), []),
            (("predictions", 0, "wrong", 0, "extra"), 1),
            (("predictions", 0, "kind"), "formula"),
            (("predictions", 0, "answer"), ["a"]),
            (("predictions", 2, "answer"), 1),
            (("predictions", 2, "answer"), []),
            (("predictions", 2, "answer", 0), 1),
            (("schema",), 2),
        ):
            bad = copy.deepcopy(good)
            place = bad
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = value
            self.assertFalse(validator("run").is_valid(bad), path)

    def test_a_run_says_everything(self):
        document = self.document("run", "run", "example", "ranks=3", "steps=5", "elements=3Ki")
        self.assertEqual(document["lesson"], "example")
        self.assertEqual(document["scenario"], "example ranks=3 elements=3Ki steps=5")
        self.assertTrue(document["complete"])
        self.assertEqual(document["outcome"], {"sent_bytes": 16384})
        self.assertEqual(document["claims"][0]["verdict"], "holds")
        prediction = document["predictions"][0]
        self.assertEqual((prediction["kind"], prediction["answer"], prediction["calculated"]), ("number", 16384, False))
        self.assertEqual({wrong["name"]: wrong["value"] for wrong in prediction["wrong"]},
                         {"counted once": 8192, "everything to everyone": 24576})
        self.assertEqual(document["series"][0], {"name": "all-reduce/sum", "unit": "", "rank": 0,
                                                 "x": [0, 1, 2, 3, 4], "y": [3, 3, 3, 3, 3]})

    def test_every_number_of_ranks(self):
        for ranks in (1, 4, 8):
            document = self.document("run", "run", "example", f"ranks={ranks}", "elements=840", "steps=1")
            self.assertEqual(document["outcome"]["sent_bytes"], 2 * (ranks - 1) * 3360 / ranks)

    def test_the_scenario_runs_again(self):
        label = "it's a \"test\" of $HOME; `x` \\ \n Ψ"
        first = self.document("run", "run", "faults", "label=" + label)
        again = self.document("run", "run", *shlex.split(first["scenario"]))
        self.assertEqual(shlex.split(first["scenario"])[-1], "label=" + label)
        for document in (first, again):
            del document["build"]
        self.assertEqual(first, again)

    def test_what_json_cannot_say_is_null(self):
        document = self.document("run", "run", "faults")
        self.assertIsNone(document["outcome"]["infinite"])
        self.assertIsNone(document["predictions"][1]["answer"])
        self.assertTrue(document["predictions"][1]["calculated"])  # the lesson measures neither
        self.assertIsNone(document["series"][0]["y"][0])
        self.assertEqual(document["outcome"]["no_utf8"], "\ufffd\ufffd")

    def test_a_question_in_words_has_its_kind_and_lists_of_words(self):
        asked = {one["id"]: one for one in self.document("run", "run", "faults")["predictions"]}
        answers = {"order": ["Ψ", "a, b", "c"], "choice": ["raises StopIteration"], "choices": ["view", "expand"],
                   "line": ["3"], "text": ["[0, 1]"]}
        for kind, answer in answers.items():
            self.assertEqual((asked[kind]["kind"], asked[kind]["answer"]), (kind, answer))
        self.assertEqual(asked["order"]["wrong"], [{"name": "backwards", "value": ["c", "a, b", "Ψ"]}])
        self.assertEqual([kind for kind in answers if asked[kind]["calculated"]], ["choice", "text"])

    def test_the_ledger_is_arithmetic(self):
        memory, traffic = self.document("run", "run", "faults")["ledger"]
        self.assertEqual((memory["predicted"], memory["unexplained"], memory["at"]), (None, 0, "peak"))
        self.assertEqual((traffic["predicted"], traffic["counted"], traffic["unexplained"]), (10, 12, 0))

    def test_a_failed_check_still_gives_a_whole_document(self):
        done = ringside("run", "faults", "how=check", "--json")
        self.valid("run", done.stdout)

    def test_plans_of_every_kind(self):
        for precision, reduce in (("bf16", "reduce_scatter"), ("fp32", "all_reduce")):
            document = self.document("plan", "plan", "zero", "--precision", precision, "--reduce", reduce, "--accumulate", "8",
                                     "--frozen", "1e9")
            self.assertEqual([row["stage"] for row in document["stages"]], [0, 1, 2, 3])
        document = self.document("plan", "plan", "zero", "--parameters", "1e9", "--ranks", "4", "--replicas", "2",
                                 "--accumulate", "4", "--no_sync", "on")
        self.assertEqual([row["sent_elements"]["between"] / 1e9 for row in document["stages"]], [0, 0.5, 0.5, 0.5])
        self.assertEqual(document["stages"][3]["state_bytes"]["total"] / 1e9, 10)
        document = self.document("plan", "plan", "zero", "--parameters", "7.5e9", "--ranks", "64")
        totals = [round(row["state_bytes"]["total"] / 1e9, 1) for row in document["stages"]]
        self.assertEqual(totals, [120.0, 31.4, 16.6, 1.9])
        self.assertEqual(len(self.document("plan", "plan", "zero", "--stage", "2")["stages"]), 1)

    def test_the_list(self):
        lessons = self.document("list", "list")["lessons"]
        self.assertEqual([lesson["id"] for lesson in lessons], ["example", "faults"])
        self.assertEqual(lessons[1]["questions"], ["T1", "T2"])
        self.assertEqual(lessons[1]["title"], '"Ends" as it is told; $HOME ${x} @x@ Ψ')

    def test_the_list_of_the_sources_questions(self):
        document = self.document("list_questions", "list", "--questions")
        self.assert_strict("list_questions", document)
        text = self.run_ok("list", "--questions")
        for question in document["questions"]:
            self.assertIn(question["asks"], text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)


if __name__ == "__main__":
    unittest.main()
