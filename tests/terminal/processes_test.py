"""The ZeRO lesson with a process for each rank: what it prints, and how it ends. Whoever starts the ranks."""
import glob
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from support import DEADLINE, INTERRUPTED, RINGSIDE, USAGE, TerminalTest, environment, ranks_of, ringside, skip_without_libuv, torchrun

RANKS = 3
SMALL = ("run", "zero", f"ranks={RANKS}", "hidden=8", "layers=1", "tokens=8", "batch=12", "steps=2", "proof=off", "data=synthetic")
LONG = (*SMALL[:-3], "steps=100000", "proof=off", "data=synthetic", "stage=0")
PEER_LOST = 5


def facts(document):
    """What does not depend on time: figures, hashes, the ledger's predicted rows, verdicts but those of times."""
    outcome = {name: value for name, value in document["outcome"].items()
               if not name.endswith(("_ms", "seconds", "peak_bytes"))}
    ledger = [row for row in document["ledger"] if row["predicted"] is not None]
    verdicts = {claim["id"]: claim["verdict"] for claim in document["claims"] if claim["id"] != "overlap_helps"}
    return outcome, ledger, verdicts


class Processes(TerminalTest):
    @classmethod
    def setUpClass(cls):
        done = ringside(*SMALL, "--json", "--quiet")
        assert done.returncode == 0, done.stderr
        cls.threads = json.loads(done.stdout)

    def same(self, command, read=None, **changes):
        done = subprocess.run(command, capture_output=True, timeout=DEADLINE, stdin=subprocess.DEVNULL,
                              env=environment(**changes))
        skip_without_libuv(self, done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        document = self.valid("run", (done.stdout if read is None else read()).decode())
        self.assertEqual(facts(document), facts(self.threads))
        self.assertTrue(all(row["unexplained"] == 0 for row in document["ledger"]))

    def test_started_by_itself_with_a_trace_of_all_ranks(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "all.jsonl")
            self.same([RINGSIDE, *SMALL, "--json", "--processes", str(RANKS), "--trace", file])
            with open(file, encoding="utf-8") as lines:
                records = [json.loads(line) for line in lines]
        seen = {(one["type"], one["rank"]) for one in records if one.get("section") == 0}
        self.assertLessEqual({(kind, rank) for kind in ("collective", "memory", "span", "note") for rank in range(RANKS)}, seen)

    def test_over_gloo(self):
        if b"gloo" not in ringside(*SMALL, "--processes", "1", "--transport", "x").stderr:
            self.skipTest("this build is without Gloo")
        self.same([RINGSIDE, *SMALL, "--json", f"--processes={RANKS}", "--transport", "gloo"])
        with tempfile.TemporaryDirectory() as folder:  # the loader takes engine/gloo/gloo_peer_name.cpp for Gloo's own
            ringside("--version", LD_DEBUG="bindings", LD_DEBUG_OUTPUT=folder + "/all")
            with open(glob.glob(folder + "/*")[0], encoding="utf-8") as file:
                found = [line for line in file if "fromPeerName" in line]
        self.assertRegex("".join(found), "^.*libgloo.* to .*libringside_gloo.*\n$")

    def test_two_torchruns_at_neighbouring_ports(self):
        with tempfile.TemporaryDirectory() as folder:
            def read():  # what it shows of rank 0 has marks in it
                with open(glob.glob(folder + "/*/attempt_0/0/stdout.log")[0], "rb") as file:
                    return file.read()
            command = [*torchrun(self, folder, RANKS), RINGSIDE, *SMALL, "--json"]
            port = command[command.index("--master_port") + 1]
            changed = {folder: folder + "/next", port: str(int(port) + 1), str(RANKS): "2", f"ranks={RANKS}": "ranks=2"}
            beside = subprocess.Popen([*(changed.get(word, word) for word in command), "stage=2"], env=environment(),
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(beside.terminate)
            self.same(command, read)
            self.assertEqual(beside.wait(timeout=DEADLINE), 0)

    def test_mpirun(self):
        if not shutil.which("mpirun"):
            self.skipTest("no mpirun here")
        self.same(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(RANKS), RINGSIDE, *SMALL, "--json"])

    def start(self, *words):
        process = subprocess.Popen([RINGSIDE, *LONG, "--processes", str(RANKS), *words], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment())
        self.addCleanup(process.kill)
        line = process.stderr.readline().decode()
        self.assertIn(f"{RANKS} processes over Unix sockets; their clocks are aligned to rank 0's, within", line)
        return process

    def finish(self, process, ranks):
        out, err = process.communicate(timeout=DEADLINE)
        for pid in ranks.values():
            self.assertFalse(os.path.exists(f"/proc/{pid}"), "a rank is left")
        return process.returncode, out.decode(), err.decode()

    def assert_names_rank_2(self, ranks, err, folder):
        self.assertEqual(sorted(ranks), list(range(RANKS)))
        self.assertRegex(err, r"ringside: rank 0: .*rank 2 went away")
        self.assertIn(f"ringside: rank 2 (process {ranks[2]}) was ended by signal 9", err)
        for rank in (0, 1):
            with open(os.path.join(folder, f"rank_{rank}.log"), encoding="utf-8") as file:
                self.assertIn("rank 2 went away", file.read(), rank)

    def test_a_killed_rank_is_named_and_the_trace_outlives_it(self):
        """What the others recorded, and what that one had until shortly before; rank 1 keeps it where rank 0 is lost."""
        for lost, known in ((2, {0, 1, 2}), (0, {1})):
            with self.subTest(lost=lost), tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, "until_then.jsonl")
                process = self.start("--trace", file, "--log-dir", folder)
                ranks = ranks_of(process.pid)
                time.sleep(0.7)  # some steps, and some looks at them
                os.kill(ranks[lost], signal.SIGKILL)
                code, _, err = self.finish(process, ranks)
                self.assertEqual(code, PEER_LOST, err)
                with open(file, encoding="utf-8") as lines:
                    records = [json.loads(line) for line in lines]
                self.assertLessEqual(known, {one["rank"] for one in records if one.get("type") == "span"})
                if lost != 0:
                    self.assert_names_rank_2(ranks, err, folder)
                    self.assertIn("until_then.jsonl has what was recorded until then", err)

    def test_ctrl_c_ends_all_at_a_step(self):
        process = self.start()
        ranks = ranks_of(process.pid)
        time.sleep(0.2)  # some steps
        process.send_signal(signal.SIGINT)
        code, out, err = self.finish(process, ranks)
        self.assertEqual(code, INTERRUPTED, err)
        self.assertIn("INCOMPLETE", out)

    def test_ranks_are_as_many_as_processes(self):
        self.assert_fails((*SMALL, "--processes", "2"), USAGE, "ranks=3: there are 2 processes")


if __name__ == "__main__":
    unittest.main()
