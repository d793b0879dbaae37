"""`ringside path`: the map, what comes next, the days until an interview, the placement."""
import datetime
import json
import os
import subprocess
import unittest

from support import DEADLINE, RINGSIDE, USAGE, KeptTest, environment


class Path(KeptTest):
    def path(self, *words, answers=""):
        done = subprocess.run([RINGSIDE, "path", *words], input=answers.encode(), capture_output=True, timeout=DEADLINE,
                              env=environment(XDG_DATA_HOME=self.home))
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode()

    def test_an_interview_is_kept_and_planned_day_by_day(self):
        self.assertIn("ringside path --placement", self.path())
        day = datetime.datetime.now(datetime.timezone.utc).date() + datetime.timedelta(days=40)
        self.path("--interview", str(day), "--minutes", "25")
        text = self.path()
        self.assertIn("40 days: until the interview on %s, of 25 min each" % day, text)
        self.assertLessEqual(len(text.splitlines()), 60)
        self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])
        self.assertNotIn("days: until", self.path("--interview", "none"))
        with open(os.path.join(self.home, "ringside", "preparation.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["minutes"], 25)

    def test_twelve_questions_set_where_to_begin(self):
        text = self.path("--placement", "--seed", "4", answers="\n" * 12)
        self.assertIn("0 of 12 right", text)
        self.assertEqual(text, self.path("--placement", "--seed", "4", answers="\n" * 12))
        self.assertIn("0 of 2 right: cannot be told yet", self.path())
        self.assertIn("0 of 0 right", self.path("--placement", answers="q\n"))

    def test_what_cannot_be_read_is_refused(self):
        for words, said in ((["--interview", "2026-02-30"], "a day is wanted"), (["--interview", "2020-01-01"], "it has come"),
                            (["--interview", "2999-01-01"], "within a year"), (["--minutes", "0"], "--minutes"), (["--seed", "1"], "--placement")):
            self.assert_fails(["path", *words], USAGE, said)


if __name__ == "__main__":
    unittest.main()
