"""Command lines that cannot be read, and every exit code."""
import os
import re
import subprocess
import tempfile
import unittest

from support import CHECK_FAILED, DEADLINE, INPUT, RINGSIDE, SOURCE, USAGE, TerminalTest, environment, ringside


class Usage(TerminalTest):
    def setUp(self):
        self.addCleanup(os.chdir, os.getcwd())

    def test_unknown_commands_name_what_there_is(self):
        self.assert_fails(["lsit"], USAGE, "lsit", "did you mean list?", "run, say, review, mock, drill, path, bench, plan, flight, autopsy, on_call, train, evaluate, predict, help")
        self.assert_fails(["trian"], USAGE, "did you mean train?", "there are: list, run, say, review, mock, drill, path, bench, plan, flight, autopsy, on_call, train")
        self.assert_fails(["example"], USAGE, "ringside run example")
        self.assert_fails([""], USAGE)

    def test_run_knows_every_command_before_the_first_build(self):
        with open(os.path.join(SOURCE, "run"), encoding="utf-8") as script:
            known = re.search(r"^commands=\(run build (.*?)\)", script.read(), re.M)[1].split()
        said = re.findall(r"^  ([a-z_]+) {2,}[A-Z]", self.run_ok("--help").split("Subcommands:")[1], re.M)
        self.assertEqual(sorted(known), sorted(set(said) - {"run"}))

    def test_unknown_lessons_name_what_there_is(self):
        self.assert_fails(["run", "exmaple"], USAGE, "did you mean example?", "there are: example, faults")
        self.assert_fails(["help", "nothing"], USAGE, "there are: example, faults")
        self.assert_fails(["run"], USAGE, "which lesson?", "example, faults")

    def test_unknown_options(self):
        for line in ("list extra", "run example --steps 3", "run example -x", "plan zero --rank 4", "help example extra"):
            self.assert_fails(line.split(), USAGE, f"see ringside {line.split()[0]} --help")
        self.assert_fails(["run", "example", "--steps=3"], USAGE, "parameters are written without dashes, name=value")
        self.assert_fails(["--jsn"], USAGE, "see ringside --help")
        self.assert_fails(["list", "--jsn"], USAGE, "(did you mean --json?); see ringside list --help")

    def test_bad_parameters_name_the_key_and_what_is_allowed(self):
        for words, parts in (
            (["ranks=9"], ["ranks=9", "allowed are 1 to 8"]),
            (["ranks=0"], ["allowed are 1 to 8"]),
            (["ranks="], ["ranks=", "missing", "allowed are 1 to 8"]),
            (["ranks=nan"], ["ranks=nan", "allowed are 1 to 8"]),
            (["ranks=inf"], ["ranks=inf", "allowed are 1 to 8"]),
            (["ranks=99999999999999999999"], ["ranks=", "allowed are 1 to 8"]),
            (["elements=9Ti"], ["elements=9Ti", "allowed are 0 to 64Mi"]),
            (["ranks=2", "ranks=2"], ["ranks: given twice"]),
            (["rnaks=2"], ["rnaks", "did you mean ranks?", "elements, steps"]),
            (["ranks"], ["'ranks'", "expected name=value"]),
            ([""], ["expected name=value"]),
        ):
            self.assert_fails(["run", "example", *words], USAGE, *parts)
        self.assert_fails(["run", "faults", "how=nnoe"], USAGE, "did you mean none?", "brief, slow")

    def test_bad_plans(self):
        for words, parts in (
            ([], ["plan for zero"]),
            (["one"], ["plan one"]),
            (["schedule"], ["plan schedule: which one?", "1f1b p=4"]),
            (["schedule", "2f2b"], ["2f2b", "gpipe, 1f1b, interleaved, zb_h1, zb_v"]),
            (["schedule", "1f1b", "v=2"], ["it takes v=1", "interleaved"]),
            (["schedule", "1f1b", "p=65"], ["p=65", "0 to 64"]),
            (["schedule", "1f1b", "--classes", "2"], ["plan schedule takes no --classes", "p=, m="]),
            (["schedule", "F0 B0 / F0", "m=1"], ["stage 1: B0 is missing"]),
            (["zero", "1f1b"], ["plan zero takes no '1f1b'"]),
            (["steps", "1", "p=2"], ["plan steps takes no 'p=2'"]),
            (["zero", "--parameters", "nan"], ["parameters=nan", "not a finite number"]),
            (["zero", "--parameters", "0"], ["parameters=0", "allowed are 1 to"]),
            (["zero", "--parameters", "1e999"], ["parameters=1e999"]),
            (["zero", "--parameters", "-1"], ["parameters"]),
            (["zero", "--parameters"], ["--parameters"]),
            (["zero", "--ranks", "0"], ["ranks=0", "allowed are 1 to"]),
            (["zero", "--ranks", "1.5"], ["ranks=1.5"]),
            (["zero", "--precision", "fp16"], ["precision=fp16", "bf16, fp32"]),
            (["zero", "--stage", "4"], ["stage=4", "allowed are all, 0, 1, 2, 3"]),
            (["zero", "--ranks", "4", "--ranks", "8"], ["--ranks"]),
            (["zero", "--optimizer", "adafactor"], ["optimizer=adafactor", "--config FILE"]),
            (["zero", "--config", "x.json", "--parameters", "5"], ["--config has the parameters"]),
            (["zero", "--classes", "5"], ["plan zero takes no --classes", "a model's --config"]),
        ):
            self.assert_fails(["plan", *words], USAGE, *parts)

    def test_bad_options_of_run(self):
        for words, parts in (
            (["--width", "39"], ["--width"]),
            (["--width", "wide"], ["--width"]),
            (["--width"], ["--width"]),
            (["--trace", "run.txt"], [".jsonl, .json or .chrome.json"]),
        ):
            self.assert_fails(["run", "example", *words], USAGE, *parts)

    def test_each_error_has_its_code(self):
        for how, code in (("internal", 1), ("foreign", 1), ("input", INPUT), ("memory", INPUT), ("lost", 5),
                          ("timeout", 6), ("mismatch", 7), ("checkpoint", 8), ("missing", 9)):
            self.assert_fails(["run", "faults", f"how={how}"], code)

    def test_an_error_shows_little_of_what_was_typed_and_no_control_character(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for typed in ("y" * 60000, "y\x1b[31m\r\x07\n\x9b" * 5000):
                for words in ((typed,), ("list", typed), ("list", "--" + typed), ("run", typed), ("help", typed), ("say", typed),
                              ("run", "example", typed), ("run", "example", typed + "=1"), ("run", "example", "ranks=" + typed),
                              ("run", "example", "elements=" + typed), ("run", "faults", "how=" + typed),
                              ("run", "example", "--width", typed), ("run", "example", "--figure", typed),
                              ("run", "example", "--figures", "--at", typed), ("run", "example", "--at", typed),
                              ("run", "example", "--trace", typed), ("run", "example", "--save", typed),
                              ("run", "example", "--save", typed + "/a.svg"), ("run", "example", "--trace", typed + "/a.json"),
                              ("bench", typed), ("bench", "step", typed, typed), ("bench", "step", "example 'a" + typed, "faults"),
                              ("bench", "norms", typed), ("bench", "optimizers", typed), ("bench", "step", "--rounds", typed),
                              ("plan", typed), ("plan", "zero", typed), ("plan", "zero", "--ranks", typed),
                              ("plan", "zero", "--optimizer", typed), ("plan", "buckets", "--config", typed),
                              ("plan", "explain", typed, "--config", typed), ("plan", "zero", "--classes", typed),
                              ("plan", "steps", "1", "--config", "x", "--order", typed), ("flight", typed), ("autopsy", typed),
                              ("ps", typed), ("ps", "simulate", "--link", typed), ("ps", "simulate", "--target", typed),
                              ("ps", "node", "--role", typed), ("gui", "--size", typed)):
                    done = ringside(*words)
                    with self.subTest(words=[word[:20] for word in words]):
                        self.assertIn(done.returncode, (USAGE, INPUT), done.stderr[:300])
                        self.assertRegex(done.stderr.decode(), r"\Aringside: [^\x00-\x1f\x7f-\x9f]{10,900}\n\Z")

    def test_a_file_has_a_name(self):
        for words in (("run", "example", "--trace", ""), ("run", "example", "--save", ""), ("run", "example", "--figure", ""),
                      ("run", "example", "--figures", "--at", ""), ("flight", ""), ("plan", "buckets", "--config", ""),
                      ("ps", "node", "--role", "scheduler", "--file", ""), ("gui", "--trace", ""), ("gui", "--script", ""),
                      ("gui", "--screenshot", ""), ("gui", "--data-folder", ""), ("gui", "--config-folder", "")):
            self.assert_fails(words, USAGE, "a name is missing")

    def test_a_failed_check_is_shown_and_then_fails(self):
        done = ringside("run", "faults", "how=check")
        self.assertEqual(done.returncode, CHECK_FAILED)
        self.assertIn(b"SUMMARY", done.stdout)
        self.assertEqual(done.stderr, b"ringside: check failed: as planted\n")

    def test_a_claim_that_fails_is_no_failure(self):
        self.assertIn("SUMMARY", self.run_ok("run", "faults"))

    def test_a_number_out_of_range_names_what_is_allowed(self):
        for words, part in ((["path", "--minutes", "0"], "0: allowed are 1 to 240"),
                            (["convert", "a", "b", "--shard-bytes", "0"], "0: allowed are 1 to"),
                            (["convert", "a", "b", "--step", "abc"], "abc is not a whole number"),
                            (["ps", "simulate", "--target", "2"], "2: allowed are 0 to 1"),
                            (["ps", "simulate", "--workers", "10,x"], "x is not a whole number"),
                            (["ps", "simulate", "--costs", "1,2"], "2 of 4 numbers"),
                            (["list", "--width", "7"], "--width")):
            self.assert_fails(words, USAGE, part)

    def test_a_whole_number_may_have_an_exponent(self):
        self.assert_fails(["path", "--seed", "5e-1"], USAGE, "5e-1 is not a whole number")
        self.assert_fails(["path", "--seed", "1e30"], USAGE, "1e30 is not a whole number")
        self.assert_fails(["ps", "simulate", "--workers", "2e1,1e5"], USAGE, "100000: allowed are 1 to 10000")
        self.assert_fails(["ps", "simulate", "--workers", "2e1", "--batch", "1e1"], USAGE, "20 workers", "batch=10")

    def test_the_nearest_name_or_an_example_is_offered(self):
        for words, part in ((["ps", "simulat"], "did you mean simulate?"), (["drill", "ring_allreduce"], "did you mean ring_all_reduce?"),
                            (["evaluate"], "as in: ringside evaluate trained"), (["flight"], "ringside flight dumps/"),
                            (["autopsy"], "ringside autopsy train.log")):
            self.assert_fails(words, USAGE, part)
        self.assert_fails(["plan", "schedule", "1f1b", "q=4"], USAGE, "q: plan schedule has no such parameter")

    def test_a_trace_that_cannot_be_written(self):
        done = ringside("run", "example", "steps=1", "--trace", "/nowhere/at/all.jsonl")
        self.assertEqual(done.returncode, INPUT)
        self.assertIn(b"/nowhere/at/all.jsonl: there is no folder", done.stderr)
        with tempfile.TemporaryDirectory() as folder:  # before the run: none begins
            os.mkdir(os.path.join(folder, "a.json"))
            self.assert_fails(("run", "faults", "how=timeout", "--trace", os.path.join(folder, "a.json")), INPUT, "it is a folder")

    def test_a_disk_that_is_full_is_said(self):
        for words in (["list"], ["--help"], ["run", "example", "steps=1", "--json", "--quiet"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([RINGSIDE, *words], stdout=full, stderr=subprocess.PIPE, timeout=DEADLINE, env=environment())
            self.assertEqual(done.returncode, INPUT, words)
            self.assertIn(b"the output cannot be written: No space left on device", done.stderr)

    def test_a_failed_run_says_its_own_error_first_where_its_trace_cannot_be_saved(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "run.jsonl")
            os.symlink("/dev/full", file)
            done = ringside("run", "faults", "how=timeout", "--trace", file)
            self.assertEqual(done.returncode, 6)
            lines = done.stderr.decode().splitlines()
            self.assertIn("planted", lines[0])
            self.assertIn(file + ": ", lines[1])
            self.assertIn("cannot be written", lines[1])

    def test_the_program_is_named_as_it_was_called(self):
        for words, parts in ((["list"], ["\n./run LESSON", "\n./run say LESSON"]),
                             (["--help"], ["  ./run zero      ", "  ./run say zero  "]),
                             (["train", "--help"], ["./run train"]), (["bench"], ["./run bench step"])):
            text = self.run_ok(*words, RINGSIDE_CALLED="./run")
            for part in parts:
                self.assertIn(part, text)
            self.assertNotIn("ringside run", text)
            self.assertIn("ringside ", self.run_ok(*words))
        self.assertIn("/{a}/run drill NAME", self.run_ok("drill", RINGSIDE_CALLED="/{a}/run"))
        done = ringside("example", RINGSIDE_CALLED="./run")
        self.assertEqual(done.stderr, b"ringside: 'example' is a lesson: ./run example [name=value ...]\n")

    def test_the_trace_of_a_run_that_failed_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "run.jsonl")
            self.assertEqual(ringside("run", "faults", "how=timeout", "--trace", file).returncode, 6)
            self.assertGreater(os.path.getsize(file), 0)

    def test_the_second_program_alone_says_what_to_call(self):
        done = subprocess.run([RINGSIDE + "-run", "list"], capture_output=True)
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"call ringside", done.stderr)


if __name__ == "__main__":
    unittest.main()
