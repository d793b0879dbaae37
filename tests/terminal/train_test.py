"""`ringside train`, `evaluate` and `predict`: what they leave, what they refuse, and that a cut changes nothing."""
import csv
import glob
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time
import unittest

from support import CHECKPOINT, DEADLINE, INPUT, INTERRUPTED, RINGSIDE, USAGE, TerminalTest, environment, ranks_of, ringside, skip_without_libuv, torchrun

TIMEOUT = 6
SMALL = ("hidden=16", "layers=1", "heads=2", "kv_heads=1", "intermediate=16", "max_tokens=16", "batch=8",
         "learning_rate=0.02", "--quiet")


def byte_tokenizer():
    """A tokenizer.json without merges: a token each byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = [chr(byte) for byte in plain] + [chr(256 + i) for i in range(256 - len(plain))]
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return json.dumps({"version": "1.0", "added_tokens": [], "normalizer": None, "pre_tokenizer": level,
                       "post_processor": None, "decoder": level,
                       "model": {"type": "BPE", "vocab": {letter: i for i, letter in enumerate(letters)}, "merges": []}})


class Train(TerminalTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = folder.name
        draw = random.Random(5)
        self.rows = [("".join(draw.choices("aeiou" if label == "vowels" else "bcdfg", k=12)), label)
                     for label in ("vowels", "consonants") for _ in range(30)]
        self.data = self.table("data.csv", [("text", "label"), *self.rows])

    def path(self, name):
        return os.path.join(self.home, name)

    def table(self, name, rows):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
        return self.path(name)

    def file(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def train(self, output, *words, start=()):
        """What a run says of itself as JSON."""
        named = {word.strip("-").split("=")[0] for word in words}
        small = [word for word in SMALL if word.split("=")[0] not in named]
        done = ringside("train", *start, "data=" + self.data, *small, "output=" + self.path(output), *words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def metrics(self, output):
        with open(os.path.join(self.path(output), "metrics.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_what_a_run_leaves_is_enough_to_go_on(self):
        said = self.train("run", "epochs=4", "--batch=12", start=[self.file("a.toml", '[training]\nbatch = 2\nseed = 1\n')])
        self.assertTrue(said["complete"])
        self.assertEqual(said["steps"], 16)
        self.assertEqual(said["held_out"]["samples"], 12)
        self.assertGreater(said["held_out"]["accuracy"], 0.9)
        self.assertEqual({"config.toml", "classes.json", "metrics.jsonl", "checkpoints", "best", "model"},
                         {name for name in os.listdir(self.path("run")) if not name.startswith("events.out.tfevents.")})
        lines = self.metrics("run")
        self.assertEqual([line["step"] for line in lines if "loss" in line], list(range(1, 17)))
        self.assertEqual([line["step"] for line in lines if "evaluation" in line], [4, 8, 12, 16])
        with open(self.path("run/model/config.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["id2label"], {"0": "consonants", "1": "vowels"})

        again = json.loads(self.run_ok("evaluate", self.path("run"), "--json"))
        self.assertEqual(again["confusion"], said["held_out"]["confusion"])
        other = json.loads(self.run_ok("evaluate", self.path("run"), self.data, "--json", "--processes", "2"))
        self.assertEqual(other["samples"], 60)

        texts = b"aeiouaeiou\n\nbcd\xff\xfe\r\nbcdfgbcdfg" + b"g" * 200_000  # the last one without an end of line
        done = subprocess.run([RINGSIDE, "predict", self.path("run")], input=texts, capture_output=True, timeout=DEADLINE)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        answers = [line.split("\t") for line in done.stdout.decode().splitlines()]
        self.assertEqual(len(answers), 4)
        self.assertEqual((answers[0][0], answers[3][0]), ("vowels", "consonants"))
        self.assertTrue(all(0.5 <= float(share) <= 1 for _, share in answers), answers)

    def test_the_settings_that_were_run_give_the_same_bits(self):
        explained = self.file("all.toml", self.run_ok("train", "--print-config", "class_weights=balanced"))
        said = self.train("run", "steps=3", "label_smoothing=0.1", "padding=left", "by_length=true", "fused=true", "packed=true", start=[explained])
        done = ringside("train", self.path("run/config.toml"), "output=" + self.path("again"), "--quiet", "--json")
        self.assertEqual(json.loads(done.stdout)["parameters_sha256"], said["parameters_sha256"], done.stderr)

    def test_a_run_that_is_cut_goes_on_with_the_same_bits_by_any_ranks(self):
        tokenizer = self.file("tokenizer.json", byte_tokenizer())
        long = ("steps=60", "evaluate_every=5", "save_every=7", "tokenizer=" + tokenizer)
        whole = self.train("whole", *long)
        words = [RINGSIDE, "train", "data=" + self.data, *SMALL, *long, "output=" + self.path("cut"), "--processes", "2"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        self.addCleanup(process.kill)
        end = time.monotonic() + DEADLINE
        while not (os.path.exists(self.path("cut/metrics.jsonl")) and len(self.metrics("cut")) > 8):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, INTERRUPTED, err)
        self.assertIn("INCOMPLETE", out.decode())
        self.assertIn("config.toml resume=true", out.decode())
        self.assert_fails(words[1:], INPUT, "has a run already", "resume=true", "output=")
        with open(self.path("cut/metrics.jsonl"), "a", encoding="utf-8") as file:  # as of one that was killed further on
            file.write('{"step": 59, "loss": 9}\n{"step": 60, "lo')
        os.rename(self.path("cut"), self.path("moved"))
        os.remove(tokenizer)  # the run has a copy
        done = ringside("train", self.path("moved/config.toml"), "resume=true", "--quiet", "--json")
        said = json.loads(done.stdout)
        self.assertEqual(said["output"], self.path("moved"))
        self.assertGreater(said["resumed_at"], 0)
        self.assertEqual(said["parameters_sha256"], whole["parameters_sha256"])
        self.assertEqual(said["held_out"], whole["held_out"])
        same = [[{**line, "ms": 0} for line in self.metrics(name)] for name in ("whole", "moved")]
        self.assertEqual(*same)

    def test_no_file_of_a_run_takes_the_place_of_a_closed_stdout(self):
        words = " ".join((*SMALL, "steps=2", "data=" + self.data, "output=" + self.path("closed")))
        done = subprocess.run(["bash", "-c", f"'{RINGSIDE}' train {words} >&-"], stderr=subprocess.PIPE, timeout=DEADLINE,
                              env=environment())
        self.assertEqual((done.returncode, done.stderr),
                         (INPUT, b"ringside: the output cannot be written: Bad file descriptor\n"))
        for file in pathlib.Path(self.path("closed")).rglob("*"):
            if file.is_file():
                self.assertNotIn(b"macro-F1 ", file.read_bytes(), file)

    def test_one_training_alone_writes_into_a_folder_and_no_file_is_one(self):
        words = ["train", "data=" + self.data, *SMALL, "steps=100000", "output=" + self.path("shared")]
        process = subprocess.Popen([RINGSIDE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        end = time.monotonic() + DEADLINE
        while not os.path.exists(self.path("shared/metrics.jsonl")):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        for more in ([], ["resume=true"]):
            self.assert_fails([*words, *more], INPUT, "another training writes into it", "output=")
        process.kill()
        process.communicate()
        self.assert_fails(words, INPUT, "has a run already")
        for output in (self.data, self.data + "/x"):
            self.assert_fails(["train", "data=" + self.data, *SMALL, "output=" + output], INPUT, "is a file", "output= names")

    def test_a_resume_that_is_refused_leaves_the_run_as_it_was(self):
        said = self.train("run", "steps=3")
        names = ("config.toml", "classes.json", "metrics.jsonl")
        left = lambda: [pathlib.Path(self.path("run/" + name)).read_bytes() for name in names]
        before = left()
        for word, says in (("hidden=32", "shape"), ("batch=4", "batch=8"), ("steps=2", "3 steps were taken")):
            self.assert_fails(("train", self.path("run/config.toml"), "resume=true", "--quiet", word), CHECKPOINT, says)
        self.assertEqual(left(), before)
        again = json.loads(self.run_ok("evaluate", self.path("run"), "--json"))
        self.assertEqual(again["loss"], said["held_out"]["loss"])

    def test_in_bf16_with_a_frozen_embedding_the_model_that_is_kept_has_the_figures_that_were_said(self):
        said = self.train("run", "steps=3", "precision=bf16", "freeze_embedding=on")
        again = json.loads(self.run_ok("evaluate", self.path("run"), "--json"))
        self.assertAlmostEqual(again["loss"], said["held_out"]["loss"], places=6)

    def test_the_batch_of_few_texts_is_in_config_toml(self):
        few = self.table("few.csv", [("text", "label"), *self.rows[:6], *self.rows[-6:]])
        words = [word for word in SMALL if not word.startswith("batch=")]
        self.run_ok("train", "data=" + few, *words, "steps=1", "output=" + self.path("few"))
        self.assertIn("\nbatch = 10\n", pathlib.Path(self.path("few/config.toml")).read_text("utf-8"))

    def test_want_of_memory_is_said_in_a_line(self):
        line = 'ulimit -v 4000000; exec "$0" train data=synthetic hidden=8192 steps=1 ranks=2 "$1"'
        done = subprocess.run(["bash", "-c", line, RINGSIDE, "output=" + self.path("run")], env=environment(),
                              capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, INPUT)
        self.assertIn("ringside: out of memory", done.stderr.splitlines()[-1])

    def test_every_optimizer_can_be_chosen(self):
        for name in ("adafactor", "muon", "lbfgs", "sgd"):
            said = self.run_ok("train", "--print-config", "optimizer=" + name)
            self.assertIn(name, said)
            self.assertIn("clip_norm = " + ("0" if name == "lbfgs" else "1"), said)

    def test_lbfgs_refuses_clipping_and_without_clipping_no_norm_is_written(self):
        self.train("run", "steps=3", "optimizer=lbfgs")
        steps = [line for line in self.metrics("run") if "learning_rate" in line]
        self.assertEqual(len(steps), 3)
        for line in steps:
            self.assertNotIn("gradient_norm", line)
        self.assert_fails(("train", "data=" + self.data, "output=" + self.path("other"), *SMALL, "optimizer=lbfgs",
                           "clip_norm=1"), USAGE, "optimizer=lbfgs")

    def test_a_rank_that_is_killed_is_started_again_by_torchrun_and_the_run_goes_on(self):
        long = ("steps=200", "evaluate_every=40", "save_every=10")
        start = torchrun(self, self.path("log"), 2, "--max_restarts", "3", "--monitor_interval", "0.2")
        process = subprocess.Popen([*start, RINGSIDE, "train", "data=" + self.data, *SMALL, *long,
                                    "output=" + self.path("killed")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment())
        self.addCleanup(process.kill)
        end = time.monotonic() + DEADLINE
        while not glob.glob(self.path("killed/checkpoints/step-*")):
            self.assertLess(time.monotonic(), end)
            if process.poll() is not None:
                said = process.communicate()[1]
                skip_without_libuv(self, said)
                self.fail(f"it ended by itself: {said}")
            time.sleep(0.01)
        os.kill(ranks_of(process.pid)[1], signal.SIGKILL)
        before = self.metrics("killed")
        _, err = process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn(b"exitcode: -9", err)
        self.assertEqual(self.metrics("killed")[:10], before[:10], "it began anew")  # their times among them
        self.train("whole", *long)
        same = [[{**line, "ms": 0} for line in self.metrics(name)] for name in ("whole", "killed")]
        self.assertEqual(*same)
        weights = []
        for name in ("whole", "killed"):
            with open(self.path(name + "/model/model.safetensors"), "rb") as file:
                weights.append(file.read())
        self.assertEqual(*weights)

    def test_it_stops_where_nothing_gets_better_and_keeps_the_best(self):
        said = self.train("run", "steps=40", "learning_rate=0", "evaluate_every=2", "patience=3")
        self.assertEqual((said["complete"], said["stopped_early"], said["steps"], said["kept_step"]), (True, True, 8, 2))
        self.assertEqual(len(glob.glob(self.path("run/best/step-000002"))), 1)

    def test_settings_that_are_wrong_name_the_place_and_what_to_do(self):
        def toml(text):
            return self.file(f"wrong_{abs(hash(text))}.toml", text)

        for words, code, parts in (
            ([], USAGE, ["data= is missing", "reviews.csv"]),
            (["lerning_rate=1"], USAGE, ["lerning_rate", "did you mean learning_rate?", "--print-config"]),
            (["learning_rate=nan"], USAGE, ["learning_rate=nan", "not a finite number"]),
            (["model.batch=3"], USAGE, ["batch", "[training]", "not in [model]"]),
            (["momentum=0.9"], USAGE, ["momentum"]),
            (["optimizer=sgd", "beta1=0.9"], USAGE, ["beta1"]),
            (["batch=4", "batch=5"], USAGE, ["batch: given twice"]),
            (["batch"], USAGE, ["batch", "name=value"]),
            (["norm=batch"], USAGE, ["norm=batch", "rms, layer"]),
            (["batch=49", "data=" + self.data], USAGE, ["batch=49", "48 texts"]),
            (["warmup=9", "steps=3", "data=synthetic"], USAGE, ["warmup=9", "3 steps"]),
            (["hidden=17", "data=synthetic"], USAGE, ["17"]),
            ([self.path("none.toml")], INPUT, ["none.toml"]),
            ([toml("[training]\nbatch = 4\nsteps 3\n")], INPUT, [".toml:3"]),
            ([toml("[training]\nbatch = 4\nstesp = 3\n")], INPUT, [".toml:3", "did you mean steps?"]),
            ([toml("[model]\nbatch = 4\n")], INPUT, [".toml:2", "[training]"]),
            ([toml("[training]\nlearning_rate = nan\n")], INPUT, [".toml:2", "not a finite number"]),
            ([toml("[training]\nbatch = [4]\n")], INPUT, [".toml:2", "batch", "expected a text"]),
            ([toml("a = 1"), toml("a = 1")], USAGE, ["one .toml file"]),
            (["data=synthetic", "--trace", "x.txt"], USAGE, [".jsonl, .json or .chrome.json"]),
        ):
            self.assert_fails(["train", *words, "output=" + self.path("none")], code, *parts)
        self.assertFalse(os.path.exists(self.path("none")))

    def test_data_that_are_wrong_name_the_place_and_what_to_do(self):
        for data, words, parts in (
            (self.path("none.csv"), [], ["none.csv"]),
            (self.data, ["text_column=review"], ["review", "text"]),
            (self.table("one.csv", [("text", "label"), ("a", "x"), ("b", "x")]), [], ["'x'", "two classes"]),
            (self.table("short.csv", [("text", "label"), ("a", "x"), ("b", "")]), [], ["3"]),
            (self.file("empty.csv", ""), [], ["empty.csv"]),
            (self.data, ["pretrained=" + self.path("gone")], ["gone: there is no such folder", "pretrained=FOLDER"]),
        ):
            self.assert_fails(["train", "data=" + data, *words, "output=" + self.path("none")], INPUT, *parts)
        self.assertFalse(os.path.exists(self.path("none")))

    def test_what_is_no_run_is_refused_and_a_line_that_never_comes(self):
        self.assert_fails(["evaluate", self.home], INPUT, "config.toml", "ringside train left")
        self.assert_fails(["predict", self.path("none")], INPUT, "config.toml")
        self.train("run", "steps=1")
        self.assert_fails(["evaluate", self.path("run"), self.table("new.csv", [("text", "label"), ("a", "z"), ("b", "z")])],
                          INPUT, "z")
        with subprocess.Popen([RINGSIDE, "predict", self.path("run"), "--deadline", "0.2"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
            self.assertEqual(process.wait(DEADLINE), TIMEOUT)
            self.assertIn(b"no line came within 200.0 ms", process.stderr.read())
        os.remove(self.path("run/model/model.safetensors"))
        self.assert_fails(["predict", self.path("run")], INPUT, "model")


if __name__ == "__main__":
    unittest.main()
