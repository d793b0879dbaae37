"""`ringside bench`: what it refuses, what it says, and its document."""
import os
import signal
import subprocess
import time
import unittest

from support import DEADLINE, INPUT, INTERRUPTED, RINGSIDE, USAGE, TerminalTest, catches, environment

TEN, TWENTY = "faults how=none", "faults how=brief"  # ms, as their steps say


# The program of people is linked with it; the other one, without, loads half a second faster.
TORCH = os.environ["RINGSIDE_TORCH"] in ("ON", "1", "TRUE")
OF_PEOPLE = os.environ["RINGSIDE_OF_PEOPLE"]


class Bench(TerminalTest):
    def validate(self, text, schema="bench"):
        document = self.valid(schema, text)
        self.assert_strict(schema, document)
        return document

    def document(self, *words):
        return self.validate(self.run_ok("bench", "step", *words, "--json"))

    def test_it_lists_its_subjects(self):
        self.assertIn("ringside bench step", self.run_ok("bench"))
        self.assertIn("ringside bench optimizers", self.run_ok("bench"))
        self.assertIn("ringside bench norms", self.run_ok("bench"))
        self.assert_fails(["bench", "--json"], USAGE, "which subject?", "step, optimizers, norms, collectives, server")
        self.assert_fails(["bench", "stpe"], USAGE, "no subject 'stpe' (did you mean step?); there are: step, optimizers, norms, collectives, server")
        self.assert_fails(["bench", "nosuch"], USAGE, "there is no subject 'nosuch'; there are: step")
        self.assert_fails(["bench", "server", "--seconds", "nan"], USAGE, "--seconds", "not a number")

    def test_lines_that_cannot_be_timed(self):
        for lines, parts in (
            ([], ["two scenario lines", "given: 0"]),
            ([TEN], ["given: 1"]),
            (["faults", "how=none"], ["'how=none' names no lesson", "in quotes"]),
            ([TEN, "fautls"], ["did you mean faults?", "example, faults"]),
            ([TEN, "example ranks=9"], ["ranks=9", "allowed are 1 to 8"]),
            ([TEN, "example"], ["example has no step to time", "lessons that have: faults"]),
            ([TEN, TEN, "--rounds", "0"], ["--rounds"]),
            ([TEN, TEN, "--warmup", "none"], ["--warmup"]),
        ):
            self.assert_fails(["bench", "step", *lines], USAGE, *parts)

    def test_a_step_that_fails_ends_as_a_run_does(self):
        self.assert_fails(["bench", "step", TEN, "faults how=input"], INPUT, "planted")
        self.assert_fails(["bench", "step", "faults how=timeout", TEN], 6)

    def test_which_takes_longer(self):
        for lines, ratio, verdict, words in (
            ((TWENTY, TEN), 2, "longer", "A takes longer than B."),
            ((TEN, TWENTY), 0.5, "shorter", "A takes less time than B."),
            ((TEN, TEN), 1, "cannot_be_told", "the interval contains 1."),
        ):
            document = self.document(*lines)
            self.assertEqual([document["ratio"][key] for key in ("median", "low", "high")], [ratio] * 3)
            self.assertEqual(document["verdict"], verdict)
            self.assertEqual((document["rounds"], document["complete"]), (60, True))
            self.assertGreaterEqual(document["ratio"]["confidence"], 0.95)
            text = self.run_ok("bench", "step", *lines)
            self.assertIn(words, text)
            self.assertIn(f"{ratio:.2f} [{ratio:.2f}, {ratio:.2f}]", text)

    def test_it_says_what_was_timed_and_where(self):
        document = self.document(TEN, TWENTY, "--rounds", "7", "--steps", "3", "--warmup", "4")
        a, b = document["sides"]
        self.assertEqual((a["name"], a["what"], a["median_ms"]), ("A", "a step of none", 10))
        self.assertEqual((b["name"], b["scenario"], b["round_ms"]), ("B", "faults how=brief label=''", [20] * 7))
        self.assertEqual((document["rounds"], document["steps_a_round"], document["warm_up_steps"]), (7, 3, 4))
        text = self.run_ok("bench", "step", TEN, TWENTY, "--rounds", "7", "--width", "60")
        for part in ("faults how=brief: a step of brief, median 20.00 ms", "LibTorch", "BLAS", "commit"):
            self.assertIn(part, " ".join(text.split()))
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 60)

    def test_few_rounds_tell_nothing_and_say_how_sure_they_are(self):
        document = self.document(TWENTY, TEN, "--rounds", "4")
        self.assertEqual((document["verdict"], document["ratio"]["confidence"]), ("cannot_be_told", 0.875))
        text = self.run_ok("bench", "step", TWENTY, TEN, "--rounds", "4")
        self.assertIn("87.5 %", text)
        self.assertIn("it takes 6 rounds or more", text)

    def test_interrupted_it_keeps_the_rounds_that_it_has(self):
        slow = "faults how=slow"
        process = subprocess.Popen([RINGSIDE, "bench", "step", slow, slow, "--rounds", "1000", "--json"],
                                   env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        end = time.monotonic() + DEADLINE
        while not catches(process.pid, signal.SIGINT) and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE)
        self.assertEqual((process.returncode, err), (INTERRUPTED, b""))
        document = self.validate(out)
        self.assertFalse(document["complete"])
        self.assertLess(document["rounds"], 1000)

    def optimizers(self, *words):
        return ("bench", "optimizers", *words, "--parameters", "5000", "--rounds", "6")

    def test_every_elementwise_optimizer_is_timed_beside_the_triad(self):
        document = self.validate(self.run_ok(*self.optimizers("--threads", "2", "--json"), program=OF_PEOPLE), "bench_optimizers")
        self.assertEqual((document["parameters"], document["threads"], document["complete"]), (5000, 2, True))
        rows = {row["optimizer"]: row for row in document["optimizers"]}
        bytes_of = {name: row["bytes_per_parameter"] for name, row in rows.items()}
        self.assertEqual([bytes_of[name] for name in ("sgd", "adamw", "amsgrad", "rmsprop")], [20, 28, 36, 20])
        self.assertNotIn("lamb", rows)
        for row in rows.values():
            with_torch = TORCH and row["torch_ms"] != []  # LibTorch's C++ has not each of them
            self.assertEqual((len(row["triad_ms"]), len(row["round_ms"]), len(row["torch_ms"])), (6, 6, 6 * with_torch))
            self.assertGreater(row["of_triad"]["low"], 0)
            self.assertEqual(row["torch_loop_takes"] is not None, with_torch)
        self.assertEqual((rows["adamw"]["torch_ms"] != [], rows["lion"]["torch_ms"]), (TORCH, []))

    def test_the_optimizers_that_are_named_are_timed(self):
        text = self.run_ok(*self.optimizers("lion", "adamw", "--width", "80"))
        self.assertEqual([line.split()[:2] for line in text.splitlines() if " % [" in line], [["lion", "20"], ["adamw", "28"]])
        for part in ("5,000 parameters", "threads: 1", "An array has 19.53 KiB.",
                     "without LibTorch"):
            self.assertIn(part, " ".join(text.split()))
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)
        self.assert_fails(self.optimizers("sophia"), USAGE, "there is no optimizer 'sophia'", "there are: adadelta")
        self.assert_fails(self.optimizers("adm"), USAGE, "did you mean adam?")
        self.assert_fails(self.optimizers("lamb"), USAGE, "lamb is not elementwise")
        self.assert_fails(self.optimizers("--threads", "0"), USAGE, "--threads")

    def test_options_of_another_subject_are_refused(self):
        self.assert_fails(["bench", "norms", "layer", "--keys", "100000"], USAGE, "bench norms takes no --keys",
                          "allowed are --rounds, --warmup")
        self.assert_fails(["bench", "server", "--steps", "2"], USAGE, "bench server takes no --steps", "--backups")
        self.assert_fails(["bench", "step", "a", "b", "--type", "bf16"], USAGE, "takes no --type")

    def test_layer_norm_and_rms_norm_are_timed_beside_the_triad(self):
        document = self.validate(self.run_ok("bench", "norms", "--rounds", "2", "--warmup", "1", "--json", program=OF_PEOPLE), "bench_norms")
        rows = document["norms"]
        self.assertEqual({row["norm"] for row in rows}, {"layer", "rms"})
        for row in rows:
            self.assertEqual((len(row["round_ms"]), len(row["triad_ms"]), len(row["torch_ms"])), (2, 2, 2 * TORCH))
            self.assertGreater(row["of_the_floor"]["low"], 0)
            self.assertEqual((row["torch_takes"] is None, row["torch_of_the_floor"] is None), (not TORCH, not TORCH))
            self.assertEqual([part["pass"] for part in row["passes"]], ["forward", "backward"])
            for both, *passes in zip(row["round_ms"], *(part["round_ms"] for part in row["passes"])):
                self.assertAlmostEqual(both, sum(passes))
        text = self.run_ok("bench", "norms", "rms", "--rounds", "1", "--warmup", "1", "--width", "80")
        self.assertNotIn("layer ", [line[:6] for line in text.splitlines()])
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)
        self.assert_fails(["bench", "norms", "layr"], USAGE, "no norm 'layr'", "did you mean layer?")

    def collectives(self, *words, most="4096"):
        return ("bench", "collectives", *words, "--rounds", "2", "--warmup", "1", "--from", "4096", "--to", most)

    def test_collectives_are_timed_beside_the_machines_limits_and_their_results_looked_at(self):
        names = ["all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all"]
        document = self.validate(self.run_ok(*self.collectives(*names, "--ranks", "3", "--json")), "bench_collectives")
        self.assertEqual([row["collective"] for row in document["sizes"]], names)
        for row in document["sizes"]:
            times = {time["how"]: time for time in row["times"]}
            sides = [how for how in times if how not in ("copy", "loopback")]
            self.assertEqual(row["count"] * 4, row["size"])
            self.assertEqual([how for how in sides if times[how]["wrong"] != 0], [])
            self.assertEqual((times["copy"]["wrong"], times["loopback"]["algbw_gb_per_s"]), (None, None))
            share = {"all_reduce": 4 / 3, "broadcast": 1}.get(row["collective"], 2 / 3)
            for how in sides:
                self.assertAlmostEqual(times[how]["busbw_gb_per_s"], times[how]["algbw_gb_per_s"] * share)
            own = "gloo" in sides  # as it is built
            self.assertEqual((row["fastest_of_gloo"] is not None, row["gloo_to_it"] is not None), (own, own))
            self.assertEqual("gloo_halving_doubling" in sides, own)
            self.assertEqual(row["collective"] != "reduce_scatter" and own, "gloo_bcube" in sides)

    def test_gloo_adds_no_bf16_by_itself(self):
        document = self.validate(self.run_ok(*self.collectives("--type", "bf16", "--json", most="16384")), "bench_collectives")
        self.assertEqual([row["size"] for row in document["sizes"]], [4096, 16384])
        for row in document["sizes"]:
            self.assertEqual([time["how"] for time in row["times"] if time["how"].startswith("gloo_")], [])
            self.assertEqual((row["count"] * 2, row["fastest_of_gloo"]), (row["size"], None))

    def test_collectives_in_words(self):
        text = self.run_ok(*self.collectives("--width", "80"))
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)
        for part in ("2 ranks, fp32, 2 rounds", "wrong", "the limits of threads"):
            self.assertIn(part, " ".join(text.split()))
        self.assert_fails(["bench", "collectives", "allreduce"], USAGE, "no collective 'allreduce'", "all_reduce")
        self.assert_fails(["bench", "collectives", "--ranks", "1"], USAGE, "--ranks")
        self.assert_fails(["bench", "collectives", "--from", "4096", "--to", "2048"], USAGE, "--from is larger than --to")


if __name__ == "__main__":
    unittest.main()
