"""`ringside drill`: functions that a person writes, judged; what they do wrong has a name; nothing that they run stays."""
import glob
import json
import os
import signal
import subprocess
import time
import unittest

from support import CHECK_FAILED, INPUT, INTERRUPTED, RINGSIDE, SOURCE, USAGE, KeptTest, environment, ringside

TEXTS = os.path.join(SOURCE, "assets", "drills")
DRILLS = sorted(os.listdir(os.path.join(TEXTS)))
DRILLS = [name for name in DRILLS if not name.startswith("harness")]
MISSING = 9

# Of each solution what is changed, and the reason that is then given.
WRONG = {
    "ring_all_reduce.py": [
        ("k = comm.rank + 1 - step\n", "continue\n", "the all-gather is missing"),
        ("n, size = len(buffer), comm.size", "n, size = len(buffer) // comm.size * comm.size, comm.size", "the remainder is left out"),
        ("comm.rank - 1", "comm.rank + 1", "rank 0 waits in recv 1"),
    ],
    "shard_bounds.py": [
        ("rank * n // ranks, (rank + 1) * n // ranks", "rank * (n // ranks), n if rank == ranks - 1 else (rank + 1) * (n // ranks)",
         "the remainder goes to the last rank only"),
        ("rank * n // ranks, (rank + 1) * n // ranks", "-(-n // ranks) * rank, min(n, -(-n // ranks) * (rank + 1))", "each shard is rounded up"),
    ],
    "adamw_step.py": [
        ("**t)", "**t * 0)", "bias correction left out"),
        ("w[i] -= lr * weight_decay * w[i]", "g[i] += weight_decay * w[i]", "weight decay inside the gradient (L2), not decoupled"),
        ("(v[i] / (1 - beta2**t)) ** 0.5", "(v[i] / (1 - beta2**t) + eps) ** 0.5 - eps", "eps inside the root"),
    ],
    "online_softmax.py": [
        ("total = total * factor +", "total = total +", "the sum is not rescaled where the maximum grows"),
        ("if now == -inf:", "if False:", "a block that is all hidden gives NaN"),
        ("now = max([most, *block])", "now = most = 0", "OverflowError"),
    ],
    "layer_norm_backward.py": [
        ("a - mean_g - b * mean_gu", "a", "mean and scale taken as constants"),
        ("dw[i] += dys[i] * u[i]", "dw[i] += dys[i] * row[i]", "dw sums dy x"),
    ],
    "bucket_order.py": [
        ("reversed(range(len(sizes)))", "range(len(sizes))", "in the order of the forward pass"),
        ("filled + sizes[i] > most", "filled >= most", "a bucket ends behind the gradient that fills it"),
    ],
    "one_f_one_b.py": [
        ("f - b < p - stage", "True", "all forwards first: GPipe"),
        ("f - b < p - stage", "f - b <= stage", "stages counted from the end"),
    ],
    "exchange.py": [
        ("comm.rank % 2 == 0", "True", "all ranks send first"),
        ("comm.size == 1", "False", "a rank that is alone sends to itself"),
    ],
    "key_ranges.py": [
        ("bisect_right(begins", "bisect.bisect_left(begins", "a range's begin is given to the range before"),
        ("-1 if i == len(begins) else i - 1", "min(i, len(begins) - 1) - 1", "keys behind the end are given to the last range"),
    ],
    "loss_scale.py": [
        ("good = good + 1 if finite else 0", "good += finite", "an overflow does not begin the count again"),
        ("isfinite(g) for", "abs(g) != float('inf') for", "a NaN is not seen"),
    ],
    "shard_bounds.cpp": [("return {rank * n / ranks, (rank + 1) * n / ranks}", "return {n / ranks * rank, n / ranks * (rank + 1)}",
                          "the remainder is dropped")],
    "exchange.cpp": [("comm.rank % 2 == 1", "false", "rank 0 waits in recv 1")],
    "adamw_step.cpp": [(", t)", ", t + 1)", "the first step counts as t = 2")],
}


