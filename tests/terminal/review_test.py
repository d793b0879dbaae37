"""`ringside review`: due cards and new ones, answered by a pipe and on a terminal, kept, taken back, exported."""
import json
import os
import signal
import subprocess
import time
import unittest

from support import DEADLINE, INPUT, INTERRUPTED, RINGSIDE, USAGE, KeptTest, Talk, environment, ringside


class Review(KeptTest):
    def review(self, *words, answers=""):
        return subprocess.run([RINGSIDE, "review", *words], input=answers.encode(), capture_output=True, timeout=DEADLINE,
                              env=environment(XDG_DATA_HOME=self.home))

    def log(self):
        path = os.path.join(self.home, "ringside", "reviews.jsonl")
        return [json.loads(line) for line in open(path, encoding="utf-8")][1:] if os.path.exists(path) else []

    def document(self, *words):
        return self.valid("review", self.run_ok("review", "--json", *words, XDG_DATA_HOME=self.home))

    def test_answers_may_come_from_a_pipe_and_each_is_kept(self):
        done = self.review("--minutes", "5", "--topics", "memory", answers="x\n1 TB\n\n\n3\nq\n")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        text = done.stdout.decode()
        for part in ("your answer: x", "Type a number", "Not so.", "Ψ", "Again in 1 min.", "2 reviewed, 1 recalled. All of it is kept."):
            self.assertIn(part, text)
        self.assertEqual([one["rating"] for one in self.log()], [1, 3])
        self.assertEqual({one["scheduler"] for one in self.log()}, {"fsrs-6"})
        document = self.document("--topics", "memory")
        self.assertEqual(document["topics"][0]["seen"], 2)
        self.assertNotIn(self.log()[0]["card"], [one["card"] for one in document["cards"]])  # not due yet

    def test_the_last_rating_is_taken_back(self):
        text = self.review("--topics", "memory", answers="\n1\nu\n\n4\nq\n").stdout.decode()
        self.assertIn("Taken back.", text)
        first, undo, again = self.log()
        self.assertEqual(undo["undo"], first["id"])
        self.assertEqual((again["card"], again["rating"]), (first["card"], 4))
        self.assertIn("1 reviewed, 1 recalled", text)
        self.assertIn("There is nothing to take back.", self.review(answers="u\nq\n").stdout.decode())

    def test_the_list_fits_the_minutes_and_asks_nothing(self):
        document = self.document("--minutes", "3")
        self.assertEqual(len(document["cards"]), 4)
        self.assert_strict("review", document)
        self.assertEqual(len(self.run_ok("review", "--list", "--minutes", "3", XDG_DATA_HOME=self.home).splitlines()), 5)
        self.assertIn("not begun", self.run_ok("review", "--stats", XDG_DATA_HOME=self.home))
        self.assertEqual(self.log(), [])

    def test_where_nothing_can_be_kept_nothing_is_asked(self):
        for words in (["review"], ["path", "--placement"], ["mock", "--topics", "memory"]):
            done = ringside(*words, XDG_DATA_HOME="/proc")
            self.assertEqual(done.returncode, INPUT, words)
            self.assertNotIn(b"your answer", done.stdout, words)
            self.assertIn(b"XDG_DATA_HOME", done.stderr, words)
        done = ringside("path", "--minutes", "20", XDG_DATA_HOME="/proc")
        self.assertEqual(done.returncode, INPUT)
        self.assertIn(b"it is not kept", done.stderr)
        self.assertNotIn(b"memory only", done.stderr)

    def test_what_cannot_be_read_is_refused_by_name(self):
        self.assert_fails(["review", "--topics", "memry"], USAGE, "did you mean memory?")
        self.assert_fails(["review", "--date", "2026-02-30"], USAGE, "a day is wanted")
        self.assert_fails(["review", "--date", "2020-01-01"], USAGE, "it has come")
        self.assert_fails(["review", "--export", "cards.txt"], USAGE, "FILE.tsv or FILE.json")
        self.assert_fails(["review", "--import", "/nowhere.json"], INPUT, "/nowhere.json")
        os.makedirs(os.path.join(self.home, "ringside"))
        with open(os.path.join(self.home, "ringside", "reviews.jsonl"), "w", encoding="utf-8") as file:
            file.write("none\n")
        done = self.review("--list")
        self.assertEqual(done.returncode, INPUT)
        self.assertIn(b"reviews.jsonl: it is no log of reviews", done.stderr)

    def test_cards_and_reviews_go_out_and_reviews_come_back(self):
        self.review(answers="\n2\nq\n")
        bank, cards = os.path.join(self.home, "bank.json"), os.path.join(self.home, "cards.tsv")
        self.run_ok("review", "--export", bank, XDG_DATA_HOME=self.home)
        os.makedirs(os.path.join(self.home, "ringside", "pictures"))
        with open(os.path.join(self.home, "ringside", "pictures", "example.sent.svg"), "w", encoding="utf-8") as file:
            file.write('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
        self.assertIn("1 pictures in", self.run_ok("review", "--export", cards, XDG_DATA_HOME=self.home))
        (picture,) = os.listdir(cards + ".media")
        self.assertRegex(picture, r"^ringside\.example\.sent\.(png|svg)$")
        with open(cards, encoding="utf-8") as file:
            lines = file.read().splitlines()
        rows = [line.split("\t") for line in lines if not line.startswith("#")]
        self.assertIn("#guid column:1", lines)
        self.assertEqual({len(row) for row in rows}, {4})
        self.assertEqual(len({row[0] for row in rows}), len(rows))
        ids = {row[0] for row in rows}
        self.assertEqual([row[0] for row in rows if picture in row[2]], ["asked/example/sent"])
        self.assertIn("asked/example/sent", ids)  # of a lesson that is built
        other = os.path.join(self.home, "other")
        for expected in ("1 reviews came", "0 reviews came"):
            self.assertIn(expected, self.run_ok("review", "--import", bank, XDG_DATA_HOME=other))

    def test_a_lesson_that_is_built_asks_its_questions(self):
        text = self.review("--topics", "example", answers="2(N-1)/N\n\nq\n").stdout.decode()
        self.assertIn("asked/example/", self.log()[0]["card"])
        self.assertIn("See it happen: ringside run example", text)

    def test_on_a_terminal_ctrl_c_loses_nothing(self):
        with Talk("review", "--topics", "memory", XDG_DATA_HOME=self.home) as talk:
            talk.expect("your answer: ")
            talk.type("1 TB\r")
            talk.expect("(Enter: again)")
            talk.type("\r")
            talk.expect("Again in 1 min.")
            talk.expect("your answer: ")
            self.assertEqual(len(self.log()), 1)
            talk.type("\x03")
            talk.expect("1 reviewed, 0 recalled. All of it is kept.")
            self.assertEqual(talk.end(), INTERRUPTED)
        self.assertEqual(len(self.log()), 1)

    def test_killed_at_any_moment_it_keeps_what_it_said_is_kept(self):
        for moment in range(20):
            before = len(self.log())
            with subprocess.Popen([RINGSIDE, "review"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(XDG_DATA_HOME=self.home)) as program:
                program.stdin.write(b"\n4\n" * 30)
                program.stdin.flush()
                time.sleep(0.02 + 0.004 * moment)
                program.send_signal(signal.SIGKILL)
                said = program.stdout.read().count(b"Again in")
            self.assertGreaterEqual(len(self.log()), before + said)
        self.assertEqual(len({one["id"] for one in self.log()}), len(self.log()))

    def test_help_names_it(self):
        self.assertIn("ringside review", self.run_ok("help"))
        self.assertIn("reviews.jsonl", self.run_ok("review", "--help"))
        self.assertEqual(ringside("review", "--minutes", "0").returncode, USAGE)


if __name__ == "__main__":
    unittest.main()
