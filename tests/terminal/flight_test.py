"""`ringside flight`: dumps in, one report out, PyTorch's own JSON among them."""
import json
import os
import pickle
import tempfile
import unittest

from support import INPUT, USAGE, TerminalTest


def entry(record, seq, state="completed", dtype="Half", elements=467019003):
    return {"record_id": record, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": seq,
            "p2p_seq_id": 0, "op_id": seq, "profiling_name": "nccl:all_reduce", "time_created_ns": 1000 + record,
            "input_sizes": [[elements]], "input_dtypes": [dtype], "output_sizes": [[elements]],
            "output_dtypes": [dtype], "state": state, "retired": state == "completed", "timeout_ms": 600000,
            "is_p2p": False, "time_discovered_started_ns": None, "time_discovered_completed_ns": None}


def dump(rank, calls, last="completed"):
    """As PyTorch's dump_json writes it, with the rank that its file name would tell."""
    entries = [entry(i, i + 1, last if i + 1 == calls else "completed") for i in range(calls)]
    return {"version": "2.10", "rank": rank, "entries": entries, "pg_status": {},
            "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2]"}}}


class Flight(TerminalTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for rank, calls, last in [(0, 5, "started"), (1, 4, "completed"), (2, 5, "scheduled")]:
            self.write(f"flight_{rank}.json", json.dumps(dump(rank, calls, last)).encode())

    def write(self, name, content):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_names_the_missing_rank(self):
        text = self.run_ok("flight", self.folder.name)
        self.assertIn("suspect    rank 1", text)
        self.assertIn("467019003 float16", text)
        report = json.loads(self.run_ok("flight", self.folder.name, "--json"))
        self.assertEqual(report["suspects"], [1])

    def test_pickles_of_any_protocol(self):
        for protocol in (2, 3, 4, 5):
            with tempfile.TemporaryDirectory() as folder:
                for rank, calls, last in [(0, 5, "started"), (1, 4, "completed"), (2, 5, "scheduled")]:
                    pickled = dump(rank, calls, last)
                    frames = [{"name": "step", "filename": "a.py", "line": 3}] * 2  # one dict, which is shared
                    for one in pickled["entries"]:
                        one["frames"], one["process_group"] = frames, ("0", "default_pg")
                    del pickled["rank"]
                    with open(os.path.join(folder, f"nccl_trace_rank_{rank}"), "wb") as file:
                        pickle.dump(pickled, file, protocol)
                report = json.loads(self.run_ok("flight", folder, "--json"))
                self.assertEqual((protocol, report["suspects"]), (protocol, [1]))

    def test_what_is_no_dump(self):
        self.assert_fails(["flight"], USAGE, "path")
        self.assert_fails(["flight", "/nowhere"], INPUT, "/nowhere")
        class Asks:
            def __reduce__(self):
                return os.system, ("true",)
        self.assert_fails(["flight", self.write("asks", pickle.dumps(Asks(), 2))], INPUT, "posix.system")
        self.assert_fails(["flight", self.write("cut.json", b'{"version":')], INPUT, "cut.json")
        with tempfile.TemporaryDirectory() as empty:
            self.assert_fails(["flight", empty], INPUT, empty)


if __name__ == "__main__":
    unittest.main()
