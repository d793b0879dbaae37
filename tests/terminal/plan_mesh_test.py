"""`plan mesh`: its page, its documents, and what it refuses. tests/planner holds the figures."""
import os
import unittest

from support import INPUT, SOURCE, USAGE, TerminalTest

LLAMA = os.path.join(SOURCE, "assets/models/llama_3_1_8b.json")
GPT = ("--hidden", "12288", "--layers", "96", "--heads", "96", "--gpu", "a100", "--attention", "plain")


class PlanMesh(TerminalTest):
    def plan(self, *words):
        return self.valid("plan", self.run_ok("plan", "mesh", *words, "--json"))

    def page(self, *words):
        return self.run_ok("plan", "mesh", *words)

    def test_a_page_fits_a_screen_and_says_the_best_first(self):
        for words in ((), ("--ranks", "1024"), ("--ranks", "16384", "--batch", "16384"), ("--ranks", "1"), ("--memory", "1")):
            lines = self.page("--config", LLAMA, *words).splitlines()
            self.assertLessEqual(len(lines), 60, words)
            self.assertLessEqual(max(map(len, lines)), 80, words)
            self.assertFalse(any(line != line.rstrip() for line in lines), words)
        lines = self.page("--config", LLAMA, "--ranks", "64").splitlines()
        self.assertRegex(" ".join(lines[3:5]), r"Best: dp \d+ x tp \d+ x pp \d+, ZeRO \d: [\d.]+ s a step, MFU \d+ %")
        self.assertIn("No mesh can be trained", self.page("--config", LLAMA, "--memory", "1"))

    def test_the_document_is_the_page(self):
        document = self.plan(*GPT, "--ranks", "1024", "--batch", "1536", "--sequence", "2048")
        best = document["best"][0]
        self.assertEqual(best["dp"] * best["tp"] * best["pp"], 1024)
        self.assertAlmostEqual(sum(best["seconds_of"].values()), best["seconds"])
        memory = best["memory_bytes"]
        self.assertAlmostEqual(sum(v for k, v in memory.items() if k != "total"), memory["total"])
        self.assertLessEqual(memory["total"], 80e9)
        self.assertEqual(document["meshes"], len(document["best"]) + sum(r["count"] for r in document["refused"]))
        self.assertAlmostEqual(document["setup"]["parameters"] / 1e9, 174.6, 1)

    def test_one_can_ask_for_one_setting_and_a_typed_gpu(self):
        document = self.plan("--config", LLAMA, "--ranks", "64", "--tp", "4", "--pp", "2", "--chunks", "1", "--micro", "2",
                             "--stage", "1", "--recompute", "full")
        (best,) = document["best"]
        self.assertEqual((best["dp"], best["tp"], best["pp"], best["micro"], best["recompute"]), (8, 4, 2, 2, "full"))
        slow = self.plan("--config", LLAMA, "--ranks", "64", "--flops", "494.5", "--between", "1", "--node", "4")
        self.assertEqual((slow["setup"]["gpu"]["node"], slow["setup"]["gpu"]["between_bytes_per_s"]), (4, 1e9))
        self.assertGreater(slow["best"][0]["seconds"], 1.7 * self.plan("--config", LLAMA)["best"][0]["seconds"])

    def test_published_runs_have_a_document_and_a_page(self):
        document = self.valid("plan", self.run_ok("plan", "mesh", "--published", "--json"))
        self.assertLessEqual(document["median_time_error"], 0.15)
        self.assertLessEqual(document["median_memory_error"], 0.10)
        page = self.page("--published")
        self.assertLessEqual(max(map(len, page.splitlines())), 80)
        for run in document["runs"]:
            self.assertIn(run["name"], page)

    def test_plans_fit_the_width_that_is_asked_for(self):
        qwen = os.path.join(SOURCE, "assets/models/qwen2_5_vl_7b.json")
        for words in (["mesh", "--config", LLAMA, "--ranks", "64"], ["mesh", "--published"], ["zero"], ["steps", "56731", "--config", qwen, "--lm-head"],
                      ["buckets", "--config", qwen, "--lm-head"], ["explain", "467019003", "--config", qwen],
                      ["schedule", "1f1b", "p=4", "m=8"]):
            text = self.run_ok("plan", *words, "--width", "72")
            self.assertLessEqual(max(map(len, text.splitlines())), 72, text)

    def test_a_single_thing_is_said_as_one(self):
        page = self.page("--config", LLAMA, "--ranks", "1", "--batch", "1")
        self.assertIn("a step: 1 sequence of", " ".join(page.split()))
        self.assertIn("Of 1 mesh ", page)

    def test_small_models_have_figures_and_the_card_can_be_named(self):
        zero = self.run_ok("plan", "zero", "--parameters", "10", "--ranks", "2")
        self.assertIn("B per rank", zero)
        self.assertNotIn("0.000", zero)
        self.assertIn(" 40 GB hold", self.run_ok("plan", "zero", "--memory", "40"))
        of = lambda *words: self.valid("plan", self.run_ok("plan", "zero", "--json", *words))["stages"][0]["parameters_per_card"]
        self.assertAlmostEqual(of("--memory", "40") / of(), 0.5)

    def test_what_it_refuses(self):
        for words, parts in (
            ([], ["which model?", "--hidden"]),
            (["--hidden", "100", "--layers", "2", "--heads", "3"], ["must be a multiple of heads=3"]),
            (["--config", LLAMA, "--hidden", "64"], ["leave out --hidden"]),
            (["--config", LLAMA, "--gpu", "h10"], ["gpu", "h100"]),
            (["--config", LLAMA, "--ranks", "0"], ["ranks=0"]),
            (["--config", LLAMA, "--ranks", "1", "--tp", "3"], ["tp=3 does not divide ranks=1"]),
            (["--config", LLAMA, "--ranks", "8", "--tp", "4", "--pp", "4"], ["tp=4 times pp=4 does not divide ranks=8"]),
            (["--config", LLAMA, "--parameters", "7e9"], ["plan mesh takes no --parameters"]),
            (["--config", LLAMA, "--order", "backward"], ["plan mesh takes no --order"]),
        ):
            self.assert_fails(["plan", "mesh", *words], USAGE, *parts)
        self.assert_fails(["plan", "zero", "--gpu", "a100"], USAGE, "plan zero takes no --gpu")
        self.assert_fails(["plan", "zero", "--published"], USAGE, "plan zero takes no --published")
        self.assert_fails(["plan", "mesh", "--config", "/nowhere.json"], INPUT, "nowhere")


if __name__ == "__main__":
    unittest.main()
