"""One question while a run goes on, and the guess beside the measurement at its end."""
import os
import unittest

from support import INTERRUPTED, KeptTest, Talk

SHORT = ("run", "example", "steps=3")  # a rank sends 1,572,864 bytes
LONG = ("run", "example", "steps=1000000")
QUESTION = "How many bytes does one rank send in one all-reduce?"
PROMPT = "Your guess, in bytes (Enter skips): "


class FirstMinute(KeptTest):
    def talk(self, *words, **changes):
        return Talk(*words, XDG_DATA_HOME=self.home, **changes)

    def test_the_guess_stands_beside_the_measurement_at_the_end(self):
        with self.talk(*SHORT) as talk:
            talk.expect(QUESTION)
            talk.expect(PROMPT)
            talk.expect("the run is through")  # and waits
            self.assertNotIn("Claims", talk.seen)
            talk.type("78643x\x7f2\r")
            talk.expect("Claims")
            talk.expect("You said 786,432 bytes. Measured: 1,572,864 bytes. Your error: counted once.")
            self.assertEqual(talk.end(), 0)
            self.assertEqual(talk.seen[talk.read:].strip(), "")
        (kept,) = self.kept()
        self.assertEqual((kept["prediction"], kept["value"], kept["errors"]), ("sent", 786432, ["counted once"]))

        with self.talk(*SHORT) as talk:  # the first is not due for a day: the next one is asked
            talk.expect("Which rank sends the most")
            talk.expect("c  all alike")
            talk.type("7\r")
            talk.expect("'7' is none of")
            talk.type("c\r")
            talk.expect("Answers   ")  # of both, and no other one's
            talk.expect("You said all alike. Measured: all alike. Right.")
            self.assertEqual(talk.end(), 0)
        self.assertTrue(self.kept()[1]["correct"])

    def test_a_formula_is_judged_too(self):
        with self.talk(*SHORT) as talk:
            talk.expect(PROMPT)
            talk.type("2(N-1)/Q\r")
            talk.expect("Q")
            talk.expect(PROMPT)
            talk.type("2(N-1)/N B\r")
            talk.expect("Right.")
            self.assertEqual(talk.end(), 0)

    def test_enter_skips_and_so_does_the_end_of_the_input(self):
        for key in ("\r", "\x04", "   \r"):
            with self.talk(*SHORT) as talk:
                talk.expect(PROMPT)
                talk.type(key)
                talk.expect("Claims")
                self.assertEqual(talk.end(), 0)
                self.assertNotIn("You said", talk.seen)
        self.assertEqual(self.kept(), [])

    def test_where_nobody_sits_the_question_goes(self):
        with self.talk(*SHORT, RINGSIDE_ASK_SECONDS="1") as talk:
            talk.expect(PROMPT)
            talk.expect("Claims")
            self.assertEqual(talk.end(), 0)
        with self.talk(*SHORT, RINGSIDE_ASK_SECONDS="0") as talk:
            self.assertEqual(talk.end(), 0)
            self.assertNotIn("Enter skips", talk.seen)

    def test_nobody_is_asked_by_machines(self):
        for words in (("--json",), ("--quiet",), ("--figure", "sent")):
            with self.talk(*SHORT, *words) as talk:
                self.assertEqual(talk.end(), 0)
                self.assertNotIn(QUESTION + "\r", talk.seen)
                self.assertNotIn("Enter skips", talk.seen)
        with self.talk(*SHORT, TERM="dumb") as talk:
            self.assertEqual(talk.end(), 0)
            self.assertNotIn("Enter skips", talk.seen)
        self.assertNotIn("Enter skips", self.run_ok(*SHORT))

    def test_ctrl_c_while_it_is_asked_ends_the_run_and_keeps_what_was_said(self):
        with self.talk(*LONG) as talk:
            talk.expect(PROMPT)
            talk.type("12\x03")
            talk.expect("INCOMPLETE")
            self.assertEqual(talk.end(), INTERRUPTED)
        self.assertEqual(self.kept(), [])
        with self.talk(*LONG) as talk:
            talk.expect(PROMPT)
            talk.type("12\r")
            talk.expect("You said 12 bytes.")
            talk.expect("left")  # the line of progress goes on
            talk.type("\x03")
            self.assertEqual(talk.end(), INTERRUPTED)
        self.assertEqual([one["value"] for one in self.kept()], [12])

    def test_a_run_that_fails_does_not_wait_for_an_answer(self):
        with self.talk("run", "faults", "how=internal") as talk:
            talk.expect("planted")
            self.assertEqual(talk.end(), 1)

    def test_an_answer_given_while_it_was_built_is_taken_over(self):
        with self.talk(*SHORT, RINGSIDE_ASKED="sent 12") as talk:
            talk.expect("You said 12 bytes. Measured: 1,572,864 bytes.")
            self.assertEqual(talk.end(), 0)
            self.assertNotIn("Enter skips", talk.seen)
        self.assertEqual(len(self.kept()), 1)
        for handed in ("", "sent", "nothing 3", "sent what?"):
            with self.talk(*SHORT, RINGSIDE_ASKED=handed) as talk:
                self.assertEqual(talk.end(), 0)
                self.assertNotIn("Enter skips", talk.seen)
        self.assertEqual(len(self.kept()), 1)

    def test_ask_hands_the_answer_over_and_keeps_nothing(self):
        file = os.path.join(self.home, "answer")
        for typed, handed in (("12\r", "sent 12\n"), ("\r", "\n")):
            with self.talk("ask", file, "example", "steps=3") as talk:
                talk.expect(PROMPT)
                talk.type(typed)
                self.assertEqual(talk.end(), 0)
            with open(file, encoding="utf-8") as answer:
                self.assertEqual(answer.read(), handed)
        self.assertEqual(self.kept(), [])
        self.assertNotIn("ask", self.run_ok("help").split())


if __name__ == "__main__":
    unittest.main()