class DrillTest(KeptTest):
    def setUp(self):
        super().setUp()
        self.temporary = os.path.join(self.home, "tmp")
        os.makedirs(self.temporary)
        self.changes = {"XDG_DATA_HOME": self.home, "TMPDIR": self.temporary}

    def judge(self, name, text, ending=".cpp", **changes):
        """Exit code and all that is said of a file with that text."""
        path = os.path.join(self.home, "mine" + ending)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = ringside("drill", name, path, "--width", "400", **dict(self.changes, **changes))
        self.assert_nothing_is_left()
        return done.returncode, (done.stdout + done.stderr).decode()

    def assert_nothing_is_left(self):
        self.assertEqual(os.listdir(self.temporary), [])
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                with open(path, "rb") as file:
                    self.assertNotIn(self.temporary.encode(), file.read(), path)
            except OSError:
                pass

    def solution(self, name, ending):
        return self.run_ok("drill", name, "--solution", *(["--python"] if ending == ".py" else []))

    def test_every_solution_passes(self):
        self.assertEqual(len(DRILLS), 10)
        for name in DRILLS:
            for ending in (".cpp", ".py"):
                code, said = self.judge(name, self.solution(name, ending), ending)
                self.assertEqual(code, 0, said)
                self.assertIn("cases agree with", said)

    def test_a_wrong_one_fails_and_its_reason_is_named(self):
        self.assertLessEqual(set(DRILLS), {file.partition(".")[0] for file in WRONG})
        for file, changes in WRONG.items():
            name, ending = os.path.splitext(file)
            right = self.solution(name, ending)
            for old, new, reason in changes:
                self.assertIn(old, right)
                text = "import bisect\n" + right.replace(old, new) if ending == ".py" else right.replace(old, new)
                code, said = self.judge(name, text, ending)
                self.assertEqual(code, CHECK_FAILED, said)
                self.assertIn(reason, said)

    def test_what_is_there_is_never_written_over(self):
        folder = os.path.join(self.home, "a", "b")
        words = ("drill", "one_f_one_b", "--python", "--folder", folder)
        self.assertIn("def one_f_one_b(p, m, stage):", self.run_ok(*words, **self.changes))
        self.assertIn("as it was written", ringside(*words, **self.changes).stdout.decode())
        path = os.path.join(folder, "one_f_one_b.py")
        with open(path, "a", encoding="utf-8") as file:
            file.write("print('hello')\n")
        done = ringside(*words, **self.changes)
        self.assertEqual(done.returncode, CHECK_FAILED)
        for part in ("case 1 of 6 fails", "p = 1", 'expected passes = ["F0","B0","F1","B1"]', "got passes = []", "It wrote:\n    hello"):
            self.assertIn(part, done.stdout.decode())
        with open(path, encoding="utf-8") as file:
            self.assertIn("hello", file.read())

    def test_limits_end_it_and_say_so(self):
        shards = "#include <vector>\n#include <utility>\nstd::pair<long, long> shard_bounds(long n, int ranks, int rank) {\n%s\n}\n"
        for body, reason in (("for (;;) {}", "2 s of processor time|not done after 20 s"),  # the second where ten others run
                             ("std::vector<char> all(10'000'000'000); return {all[1], 0};", r"std::bad_alloc \(it may have 1024 MiB\)"),
                             ("return {*(volatile int*)8, 0};", "SIGSEGV")):
            code, said = self.judge("shard_bounds", shards % body)
            self.assertEqual(code, CHECK_FAILED, said)
            self.assertRegex(said, reason)
        python = "import os, sys\ndef shard_bounds(n, ranks, rank):\n    %s\n"
        for body, reason in (("return bytearray(10**10)", "mine.py:3: MemoryError (it may have 1024 MiB)"),
                             ("os.fork(); return sys.stdin.read(), 1 / 0", "mine.py:3: ZeroDivisionError"),
                             ("[os.fork() for _ in range(8)]; import time; time.sleep(9)", "more than 64 processes"),
                             ("os._exit(0)", "ended by itself, with exit code 0"),
                             ("return [0] * 10**6", "cannot be read")):
            code, said = self.judge("shard_bounds", python % body, ".py")
            self.assertEqual(code, CHECK_FAILED, said)
            self.assertIn(reason, said)

    def test_compile_errors_have_the_persons_lines(self):
        code, said = self.judge("shard_bounds", "#include <utility>\n\nstd::pair<long, long> shard_bounds(long n, int, int) { return m; }\n")
        self.assertEqual(code, INPUT)
        self.assertIn("\n  mine.cpp:3:", said)
        self.assertNotIn(self.temporary, said)
        code, said = self.judge("shard_bounds", "#include <utility>\nstd::pair<long, long> shard_bounds(long, int) { return {}; }\n")
        self.assertIn("has other parameters than it had at first", said)
        code, said = self.judge("shard_bounds", "def shard_bounds(n:\n", ".py")
        self.assertEqual(code, CHECK_FAILED)
        self.assertIn("mine.py:1: SyntaxError", said)

    def test_ctrl_c_ends_all_of_it(self):
        path = os.path.join(self.home, "mine.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("import time\nprint('here')\ntime.sleep(100)\n")
        with subprocess.Popen([RINGSIDE, "drill", "exchange", path], env=environment(**self.changes), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            children = f"/proc/{process.pid}/task/{process.pid}/children"
            while "python" not in self.command_of(children):
                self.assertIsNone(process.poll(), "it ended by itself")
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)
        self.assertEqual((process.returncode, said[0]), (INTERRUPTED, b""), said)
        self.assert_nothing_is_left()

    @staticmethod
    def command_of(children):
        try:
            with open(children, encoding="utf-8") as file, open(f"/proc/{file.read().split()[0]}/cmdline", encoding="utf-8") as command:
                return command.read()
        except (OSError, IndexError):
            return ""

    def test_a_judgement_is_a_review(self):
        right = self.solution("loss_scale", ".py")
        for text in (right.replace("isfinite(g) for", "True for"), right.replace("isfinite(g) for", "True for"), right, right):
            self.judge("loss_scale", text, ".py")
        with open(os.path.join(self.home, "ringside", "reviews.jsonl"), encoding="utf-8") as file:
            kept = [json.loads(line) for line in file][1:]
        self.assertEqual([(one["card"], one["rating"]) for one in kept], [("code/loss_scale", 1), ("code/loss_scale", 3)])
        self.judge("loss_scale", right.replace("isfinite(g) for", "True for"), ".py")
        self.assertIn("loss_scale           dynamic loss scaling   (due)", self.run_ok("drill", **self.changes))

    def test_what_is_not_there_is_named(self):
        self.assert_fails(["drill", "ring"], USAGE, "there is no drill 'ring'", "key_ranges")
        self.assert_fails(["drill", "exchange", "/nowhere.cpp"], INPUT, "/nowhere.cpp")
        self.assert_fails(["drill", "exchange", "/dev/zero"], INPUT, "it is not a file")
        code, said = self.judge("shard_bounds", self.solution("shard_bounds", ".cpp"), PATH="/nowhere")
        self.assertEqual(code, MISSING)
        self.assertIn("install g++, or use --python", said)


if __name__ == "__main__":
    unittest.main()
