"""PyTorch's own analyzer reads the pickles and sees in them what our report says. Skipped where it is not
installed; seen with torch 2.15.0."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

from dumps import report_of, write_dumps

TOOL = os.environ.get("RINGSIDE_TORCHFRTRACE") or shutil.which("torchfrtrace")

# Where the tool is of our opinion. It does not know roots, waits over groups or what a call carries, and of a
# send it expects every rank of the group to take part.
SITUATIONS = ["one_late", "skip_sizes_differ", "skip_in_silence", "extra_call", "wrong_size", "wrong_dtype",
              "wrong_op", "one_batch_more", "evaluates_alone", "short_memory", "all_well", "a_chain"]


def run(*words):
    done = subprocess.run([TOOL, "-p", "rank_", *map(str, words)], capture_output=True, text=True, timeout=240)
    return done.returncode, done.stdout + done.stderr


def findings(text):
    """{(group, seq): ("missing", ranks) or (state, ranks)} of what the tool prints."""
    found = {}
    for block in re.split(r"^(?=Not all ranks joining|Collective sequence number)", text, flags=re.M):
        seq = re.search(r"sequence number: (\d+)", block)
        if not seq:
            continue
        group = re.search(r"^group info: ([^:\n]+)", block, re.M).group(1)
        missing = re.search(r"^missing ranks: \{(.*)\}", block, re.M)
        if missing:
            found[group, int(seq.group(1))] = ("missing", {int(rank) for rank in missing.group(1).split(",")})
        else:
            culprits = re.findall(r"Culprit rank (\d+); Error type: (\w+)", block)
            found[group, int(seq.group(1))] = (culprits[0][1], {int(rank) for rank, _ in culprits})
    return found


def expected(report):
    ours = {}
    for stuck in report["stuck"]:
        key = stuck["call"]["group"], stuck["call"]["seq"]
        if stuck["disagreeing"]:
            ours[key] = (stuck["state"], set(stuck["disagreeing"]))
        elif stuck["missing"]:
            ours[key] = ("missing", set(stuck["missing"]))
    return ours


class Torchfrtrace(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.situations = write_dumps(cls.folder.name)

    def test_it_finds_what_the_report_finds(self):
        with ThreadPoolExecutor(2) as pool:  # each imports torch, which takes seconds
            results = list(pool.map(lambda name: run(self.situations[name]), SITUATIONS))
        for name, (code, text) in zip(SITUATIONS, results):
            with self.subTest(situation=name, printed=text):
                self.assertEqual(code, 0)
                self.assertEqual(findings(text), expected(report_of(self.situations[name])))

    def test_a_rank_without_a_dump_is_named(self):
        gone = self.situations["one_gone"]
        self.assertEqual(report_of(gone)["suspects"], [2])
        code, text = run(gone)
        self.assertNotEqual(code, 0)
        self.assertIn("Missing dump files from ranks {2}", text)
        code, text = run(gone, "--allow-incomplete-ranks")
        self.assertEqual(code, 0, text)
        self.assertIn("missed FR dumps from ranks ({2})", text)

    def test_it_prints_all_entries(self):
        code, text = run(self.situations["receives_once_too_often"], "-j")
        self.assertEqual(code, 0, text)
        self.assertIn("Rank 0", text)
        self.assertIn("send(s=0 d=1, input_sizes=[[8]], state=completed)", text)
        self.assertIn("recv(s=0 d=1, input_sizes=[[8]], state=started)", text)
        code, text = run(self.situations["one_batch_more"], "-j", "--print_stack_trace")
        self.assertEqual(code, 0, text)
        self.assertIn("all_reduce(input_sizes=[[8]], state=started)", text)
        self.assertIn("'filename': 'logits'", text)


if __name__ == "__main__":
    if not TOOL:
        print("no torchfrtrace on PATH, and RINGSIDE_TORCHFRTRACE is not set: skipped")
        sys.exit(77)
    start = subprocess.run([TOOL, "--help"], capture_output=True, text=True, timeout=240)
    if start.returncode != 0:  # Debian 13's lacks one of its modules
        print(f"{TOOL} does not start: {start.stderr.strip().splitlines()[-1]}: skipped")
        sys.exit(77)
    unittest.main()
