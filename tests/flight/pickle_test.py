"""The pickles without PyTorch: plain values, and all that torchfrtrace's loader and builder take from them
(torch/distributed/flight_recorder/components, version 2.15)."""
import ast
import pickle
import pickletools
import re
import tempfile
import unittest

from dumps import json_dumps, write_dumps

# Of types.py; what we write of it.
COLLECTIVES = {"broadcast", "all_reduce", "_all_gather_base", "_reduce_scatter_base", "all_to_all", "barrier"}
PLAIN = (dict, list, tuple, str, int, float, bool, type(None))


class Plain(pickle.Unpickler):
    def find_class(self, module, name):
        raise AssertionError(f"the pickle asks for {module}.{name}")


def load(path):
    with open(path, "rb") as file:
        return Plain(file).load()


class Pickles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.situations = write_dumps(cls.folder.name)

    def each(self):
        for situation in self.situations.values():
            for dump in json_dumps(situation):
                with self.subTest(situation=situation.name, rank=dump["rank"]):
                    yield dump, situation / f"rank_{dump['rank']}"

    def test_a_folder_has_one_file_with_the_prefix_for_each_rank(self):
        for situation in self.situations.values():
            with_prefix = sorted(path.name for path in situation.iterdir() if "rank_" in path.name)
            self.assertEqual(with_prefix, [f"rank_{dump['rank']}" for dump in json_dumps(situation)])

    def test_only_plain_values_in_protocol_2(self):
        def check(value):
            self.assertIsInstance(value, PLAIN)
            if isinstance(value, dict):
                value = list(value.items())
            if isinstance(value, (list, tuple)):
                for part in value:
                    check(part)

        for _, path in self.each():
            data = path.read_bytes()
            opcodes = list(pickletools.genops(data))
            self.assertEqual(opcodes[0][:2], (opcodes[0][0], 2))
            self.assertLessEqual(max(opcode.proto for opcode, _, _ in opcodes), 2)
            self.assertFalse({"GLOBAL", "REDUCE", "BUILD", "INST", "OBJ", "NEWOBJ"} & {o.name for o, _, _ in opcodes})
            check(load(path))

    def test_the_groups_are_as_the_builder_evaluates_them(self):
        for dump, path in self.each():
            loaded = load(path)
            self.assertRegex(loaded["version"], r"^2\.\d+$")
            self.assertEqual(list(loaded["pg_config"]), [g["name"] for g in dump["pg_config"].values()])
            for uid, group in loaded["pg_config"].items():
                self.assertEqual(group["name"], uid)
                self.assertEqual(group["desc"], dump["pg_config"][uid]["desc"])
                self.assertIsInstance(group["ranks"], str)
                self.assertIn(dump["rank"], ast.literal_eval(group["ranks"]))
            for status in loaded["pg_status"].values():
                self.assertLessEqual(status["last_completed_collective"], status["last_enqueued_collective"])

    def test_the_entries_have_what_the_analyzer_reads(self):
        for dump, path in self.each():
            loaded = load(path)
            self.assertEqual(len(loaded["entries"]), len(dump["entries"]))
            for entry, ours in zip(loaded["entries"], dump["entries"]):
                name, description = entry["process_group"]
                self.assertEqual(loaded["pg_config"][name]["desc"], description)
                library, operation = entry["profiling_name"].split(":")
                self.assertEqual(library, "nccl")
                if entry["is_p2p"]:
                    self.assertTrue(re.fullmatch(r"send \d+->\d+|recv \d+<-\d+", operation), operation)
                else:
                    self.assertIn(operation, COLLECTIVES)
                    self.assertEqual(entry["p2p_seq_id"], 0)
                for side in ("input", "output"):
                    self.assertEqual(entry[f"{side}_sizes"], ours[f"{side}_sizes"])
                    self.assertIn(entry[f"{side}_dtypes"], (["Float"], ["Double"]))
                self.assertIn(entry["state"], ("scheduled", "started", "completed"))
                for key in ("record_id", "pg_id", "op_id", "collective_seq_id", "time_created_ns", "timeout_ms",
                            "state", "retired", "is_p2p"):
                    self.assertEqual(entry[key], ours[key])
                for key in ("time_discovered_started_ns", "time_discovered_completed_ns"):
                    self.assertEqual(entry[key], ours[key] or None)
                self.assertEqual(entry["frames"], [{"name": ours["tag"], "filename": ours["unit"], "line": 0}])

    def test_neighbours_are_not_taken_for_one_coalesced_call(self):
        for _, path in self.each():
            numbers = [(e["process_group"], e["p2p_seq_id"] if e["is_p2p"] else e["collective_seq_id"])
                       for e in load(path)["entries"]]
            self.assertEqual(len(numbers), len(set(numbers)))

    def test_large_numbers_and_fractions_survive(self):
        entries = [e for _, path in self.each() for e in load(path)["entries"]]
        self.assertTrue(any(e["time_created_ns"] > 2**30 for e in entries))
        self.assertTrue(any(e["p2p_seq_id"] > 2**32 for e in entries))
        self.assertTrue(all(e["duration_ms"] > 0 for e in entries if e["state"] == "completed"))


if __name__ == "__main__":
    unittest.main()
