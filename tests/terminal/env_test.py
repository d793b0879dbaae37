"""Which rank of which run a launcher makes of this process; what a lesson says that cannot run so."""
import unittest

from support import USAGE, TerminalTest, ringside

TORCHRUN = {"RANK": "2", "WORLD_SIZE": "4", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "node7",
            "MASTER_PORT": "4242", "TORCHELASTIC_RUN_ID": "id", "TORCHELASTIC_RESTART_COUNT": "3"}


class Env(TerminalTest):
    def env(self, *words, **variables):
        run = ringside("env", "--json", *words, **variables)
        self.assertEqual(run.returncode, 0, run.stderr)
        return self.valid("env", run.stdout)

    def test_alone(self):
        document = self.env()
        self.assertEqual((document["launcher"], document["world_size"]), ("none", {"value": 1, "from": "default"}))
        self.assert_strict("env", document)

    def test_torchrun_and_flags(self):
        document = self.env(**TORCHRUN)
        self.assertEqual(document["launcher"], "torchrun")
        self.assertEqual(document["rank"], {"value": 2, "from": "RANK"})
        self.assertEqual(document["restart"], {"value": 3, "from": "TORCHELASTIC_RESTART_COUNT"})
        self.assertEqual((document["port"]["value"], document["agent_port"]["value"]), (4242, 0))
        document = self.env(TORCHELASTIC_USE_AGENT_STORE="True", **TORCHRUN)
        self.assertEqual(document["port"], {"value": 0, "from": "torchrun's store"})
        self.assertEqual(document["agent_port"], {"value": 4242, "from": "MASTER_PORT"})
        document = self.env("--rank", "1", "--world-size", "2", **TORCHRUN)
        self.assertEqual((document["launcher"], document["rank"]["value"]), ("flags", 1))

    def test_text(self):
        text = ringside("env", **TORCHRUN).stdout.decode()
        self.assertRegex(text, r"(?m)^rank +2 +RANK$")

    def test_half_set(self):
        run = ringside("env", RANK="0")
        self.assertEqual(run.returncode, USAGE)
        self.assertIn(b"WORLD_SIZE, MASTER_ADDR, MASTER_PORT are missing", run.stderr)

    def test_a_lesson_without_processes(self):
        for words, variables in ((["--processes", "2"], {}), ([], dict(TORCHRUN, RANK="0"))):
            run = ringside("run", "example", *words, **variables)
            self.assertEqual(run.returncode, USAGE, run.stderr)
            self.assertEqual(run.stderr.count(b"lesson example has no ranks that could be processes"), 1, run.stderr)


if __name__ == "__main__":
    unittest.main()
