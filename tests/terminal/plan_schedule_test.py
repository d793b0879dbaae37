"""`plan schedule`: its page and its document. tests/pipeline holds the schedules, the checker and the clock."""
import unittest

from support import TerminalTest

CROSSED = "F0 B0 F1 B1 / F0 F1 B0 B1"


class Schedule(TerminalTest):
    def plan(self, *words):
        return self.valid("plan", self.run_ok("plan", "schedule", *words, "--json"))

    def test_the_bubble_and_what_lives(self):
        document = self.plan("1f1b", "p=4", "m=8")
        self.assertEqual((document["bubble_of_ideal"], document["total_s"]), (3 / 8, 33))
        self.assertEqual([stage["live_peak"] for stage in document["stages"]], [4, 3, 2, 1])
        self.assertIsNone(document["hangs"])
        self.assertIn("stage 2 waits behind F1 until stage 3", document["hangs_with_blocking_sends"])
        self.assert_strict("plan", document)

    def test_every_name_and_what_is_not_given(self):
        for name, chunks, bubble in (("gpipe", 1, 3 / 8), ("1f1b", 1, 3 / 8), ("interleaved", 2, 3 / 16),
                                     ("zb_h1", 1, 1 / 8), ("zb_v", 2, 1 / 16)):
            document = self.plan(name)
            self.assertEqual((document["setup"]["stages"], document["setup"]["micro_batches"]), (4, 8))
            self.assertEqual(document["setup"]["chunks"], chunks, name)
            self.assertAlmostEqual(document["bubble_of_ideal"], bubble, msg=name)

    def test_what_is_printed_can_be_typed(self):
        document = self.plan("zb_v", "p=3", "m=5")
        typed = self.plan(document["passes"], "order=vee")
        self.assertEqual(typed["setup"]["name"], "own")
        for same in ("passes", "stages", "total_s", "hangs", "hangs_with_blocking_sends"):
            self.assertEqual(typed[same], document[same])

    def test_a_typed_one_that_hangs(self):
        document = self.plan(CROSSED)
        self.assertIn("stage 0 waits before B0", document["hangs"])
        self.assertEqual((document["total_s"], document["bubble_of_ideal"]), (None, None))
        page = self.run_ok("plan", "schedule", CROSSED)
        self.assertIn("  stage 0  F0 | B0\n  stage 1  ..F0 | F1\n", page)
        self.assertIn("hangs    yes: stage 0 waits before B0", page)

    def test_a_page_is_short_also_where_the_schedule_is_not(self):
        for words in (("1f1b",), ("interleaved", "p=64", "m=1024", "v=8"), ("zb_v", "p=16", "m=100")):
            page = self.run_ok("plan", "schedule", *words).splitlines()
            self.assertLessEqual(len(page), 60, words)
            self.assertLessEqual(max(map(len, page)), 80, words)

    def test_lanes_that_are_too_wide_go_on_below_and_what_is_left_out_is_said(self):
        whole = self.run_ok("plan", "schedule", "1f1b", "p=2", "m=30").splitlines()
        for stage in ("  stage 0  ", "  stage 1  "):
            lane = "".join(line[len(stage):] for line in whole if line.startswith(stage))
            self.assertEqual((len(lane), lane.count("F"), lane.count("B")), (3 * 31 * 3, 30, 30))
        self.assertNotIn("left out", "\n".join(whole))
        page = self.run_ok("plan", "schedule", "1f1b", "p=32", "m=100")
        self.assertIn("left out: 16 of 32 stages", page)
        self.assertRegex(page, "left out: [0-9]+ of 393 units of time")

    def test_costs(self):
        document = self.plan("1f1b", "p=2", "m=2", "forward=2", "input=3", "weight=1", "message=0.5")
        self.assertEqual([stage["busy_s"] for stage in document["stages"]], [12, 12])
        # Stage 1 waits for F0's message, works on F0 and B0, waits for F1's, works; then B1's gradient.
        self.assertEqual(document["total_s"], 2 + 0.5 + 6 + 0.5 + 6 + 0.5 + 4)


if __name__ == "__main__":
    unittest.main()
