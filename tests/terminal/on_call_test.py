"""`ringside on_call`: incidents through a pipe and in a terminal, scored, and what of it is kept."""
import json
import os
import re
import subprocess
import unittest

from support import DEADLINE, INTERRUPTED, RINGSIDE, USAGE, KeptTest, Talk, environment


NOWHERE = {"XDG_DATA_HOME": None, "HOME": None}  # where nothing is kept


class OnCall(KeptTest):
    def on_call(self, *words, typed, **changes):
        """What a session says, which must end well."""
        done = subprocess.run([RINGSIDE, "on_call", *words], input="\n".join(typed).encode() + b"\n", capture_output=True,
                              timeout=DEADLINE, env=environment(**dict({"XDG_DATA_HOME": self.home}, **changes)))
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout.decode())
        return done.stdout.decode()

    def answer(self, *words, before=()):
        """The right answer to the incident behind those that are answered so, as skipping it tells."""
        text = self.on_call(*words, "--count", str(len(before) + 1), typed=[*before, "skip"], **NOWHERE)
        what, cause = re.findall(r"What happened: (.*?) \((\w+)[^()]*\)\. (?:How|The thread)", " ".join(text.split()))[-1]
        return cause + " " + (re.match(r"Rank (\d+)", what) or ["", "0"])[1]

    def reviews(self):
        path = os.path.join(self.home, "ringside", "reviews.jsonl")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return [(entry["card"], entry["rating"]) for entry in map(json.loads, list(file)[1:])]

    def test_right_answers_bring_harder_ones_and_the_next_session_goes_on_there(self):
        right = []
        while len(right) < 6:  # a level changes what comes
            right.append(self.answer("--seed", "3", "--level", "1", before=right))
        text = self.on_call("--seed", "3", "--level", "1", "--count", "6", typed=["tail"] + right)
        self.assertEqual(text.count("  Right, after"), 6, text)
        self.assertIn("Right, after 1 look.", text)
        self.assertEqual(re.findall(r"Level \d", text), ["Level 2", "Level 3"])
        self.assertIn("Incident 5 of 6   from a public thread", text)
        self.assertRegex(text, r"The thread: +https://github.com/")
        self.assertIn("6 of 6 right, 0.2 looks for a right one", text)
        self.assertEqual(self.reviews(), [])
        self.assertIn("   level 3   ", self.on_call("--seed", "3", typed=["q"]))
        self.assertIn("   level 2   ", self.on_call("--seed", "3", "--count", "2", typed=["skip"]))

    def test_what_was_missed_is_in_the_table_and_in_the_reviews(self):
        right = self.answer("--seed", "4", "--level", "1")
        cause = right.split()[0]
        text = self.on_call("--seed", "4", "--level", "1", "--count", "1", typed=["nothing"])
        self.assertIn("Not so: nothing is not it.", text)
        self.assertRegex(text, rf"{cause} +1 +0 +0\.0 +0 of 1  nothing\n")
        text = self.on_call("--seed", "4", "--level", "1", "--count", "1", typed=[right])
        self.assertRegex(text, rf"{cause} +1 +1 +0\.0 +1 of 2\n")
        self.assertEqual(self.reviews(), [("call/" + cause, 1), ("call/" + cause, 3)])

    def test_a_card_asks_how_the_log_shows_it(self):
        self.on_call("--seed", "4", "--level", "1", "--count", "1", typed=["skip"])
        card = self.reviews()[0][0]
        path = os.path.join(self.home, "ringside", "reviews.jsonl")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(re.sub(r'"at":\d+', '"at":1700000000000', text))
        done = subprocess.run([RINGSIDE, "review"], input=b"\nq\n", capture_output=True, timeout=DEADLINE,
                              env=environment(XDG_DATA_HOME=self.home))
        said = " ".join(done.stdout.decode().split())
        self.assertIn(f"({card.split('/')[1]}). By which lines of the log do you know it", said)
        self.assertIn("See it happen: ringside on_call", said)

    def test_what_a_file_says_is_bounded_and_a_damaged_one_is_told(self):
        path = os.path.join(self.home, "ringside", "on_call.json")
        os.makedirs(os.path.dirname(path))
        for text in ('{"kind": "ringside on_call", "version": 1, "level": -7, "kinds": {"absent": {"asked": "x", "right": 1e99}}}',
                     '{"kind": "ringside on_call", "version": 1, "level": 99999999999999999999, "kinds": []}'):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            self.assertRegex(self.on_call("--seed", "4", "--count", "1", typed=["skip"]), "   level 1   ")
        with open(path, "w", encoding="utf-8") as file:
            file.write("{")
        done = subprocess.run([RINGSIDE, "on_call", "--count", "1"], input=b"skip\n", capture_output=True, timeout=DEADLINE,
                              env=environment(XDG_DATA_HOME=self.home))
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"on_call.json", done.stderr)

    def test_a_look_at_what_there_is_not_costs_nothing(self):
        text = self.on_call("--seed", "5", "--level", "2", "--count", "1", typed=["rank 99", "head 0", "lines 5 2", "skip"])
        self.assertRegex(text, r"'99' is no rank of 0 to \d")
        self.assertIn("Skipped after 0 looks", text)

    def test_looks_are_counted_and_stay_within_the_page(self):
        looks = ["head", "tail 3", "grep rank not info", "lines 2 4", "rank 0", "ranks", "causes", "help", "skip"]
        text = self.on_call("--seed", "5", "--level", "2", "--count", "1", typed=looks, NO_COLOR="1")
        self.assertRegex(text, r"Incident 1 of 1   level 2   \d+ ranks, \d+ lines, PyTorch 2")
        self.assertIn("Skipped after 8 looks", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertNotIn("\x1b", text)
        self.assertIn("a column a rank", text)
        found = re.search(r"> grep rank not info\n(.*?)  > ", text, re.DOTALL)[1]
        self.assertIn("rank", found)
        self.assertNotIn("INFO", found)
        lines = re.search(r"> lines 2 4\n(.*?)  > ", text, re.DOTALL)[1]
        self.assertEqual(re.findall(r"^ +(\d)  ", lines, re.MULTILINE), ["2", "3", "4"])

    def test_wrong_words_are_told_and_nothing_is_lost(self):
        typed = ["hed", "absnt 1", "answer absnt", "answer", "absent", "absent 99", "rank x", "head 1 2 x", "", "lines 9", "skip"]
        text = " ".join(self.on_call("--seed", "5", "--count", "1", "--level", "1", typed=typed).split())
        for part in ("did you mean head?", "'absnt' is no word of this (did you mean absent?)", "'absnt' is no cause (did you mean absent?)",
                     "As: answer absent 3", "Which rank?", "'99' is no rank", "It is said as: head", "0 of 1 right"):
            self.assertIn(part, text)
        self.assertIn("Nothing was answered.", self.on_call(typed=["q"]))
        self.assert_fails(["on_call", "--level", "5"], USAGE, "--level")
        self.assert_fails(["on_call", "--count", "0"], USAGE, "--count")

    def test_public_ones_alone(self):
        def session(*words):
            return self.on_call("--public", "--seed", "1", "--count", "1000", *words, typed=["skip"] * 1000, **NOWHERE)

        text = session()
        known = text.count("The thread:")
        self.assertGreaterEqual(known, 40)
        told = known - text.count("Not by these lines alone.")  # what the lines do not tell does not count
        self.assertLess(told, known)
        self.assertIn(f"0 of {told} right", text)
        self.assertEqual(len(set(re.findall(r"https://\S+", text))), known)
        self.assertEqual(text, session("--level", "1"))

    def test_who_leaves_has_a_table_of_what_there_was(self):
        for key, code in (("\x03", INTERRUPTED), ("\x04", 0)):
            with Talk("on_call", "--seed", "5", XDG_DATA_HOME=self.home) as talk:
                talk.expect("\x1b[1mIncident 1 of 40")
                talk.type("skip\n")
                talk.expect("Incident 2 of 40")
                talk.expect("> ")
                talk.type(key)
                talk.expect("0 of 1 right")
                talk.expect("ringside on_call --seed 5")
                self.assertEqual(talk.end(), code)


if __name__ == "__main__":
    unittest.main()
