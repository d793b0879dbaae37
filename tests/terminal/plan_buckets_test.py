"""`plan buckets`, `explain` and `steps`: their documents, and what they refuse. tests/planner holds the rules."""
import json
import os
import tempfile
import unittest

from support import INPUT, SOURCE, USAGE, TerminalTest, validator

MODELS = os.path.join(SOURCE, "assets/models")
VL_7B = os.path.join(MODELS, "qwen2_5_vl_7b.json")
TOTALS = {  # with lm_head; assets/models/README.md says what is published
    "qwen2_5_vl_7b": 8_292_166_656, "qwen2_5_vl_3b": 3_754_622_976, "qwen2_vl_7b": 8_291_375_616,
    "qwen2_vl_2b": 2_208_985_600, "qwen2_5_7b": 7_615_616_512, "qwen2_5_0_5b": 494_032_768,
    "llama_3_1_8b": 8_030_261_248, "llama_2_7b": 6_738_415_616, "llama_3_2_1b": 1_235_814_400,
}


def model(name):
    with open(os.path.join(MODELS, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


class PlanTest(TerminalTest):
    def plan(self, *words):
        return self.valid("plan", self.run_ok("plan", *words, "--json"))

    def buckets(self, name, *words):
        return self.plan("buckets", "--config", os.path.join(MODELS, name + ".json"), *words)


class Buckets(PlanTest):
    def test_totals_are_the_published_ones(self):
        self.assertEqual(sorted(TOTALS), sorted(f[:-5] for f in os.listdir(MODELS) if f.endswith(".json")))
        for name, total in TOTALS.items():
            document = self.buckets(name)
            self.assertEqual((document["parameters"], document["trainable"]), (total, total), name)
            self.assertEqual(document["setup"]["model_type"], model(name)["model_type"])

    def test_the_first_bucket_of_the_log(self):
        for words, count in (((), 17), (("--freeze-vision",), 15)):
            document = self.buckets("qwen2_5_vl_7b", "--classes", "251", "--head-bias", *words)
            sizes = [bucket["elements"] for bucket in document["buckets"]]
            self.assertEqual((len(sizes), sizes[0], sizes.count(467_019_003)), (count, 467_019_003, 1))
            self.assertEqual(document["tensors"], 730)
            self.assertEqual(document["buckets"][0]["pieces"], [
                {"group": "head", "elements": 899_835, "whole": True},
                {"group": "final norm", "elements": 3_584, "whole": True},
                {"group": "layer 27", "elements": 233_057_792, "whole": True},
                {"group": "layer 26", "elements": 233_057_792, "whole": True}])

    def test_parameter_order(self):
        document = self.buckets("qwen2_5_0_5b", "--classes", "3", "--head-bias", "--order", "parameters",
                                "--bucket-size", "1e7")
        names = [name for bucket in document["buckets"] for name in bucket["parameters"]]
        self.assertEqual(names[:2], ["model.embed_tokens.weight", "model.layers.0.self_attn.q_proj.weight"])
        self.assertEqual(names[-3:], ["model.norm.weight", "score.weight", "score.bias"])
        self.assertTrue(all(b["elements"] <= 10**7 or len(b["parameters"]) == 1 for b in document["buckets"]))

    def test_two_parameter_groups_and_destinations(self):
        """tests/planner compares both with what an executed reducer sent."""
        words = ("--classes", "251", "--head-bias", "--order", "parameters")
        document = self.buckets("qwen2_5_0_5b", *words, "--parameter-groups", "2", "--destinations", "4")
        names = [name for bucket in document["buckets"] for name in bucket["parameters"]]
        self.assertEqual(names[-2:], ["model.norm.weight", "score.bias"])
        for bucket in document["buckets"]:
            self.assertEqual(sum(part["elements"] for part in bucket["parts"]), bucket["elements"])
        text = self.run_ok("plan", "buckets", "--config", VL_7B, *words, "--destinations", "4")
        self.assertIn("sent to rank 0 ", text)
        part = document["buckets"][0]["parts"][0]["elements"]
        found = self.plan("explain", str(part), "--config", os.path.join(MODELS, "qwen2_5_0_5b.json"), *words[:3])
        self.assertTrue(found["explained"])
        self.assertIn(4, [sent["destinations"] for sent in found["sent_otherwise"]])

    def test_sizes_are_read_as_people_write_them(self):
        documents = [self.buckets("llama_3_2_1b", "--bucket-size", size) for size in ("5e8", "500000000")]
        self.assertEqual(*documents)
        self.assertEqual(documents[0], self.buckets("llama_3_2_1b"))

    def test_the_text_says_why_the_first_bucket_closed(self):
        text = " ".join(self.run_ok("plan", "buckets", "--config", VL_7B, "--classes", "251", "--head-bias").split())
        for part in ("467,019,003 = head 899,835 + final norm 3,584 + layer 27 233,057,792 + layer 26 233,057,792",
                     "next, layer 25's down_proj 67,895,296, would make 534,914,299 > 500,000,000",
                     "17 buckets", "730 tensors"):
            self.assertIn(part, text)
        many = self.run_ok("plan", "buckets", "--config", VL_7B, "--bucket-size", "1000")
        self.assertIn("more; --json has them all", many)
        self.assertLess(len(many.splitlines()), 60)


class Explain(PlanTest):
    def explain(self, number, *words, config=VL_7B):
        return self.plan("explain", str(number), "--config", config, *words)

    def test_the_number_of_the_log(self):
        document = self.explain(467_019_003)
        sent = [hit for hit in document["hits"] if hit["flushed"]]
        self.assertEqual([(h["classes"], h["head_bias"], h["bucket_size"]) for h in sent],
                         [(251, True, {"least": 467_019_003, "most": 534_914_298})])
        self.assertIn(8443, [h["classes"] for h in document["hits"] if not h["flushed"] and h["first_of_pass"]])
        self.assertEqual(document["hidden_states"],
                         {"hidden": 3584, "rows": 130_306, "remainder": 2_299, "batches": []})
        text = self.run_ok("plan", "explain", "467019003", "--config", VL_7B)
        for part in ("251 classes with bias", "8,443 classes", "130,306 × 3,584 + 2,299", "479,864,059"):
            self.assertIn(part, text)

    def test_the_three_logs_of_the_program_and_one_of_another(self):
        """466,735,788 is another data set's head; given or free, 172 classes with a bias make it."""
        for words in ((), ("--classes", "172", "--head-bias")):
            sent = [h for h in self.explain(466_735_788, *words)["hits"] if h["flushed"]]
            self.assertEqual([(h["classes"], h["head_bias"]) for h in sent], [(172, True)])
        self.assertEqual(self.explain(466_735_788, "--classes", "251", "--head-bias")["flushed_count"], 0)
        other = self.explain(466_119_168, "--lm-head", config=os.path.join(MODELS, "qwen2_vl_7b.json"))
        self.assertEqual([[p["group"] for p in h["pieces"]] for h in other["hits"] if h["flushed"]],
                         [["final norm", "layer 27", "layer 26"]])

    def test_a_number_without_meaning_is_unexplained(self):
        document = self.explain(470_810_625)
        self.assertEqual((document["explained"], document["flushed_count"]), (False, 0))
        self.assertIn("unexplained", self.run_ok("plan", "explain", "470810625", "--config", VL_7B))

    def test_a_coincidence_is_no_explanation(self):
        document = self.explain(467_019_002)
        self.assertEqual((document["explained"], [h["coincidence"] for h in document["hits"] if h["flushed"]]), (False, [True]))
        self.assertIn("A coincidence", self.run_ok("plan", "explain", "467019002", "--config", VL_7B))

    def test_hidden_states_are_named_where_they_fit(self):
        document = self.explain(8 * 2048 * 3584)
        self.assertIn({"batch": 8, "length": 2048}, document["hidden_states"]["batches"])

    def test_a_document_with_something_wrong_inside_does_not_fit_the_schema(self):
        for words, path, value in ((("explain", "1000", "--config", VL_7B), ("families", 0, "hits"), -1),
                                   (("explain", "1000", "--config", VL_7B), ("setup", "head"), "x"),
                                   (("buckets", "--config", VL_7B), ("buckets", 0, "elements"), 0),
                                   (("buckets", "--config", VL_7B), ("plan",), "explain")):
            document = place = self.plan(*words)
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = value
            self.assertFalse(validator("plan").is_valid(document), path)


class Steps(PlanTest):
    def test_each_logged_number_is_the_first_call_after_a_step(self):
        for number, classes, fits in ((56_731, "251", (8, 400)), (2_131, "251", (8, 10)), (87_131, "172", (4, 1200))):
            document = self.plan("steps", str(number), "--config", VL_7B, "--classes", classes, "--head-bias")
            self.assertEqual((document["setup"]["broadcasts"], document["setup"]["buckets"]), (730, 17))
            found = [(f["accumulate"], f["steps"]) for f in document["fits"] if f["rest"] == 0]
            self.assertEqual(found, [fits])
            for f in document["fits"]:
                self.assertEqual(730 + f["steps"] * f["calls_of_step"] + f["rest"] + 1, number)
        text = self.run_ok("plan", "steps", "56731", "--config", VL_7B, "--classes", "251", "--head-bias")
        self.assertIn("730 + 400 × 140 + 1", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 98)

    def test_a_broadcast_and_another_optimizer(self):
        self.assertEqual(self.plan("steps", "729", "--config", VL_7B, "--classes", "251")["fits"], [])
        fits = self.plan("steps", "56731", "--config", VL_7B, "--classes", "251", "--parameter-groups", "1")["fits"]
        self.assertEqual([f["calls_of_step"] for f in fits], [19, 36, 70, 138, 274])


class Refused(PlanTest):
    def test_flags_that_do_not_go_together(self):
        config = ["--config", VL_7B]
        for words, parts in (
            (["bucket"], ["plan bucket", "did you mean buckets?", "zero, buckets, explain, steps, mesh and schedule"]),
            (["buckets"], ["--config is missing"]),
            (["explain"], ["which number?"]),
            (["explain", "12"], ["--config is missing"]),
            (["buckets", *config, "--head-bias"], ["--head-bias", "--classes", "1 to 1,000,000"]),
            (["buckets", *config, "--lm-head", "--classes", "3"], ["--lm-head and --classes"]),
            (["buckets", *config, "--lm-head", "--head-bias"], ["--lm-head and --head-bias"]),
            (["buckets", *config, "--classes", "0"], ["classes=0", "1 to 1,000,000"]),
            (["buckets", *config, "--classes", "1000001"], ["classes=1000001", "1 to 1,000,000"]),
            (["buckets", *config, "--classes", "x"], ["classes"]),
            (["buckets", *config, "--bucket-size", "0"], ["bucket-size=0", "1 to"]),
            (["buckets", *config, "--bucket-size", "1e16"], ["bucket-size=1e16", "1 to"]),
            (["buckets", *config, "--bucket-size", "nan"], ["bucket-size"]),
            (["buckets", *config, "--bucket-size", "1.5"], ["bucket-size"]),
            (["buckets", *config, "--order", "backwards"], ["backward, parameters", "did you mean backward?"]),
            (["buckets", *config, "--ranks", "4"], ["takes no --ranks", "--bucket-size"]),
            (["buckets", "12", *config], ["takes no '12'"]),
            (["buckets", *config, *config], ["--config"]),
            (["explain", "12", *config, "--order", "backward"], ["tries both"]),
            (["explain", "12", *config, "--destinations", "2"], ["it tries them"]),
            (["steps", "12", *config, "--destinations", "2"], ["takes no --destinations"]),
            (["zero", "--destinations", "2"], ["takes no --destinations"]),
            (["buckets", *config, "--destinations", "0"], ["destinations=0", "1 to"]),
            (["buckets", *config, "--parameter-groups", "3"], ["parameter-groups=3", "1 to 2"]),
            (["explain", "0", *config], ["number=0", "1 to"]),
            (["explain", "twelve", *config], ["number"]),
            (["explain", "12", *config, "extra"], ["see ringside plan --help"]),
            (["zero", *config, "--order", "backward"], ["plan zero takes no --order", "--config"]),
            (["zero", *config, "--head-bias"], ["--head-bias", "--classes"]),
            (["zero", "--lm-head"], ["plan zero takes no --lm-head"]),
        ):
            self.assert_fails(["plan", *words], USAGE, *parts)

    def test_files_that_are_no_model(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "config.json")
            for content, parts in ((None, ["cannot be read"]), (b"", ["not JSON"]), (b"[" * 10**6, ["nested deeper than 32"]),
                                   (b" " * (2**20 + 1), ["longer than the 1,048,576 bytes"])):
                if content is not None:
                    with open(path, "wb") as file:
                        file.write(content)
                for words in (["buckets"], ["explain", "12"]):
                    self.assert_fails(["plan", *words, "--config", path], INPUT, path, *parts)
            self.assert_fails(["plan", "buckets", "--config", folder], INPUT, folder)


if __name__ == "__main__":
    unittest.main()
