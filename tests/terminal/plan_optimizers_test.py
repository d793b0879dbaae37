"""`plan zero` of a model: the state of every optimizer, and what those exchange that are not elementwise."""
import os
import unittest

from support import SOURCE, TerminalTest

LLAMA_1B = os.path.join(SOURCE, "assets/models/llama_3_2_1b.json")
LAYERS, RANKS = 16, 8
LAYER = {"q_proj": (2048, 2048), "k_proj": (512, 2048), "v_proj": (512, 2048), "o_proj": (2048, 2048),
         "gate_proj": (8192, 2048), "up_proj": (8192, 2048), "down_proj": (2048, 8192)}
PARAMETERS = 1_235_814_400  # tied


class PlanOfOptimizers(TerminalTest):
    def plan(self, optimizer, *words):
        return self.valid("plan", self.run_ok("plan", "zero", "--config", LLAMA_1B, "--optimizer", optimizer, "--ranks",
                                              str(RANKS), "--precision", "fp32", *words, "--json"))

    def test_bytes_of_a_parameter(self):
        values = {"sgd": 1, "adagrad": 1, "rmsprop": 1, "adadelta": 2, "adam": 2, "adamw": 2, "amsgrad": 3, "lion": 1,
                  "lamb": 2, "muon": 2, "lbfgs": 22}
        for name, count in values.items():
            document = self.plan(name)
            self.assertEqual(document["setup"]["parameters"], PARAMETERS)
            state = [stage["state_bytes"]["optimizer"] for stage in document["stages"]]
            self.assertEqual(state, [4 * count * PARAMETERS / (1 if s == 0 else RANKS) for s in range(4)], name)

    def test_rows_and_columns(self):
        values = 128256 + 2048 + 2048 + LAYERS * (2 * 2048 + sum(rows + columns for rows, columns in LAYER.values()))
        document = self.plan("adafactor")
        state = [stage["state_bytes"]["optimizer"] for stage in document["stages"]]
        self.assertEqual(state[0], 4 * values)
        for one in state[1:]:
            self.assertTrue(4 * values / RANKS < one <= 4 * values)
        tensors = 2 + LAYERS * (len(LAYER) + 2)
        self.assertEqual(document["update"]["sums"], [values - (2 * LAYERS + 1) * 2048 + tensors, tensors])
        self.assertIn("Z/N", self.run_ok("plan", "zero", "--config", LLAMA_1B, "--optimizer", "adafactor"))

    def test_every_matrix_has_an_owner_and_work_is_even(self):
        update = self.plan("muon")["update"]
        matrices = update["matrices"]
        self.assertEqual(len(matrices), LAYERS * len(LAYER))  # the embedding is AdamW's
        work = [sum(m["work"] for m in matrices if m["owner"] == rank) for rank in range(RANKS)]
        self.assertLess(max(work) - min(work), max(m["work"] for m in matrices))
        elements = sum(m["elements"] for m in matrices)
        average = 4 * 2 * (RANKS - 1) / RANKS**2 * elements
        self.assertTrue(average <= update["matrices_sent_bytes"] < 2 * average)
        text = self.run_ok("plan", "zero", "--config", LLAMA_1B, "--optimizer", "muon", "--ranks", str(RANKS))
        for part in ("Each matrix has an owner", "rank 0: 14 matrices", "rank 7: 14 matrices"):
            self.assertIn(part, text)
        self.assertTrue(all(len(line) <= 80 for line in text.split("\n\n")[-1].splitlines()), text)

    def test_elementwise_ones_exchange_nothing(self):
        self.assertNotIn("update", self.plan("adamw"))
        self.assertNotIn("which stages 1 to 3 cut", self.run_ok("plan", "zero", "--config", LLAMA_1B))


if __name__ == "__main__":
    unittest.main()
