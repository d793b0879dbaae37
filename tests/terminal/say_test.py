"""`ringside say`: said, ticked, answered, kept."""
import os
import unittest

from support import INTERRUPTED, USAGE, KeptTest, Talk

QUESTION = "How much does a rank send in one all-reduce?"
POINTS = 3


class Say(KeptTest):
    def talk(self):
        return Talk("say", "example", XDG_DATA_HOME=self.home)

    def test_without_a_terminal_everything_is_printed_and_nothing_kept(self):
        text = self.run_ok("say", "example", XDG_DATA_HOME=self.home)
        for part in (QUESTION, "Key points", "- It is a reduce-scatter, then an all-gather.", "In short. An all-reduce leaves",
                     "    for step in range(2 * (N - 1)):", "They will ask next", "- Does it cost more with more ranks?",
                     "    Hardly: look at eight ranks.", "- Who is the master?", "    Nobody."):
            self.assertIn(part, text)
        for mark in ("**", "`", "<run:", "]("):
            self.assertNotIn(mark, text)
        narrow = self.run_ok("say", "example", "--width", "50")
        self.assertLessEqual(max(len(line) for line in narrow.splitlines()[1:]), 50)
        self.assertEqual(self.kept(), [])

    def test_unknown_lessons_name_what_there_is(self):
        self.assert_fails(["say", "exmaple"], USAGE, "did you mean example?", "there are: example, faults")
        self.assert_fails(["say"], USAGE, "which lesson?", "example, faults")
        self.assertIn("ringside say zero", self.run_ok("help"))
        self.assertIn("tick its points", self.run_ok("say", "--help"))

    def test_it_is_said_ticked_answered_and_kept(self):
        with self.talk() as talk:
            talk.expect("Answer it as in an interview: " + QUESTION)
            talk.expect("30 s")
            talk.expect("29 s")
            self.assertNotIn("reduce-scatter", talk.seen)  # not before it was said
            talk.type("\r")
            for n, answer in enumerate("yny", 1):
                talk.expect(f"{n} of {POINTS}")
                talk.expect("y or n: ")
                talk.type(answer + "\r")
            talk.expect("once ./run example has shown some")  # no run, no errors
            talk.expect("You said 2 of 3. 2 are enough.")
            talk.expect("In short.")
            talk.expect("1 of 2  Does it cost more")
            talk.expect("Enter shows the answer")
            self.assertNotIn("Hardly", talk.seen)
            talk.type("\r")
            talk.expect("Hardly")
            self.assertNotIn("master", talk.seen)  # one at a time
            talk.type("perhaps\r")
            talk.type("y\r")
            talk.expect("Who is the master?")
            talk.type("\rn\r")
            talk.expect("2 of 3 points, 1 of 2 answers.")
            self.assertEqual(talk.end(), 0)
        points, first, second = sorted(self.kept(), key=lambda one: one["prediction"])
        self.assertEqual((points["prediction"], points["correct"], len(points["words"])), ("say it", True, 2))
        self.assertEqual(points["errors"], ["It is a reduce-scatter, then an all-gather."])
        self.assertEqual((first["prediction"], first["correct"]), ("say it: Does it cost more with more ranks?", True))
        self.assertEqual((second["prediction"], second["correct"]), ("say it: Who is the master?", False))

    def test_what_is_typed_is_held_against_the_points_and_against_what_a_run_refuted(self):
        with Talk("run", "example", "steps=3", XDG_DATA_HOME=self.home) as talk:
            talk.expect("Enter skips")
            talk.type("\r")
            self.assertEqual(talk.end(), 0)
        self.assertIn("example.sent.svg", os.listdir(os.path.join(self.home, "ringside", "pictures")))
        with self.talk() as talk:
            talk.expect("30 s")
            talk.type("a rank sends 2(N-1)/N of the buffer, never more than twice\r")
            talk.expect("you judge")
            for proposed in "nny":
                talk.expect(f"y or n (Enter: {proposed}): ")
                talk.type("\r")
            talk.expect("Did you say one of these? They are wrong.")
            talk.type("y\r" + 3 * "n\r")
            talk.expect("You said 1 of 3. 2 are enough, and errors take away 1.")
            talk.type("\x04")
            self.assertEqual(talk.end(), 0)
        (points,) = self.kept()
        self.assertFalse(points["correct"])

    def test_ctrl_c_loses_nothing(self):
        with self.talk() as talk:
            talk.expect("30 s")
            talk.type("\r")
            talk.expect("y or n")
            talk.type("y\r")
            talk.expect(f"2 of {POINTS}")
            talk.expect("y or n")
            talk.type("\x03")
            talk.expect("is kept")
            self.assertEqual(talk.end(), INTERRUPTED)
        (points,) = self.kept()
        self.assertEqual((len(points["words"]), points["errors"], points["correct"]), (1, [], False))
        with self.talk() as talk:
            talk.expect("30 s")
            talk.type("\x03")
            self.assertEqual(talk.end(), INTERRUPTED)
        self.assertEqual(len(self.kept()), 1)

    def test_the_end_of_the_input_is_no_interrupt(self):
        with self.talk() as talk:
            talk.expect("30 s")
            talk.type("\r\x04")
            talk.expect("Nothing was answered.")
            self.assertEqual(talk.end(), 0)
        self.assertEqual(self.kept(), [])

    def test_two_at_once_keep_each_others_answers(self):
        with self.talk() as one, self.talk() as other:
            for talk in (one, other):
                talk.expect("30 s")
            for talk in (one, other):
                talk.type("\ry\ry\ry\r\ry\r\ry\r")  # typed ahead
            self.assertEqual((one.end(), other.end()), (0, 0))
        self.assertEqual(len(self.kept()), 6)
        self.assertTrue(all(one["correct"] for one in self.kept()))


if __name__ == "__main__":
    unittest.main()
