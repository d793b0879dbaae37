"""`ringside mock`: an interview through a pipe, its report, and what of it goes into the cards."""
import json
import os
import subprocess
import unittest

from support import DEADLINE, RINGSIDE, USAGE, KeptTest, environment


class Mock(KeptTest):
    def mock(self, *words, answers):
        return subprocess.run([RINGSIDE, "mock", *words], input=answers.encode(), capture_output=True, timeout=DEADLINE,
                              env=environment(XDG_DATA_HOME=self.home))

    def test_all_of_it_in_a_pipe(self):
        answers = "It leaves the sum of all ranks on every rank.\n\nhardly\ny\nnobody\n\nmany\n1\n1\ntp4\n"
        done = self.mock("--seed", "5", "--level", "junior", answers=answers)
        text = done.stdout.decode()
        self.assertEqual((done.returncode, done.stderr), (0, b""), text)
        for part in ("seed 5", "Opening", "1 found: It leaves", "2 missed: ", "They ask next", "A calculation, 120 seconds", "Type a number", "Read this", "Design",
                     "Calculated, the fastest:", "Report", "parts went well", "ringside mock --seed 5 --level junior --minutes 30"):
            self.assertIn(part, text)
        again = self.mock("--seed", "5", "--level", "junior", answers=answers).stdout.decode()
        self.assertEqual(text.split("Report")[0], again.split("Report")[0])

    def test_the_same_again_has_the_minutes_that_were_asked_for(self):
        text = self.mock("--seed", "5", "--minutes", "10", answers="q\n").stdout.decode()
        self.assertIn("The same again: ringside mock --seed 5 --level middle --minutes 10\n", text)

    def test_what_was_judged_goes_into_the_cards(self):
        self.mock("--seed", "5", answers="x\n\nx\nn\nx\ny\n\n\n\n")
        with open(os.path.join(self.home, "ringside", "reviews.jsonl"), encoding="utf-8") as file:
            entries = [json.loads(line) for line in file][1:]
        self.assertEqual([one["card"].split("/")[0] for one in entries], ["next", "next", "drill", "drill"])
        self.assertEqual([one["rating"] for one in entries], [1, 3, 1, 1])

    def test_found_and_missed_can_be_turned_around(self):
        said = "It leaves the sum of all ranks on every rank.\n"
        for turned, points in (("", "1 of 3"), ("2 3", "3 of 3"), ("1 9 x", "0 of 3")):
            text = self.mock("--seed", "5", answers=f"{said}{turned}\nq\n").stdout.decode()
            self.assertIn(f"{points} points", text)

    def test_who_leaves_has_a_report_of_what_there_was(self):
        text = self.mock("--seed", "5", answers="x\n\nq\n").stdout.decode()
        self.assertIn("0 of 1 parts went well", text)

    def test_what_cannot_be_read_is_refused(self):
        self.assert_fails(["mock", "--level", "chief"], USAGE, "--level")
        self.assert_fails(["mock", "--topics", "nothing"], USAGE, "no lesson is of nothing")


if __name__ == "__main__":
    unittest.main()
