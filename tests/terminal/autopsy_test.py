"""`ringside autopsy`: logs and dumps in, what stopped first out."""
import json
import os
import re
import subprocess
import tempfile
import unittest

from support import INPUT, RINGSIDE, USAGE, TerminalTest, environment

CALL = ("Watchdog caught collective operation timeout: WorkNCCL(SeqNum=56731, OpType=ALLREDUCE, NumelIn=467019003, "
        "NumelOut=467019003, Timeout(ms)=600000) ran for 600013 milliseconds before timing out.\n")
LOG = ("[rank2]: Traceback (most recent call last):\n[rank2]:   File \"/home/jane/train.py\", line 7, in load\n"
       "[rank2]: KeyError: 'label'\n" + "".join(f"[rank{rank}]:[E] [Rank {rank}] {CALL}" for rank in (0, 1, 3)))


class Autopsy(TerminalTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.log = os.path.join(self.folder.name, "train.log")
        with open(self.log, "w", encoding="utf-8") as file:
            file.write(LOG)

    def test_what_stopped_first_in_three_forms(self):
        text = self.run_ok("autopsy", self.log)
        self.assertIn("first         Rank 2 raised KeyError: 'label' (innermost frame train.py:7 in load) [certain]", text)
        self.assertIn("train.log:3: [rank2]: KeyError", text)
        self.assertIn("qwen2_5_vl_7b: head 899,835", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 98)
        narrow = self.run_ok("autopsy", self.log, "--width", "60")
        self.assertLessEqual(max(len(line) for line in narrow.splitlines() if "=" not in line), 60)
        self.assertIn("kubectl logs", self.run_ok("help", "autopsy"))
        report = self.valid("autopsy", self.run_ok("autopsy", self.folder.name, "--json"))
        self.assert_strict("autopsy", report)
        self.assertEqual((report["first"][0]["cause"], report["first"][0]["ranks"], report["first"][0]["sure"]),
                         ("exception", [2], "certain"))
        page = os.path.join(self.folder.name, "report.html")
        self.assertIn("- Rank 2 raised KeyError", self.run_ok("autopsy", self.log, "--markdown", "--save", page))
        with open(page, encoding="utf-8") as file:
            html = file.read()
        self.assertIn("Rank 2 raised KeyError: 'label'", html)
        self.assertIsNone(re.search(r"<script|https?://|src=|<stdin", html))

    def test_no_byte_of_a_log_reaches_the_terminal_as_it_is(self):
        gbk = ('[rank2]: Traceback (most recent call last):\n[rank2]:   File "/home/训练.py", line 7, in load\n'
               "[rank2]: KeyError: '标签\x1b[31m'\n").encode("gb18030")
        for form in ([], ["--markdown"]):
            done = subprocess.run([RINGSIDE, "autopsy", "-", *form], input=gbk, capture_output=True, timeout=60, env=environment())
            self.assertEqual(done.returncode, 0)
            self.assertNotIn("\x1b", done.stdout.decode())  # which is UTF-8
            self.assertIn("Rank 2 raised KeyError: '??", done.stdout.decode())

    def test_what_nobody_named_stands_behind_what_is_certain(self):
        text = self.run_ok("autopsy", self.log)
        self.assertLess(text.index("\ntry first"), text.index("\ncarries"))

    def test_a_page_is_saved_as_html_alone(self):
        self.assert_fails(["autopsy", self.log, "--save", os.path.join(self.folder.name, "x.txt")], USAGE, "must end in .html")

    def test_stdin_and_no_names(self):
        done = subprocess.run([RINGSIDE, "autopsy", "-", "--redact", "--json"], input=b"gpu7.example.com: /home/jane/x Error\n" + LOG.encode(),
                              capture_output=True, timeout=60, env=environment())
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertNotIn(b"jane", done.stdout)
        self.assertEqual(json.loads(done.stdout)["first"][0]["evidence"][0]["place"], "stdin:4")

    def test_settings(self):
        settings = os.path.join(self.folder.name, "ds")
        with open(settings, "w", encoding="utf-8") as file:
            file.write('{"zero_optimization": {"stage": 2, "reduce_bucket_size": 467019003}}')
        script = os.path.join(self.folder.name, "run.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\ntorchrun --nnodes 3 --nproc-per-node 2 train.py\n")
        text = self.run_ok("autopsy", "--config", settings, "--launch", "torchrun --nproc-per-node 5 a.py", self.log)
        self.assertIn("a bucket of gradients, of at most 467,019,003 elements", text)
        self.assertIn("the job       5 ranks on one node", text)
        self.assertIn("│ --launch: torchrun --nproc-per-node 5 a.py", text)
        report = self.valid("autopsy", self.run_ok("autopsy", self.folder.name, "--json"))
        self.assert_strict("autopsy", report)
        self.assertIn("6 ranks on 3 nodes", report["job"][0]["sentence"])
        self.assert_fails(["autopsy", self.log, "--launch", "python a.py"], INPUT, "--launch")
        self.assert_fails(["autopsy", self.log, "--launch", "torchrun --nnodes 0 a.py"], INPUT, "--nnodes 0")
        self.assert_fails(["autopsy", self.log, "--config", self.log], INPUT, "train.log")

    def test_what_is_refused(self):
        self.assert_fails(["autopsy"], USAGE, "paths")
        self.assert_fails(["autopsy", ""], USAGE, "a name is missing")
        self.assert_fails(["autopsy", "/nowhere"], INPUT, "/nowhere")
        self.assert_fails(["autopsy", self.log, "--config", "/nowhere"], INPUT, "/nowhere")
        self.assert_fails(["autopsy", self.log, "--save", "/nowhere/a.html"], INPUT, "/nowhere")
        asks = os.path.join(self.folder.name, "rank_0")
        with open(asks, "wb") as file:
            file.write(b"\x80\x02cposix\nsystem\n(X\x04\x00\x00\x00truetR.")
        self.assert_fails(["autopsy", asks], INPUT, "posix.system")
        self.assertIn("posix.system", self.run_ok("autopsy", self.folder.name))
        with tempfile.TemporaryDirectory() as empty:
            self.assert_fails(["autopsy", empty], INPUT, empty)


if __name__ == "__main__":
    unittest.main()
