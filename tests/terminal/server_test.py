"""`ringside ps node` and `ringside bench server`: processes over tcp on loopback, killed and started again."""
import os
import signal
import subprocess
import tempfile
import time
import unittest

from support import DEADLINE, INTERRUPTED, RINGSIDE, USAGE, TerminalTest, environment, ringside

LOST, TIMEOUT, MISMATCH, MISSING = 5, 6, 7, 9
TENFOLD = "10"  # s; people's limit is 1 s


def nodes_of(run):
    """Processes of this run's nodes that live: the run's name stands in their command lines."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if b"node" in words and any(word.startswith(run.encode()) for word in words) and state != "Z":
            found.append(int(pid))
    return found


class Node:
    """One `ringside ps node` and what it says."""

    def __init__(self, *words):
        self.process = subprocess.Popen([RINGSIDE, "ps", "node", *words], stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())

    def line(self, begin):
        """The next line that begins so."""
        for line in self.process.stdout:
            if line.startswith(begin):
                return line.split()
        raise AssertionError(f"no '{begin}': {self.process.stderr.read()}")

    def say(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def end(self):
        self.process.kill()
        self.process.communicate()


class Server(TerminalTest):
    def start(self, *words):
        node = Node(*words)
        self.addCleanup(node.end)
        return node

    def until(self, holds):
        end = time.monotonic() + DEADLINE
        while not holds():
            self.assertLess(time.monotonic(), end, "it never came")
            time.sleep(0.01)

    def bench(self, *words):
        process = subprocess.Popen([RINGSIDE, "bench", "server", *words], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment())
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        run = f"bench {process.pid} "
        self.until(lambda: len(nodes_of(run)) == 7 or process.poll() is not None)
        return process, run

    def test_no_acknowledged_push_is_lost_or_applied_twice_whoever_is_killed(self):
        words = ("bench", "server", "--rounds", "2", "--seconds", "0.3", "--limit", TENFOLD, "--json")
        done = ringside(*words)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        document = self.valid("bench_server", done.stdout)
        self.assertEqual([document[key] for key in ("lost", "twice", "ranges_lost", "complete")], [0, 0, 0, True])
        self.assertEqual(document["first_pull"]["old_reads"], 0)
        self.assertEqual(len(document["first_pull"]["each_ms"]), 2)
        self.assertTrue(document["first_pull"]["in_time"])
        self.assertTrue(document["scheduler"]["went_on"])
        self.assertGreater(document["acknowledged"], 0)
        for network in ("tcp", "inproc"):
            self.assertGreater(document[network]["pushes"], 0)

    def test_what_takes_longer_than_the_limit_fails(self):
        done = ringside("bench", "server", "--rounds", "1", "--seconds", "0.1", "--limit", "0.01", "--width", "120")
        self.assertEqual(done.returncode, 4)
        self.assertIn(b"TOO LATE: over 0.01 s", done.stdout)

    def test_no_orphan_is_left_where_the_launcher_is_killed(self):
        process, run = self.bench("--seconds", "600")
        process.kill()
        process.wait()
        self.until(lambda: not nodes_of(run))

    def test_ctrl_c_ends_all(self):
        process, run = self.bench("--seconds", "600")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE)
        self.assertEqual((process.returncode, err), (INTERRUPTED, b""))
        self.assertIn(b"INCOMPLETE", out)
        self.assertEqual(nodes_of(run), [])

    def test_a_small_server_by_hand(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        table = os.path.join(folder.name, "table")
        same = ["--run", "by hand", "--servers", "2", "--keys", "100", "--every", "5", "--dead", "2000"]
        scheduler = self.start("--role", "scheduler", "--file", table, *same)
        where = scheduler.line("node 0 ")[2]
        one, two = (self.start("--role", "server", "--scheduler", where, *same) for _ in range(2))
        worker = self.start("--role", "worker", "--scheduler", where, "--clocks", "20", *same)
        two.line("node ")
        self.until(lambda: int(worker.line("acknowledged ")[1]) == 20)
        two.say("leave")  # its ranges go to the other one first
        self.assertEqual(two.process.wait(DEADLINE), 0)
        self.assertIsNone(one.process.poll())
        worker.say("stop")
        self.assertEqual(worker.line("end acknowledged ")[2], "20")
        self.assertEqual(worker.process.wait(DEADLINE), 0)
        with self.subTest("its address is in use"):
            self.assert_fails(["ps", "node", "--role", "scheduler", "--listen", where, *same], MISSING, where,
                              "is in use", "choose another port")
        with self.subTest("another run, and other settings"):
            for other in (["--run", "another"], [*same, "--backups", "2"]):
                self.assert_fails(["ps", "node", "--role", "server", "--scheduler", where, *other], MISMATCH, where,
                                  "not of this run", "a frame of world")
        with self.subTest("its table belongs to its run"):
            scheduler.say("stop")
            self.assertEqual(scheduler.process.wait(DEADLINE), 0)
            self.assert_fails(["ps", "node", "--role", "scheduler", "--file", table, "--run", "another"], 3, table,
                              "is no scheduler's table of this run")
            with open(table, "r+b") as file:
                file.truncate(50)
            self.assert_fails(["ps", "node", "--role", "scheduler", "--file", table, *same], 3, table)
            self.assertEqual(os.path.getsize(table), 50)

    def test_ctrl_c_ends_every_node_and_none_waits_for_one_that_is_gone(self):
        same = ["--run", "by hand too", "--keys", "100", "--every", "5", "--dead", "1000"]
        scheduler = self.start("--role", "scheduler", *same)
        where = scheduler.line("node 0 ")[2]
        servers = [self.start("--role", "server", "--scheduler", where, *same) for _ in range(2)]
        self.until(lambda: scheduler.line("table ")[5] == "2")
        servers[0].process.send_signal(signal.SIGINT)
        self.assertEqual(servers[0].process.wait(DEADLINE), INTERRUPTED)
        for node in (scheduler, servers[1]):
            node.process.send_signal(signal.SIGINT)
        self.assertEqual(scheduler.process.wait(DEADLINE), INTERRUPTED)
        self.assertEqual(servers[1].process.wait(DEADLINE), LOST)
        said = servers[1].process.stderr.read()
        self.assertIn("Ctrl-C again ends at once", said)
        self.assertIn("not handed over", said)

    def test_what_cannot_be_started(self):
        for words, code, parts in (
            ([], USAGE, ["ps: what?", "node"]),
            (["node"], USAGE, ["--role"]),
            (["node", "--role", "king"], USAGE, ["--role"]),
            (["node", "--role", "server"], USAGE, ["needs --scheduler"]),
            (["node", "--role", "scheduler", "--scheduler", "tcp://127.0.0.1:9"], USAGE, ["--listen"]),
            (["node", "--role", "scheduler", "--keys", "3"], USAGE, ["keys=3"]),
            (["node", "--role", "scheduler", "--listen", "127.0.0.1"], USAGE, ["tcp://HOST:PORT"]),
            (["node", "--role", "scheduler", "--listen", "tcp://*:5555"], USAGE, ["name an interface"]),
            (["node", "--role", "scheduler", "--listen", "tcp://192.0.2.1:*"], MISSING, ["cannot be bound here"]),
        ):
            self.assert_fails(["ps", *words], code, *parts)
        self.assert_fails(["bench", "server", "tcp"], USAGE, "takes no 'tcp'")

    def test_nobody_at_the_schedulers_address_is_a_timeout(self):
        self.assert_fails(["ps", "node", "--role", "server", "--scheduler", "tcp://127.0.0.1:1"], TIMEOUT,
                          "is it running there?")


if __name__ == "__main__":
    unittest.main()
