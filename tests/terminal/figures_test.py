"""A lesson's figures from the command line: as text, at an instant, as JSON, as SVG."""
import json
import os
import tempfile
import unittest
import xml.dom.minidom

from support import INPUT, USAGE, TerminalTest

RUN = ("run", "example", "ranks=3", "steps=4", "elements=3Ki")
IDS = ["sent", "sums", "calls", "cost", "chunks", "lanes", "ring", "loop", "table"]


class Figures(TerminalTest):
    def test_all_of_them_behind_the_summary(self):
        text = self.run_ok(*RUN, "--figures")
        places = [text.index(part) for part in
                  ("Claims", "What each rank sends", "The sum that rank 0 finds", "Bytes by rank and call", "ranks N",
                   "chunk 0", "Who is in an all-reduce", "Who sends to whom", "fill(buffer, 1)", "A row a rank")]
        self.assertLess(places[0], text.rindex("What each rank sends"))
        self.assertEqual(places[2:], sorted(places[2:]))
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 98)
        self.assertLessEqual(max(len(line) for line in self.run_ok(*RUN, "--figures", "--width", "60").splitlines()), 60)

    def test_one_of_them_instead_of_the_summary(self):
        text = self.run_ok(*RUN, "--figure", "table")
        self.assertNotIn("Claims", text)
        self.assertRegex(text, r"rank 0 +4 +64.00 KiB")
        both = self.run_ok(*RUN, "--figure", "table", "--figure", "loop")
        self.assertLess(both.index("A row a rank"), both.index("What the loop does"))
        self.assertIn("  cost ", self.run_ok("help", "example"))

    def test_at_an_instant(self):
        text = self.run_ok(*RUN, "--figure", "table", "--at", "all-reduce:1:step")
        self.assertRegex(text, r"rank 0 +2 ")
        for words, part in (("all-reduce:9", "section 'all-reduce' has no step 9; there are: 0 to 3"),
                            ("all-reduce:1:stop", "no phase 'stop' (did you mean step?); there are: step"),
                            ("reduce", "there is no section 'reduce'; there are: all-reduce"),
                            (":1", "which section?")):
            self.assert_fails((*RUN, "--figure", "table", "--at", words), USAGE, part)
        self.assert_fails((*RUN, "--at", "all-reduce"), USAGE, "no figure is shown; add --figures")

    def test_mistakes_are_named_before_the_run(self):
        long = ("run", "example", "steps=1000000000")
        self.assert_fails((*long, "--figure", "snet"), USAGE, "did you mean sent?", "sent, sums")
        self.assert_fails((*long, "--figure", "sums", "--figures"), USAGE, "choose one")
        self.assert_fails((*long, "--save", "a.png"), USAGE, "must end in .svg")
        self.assert_fails((*long, "--save", "/nowhere/a.svg"), INPUT, "there is no folder '/nowhere'")
        self.assert_fails((*long, "--figure", "sums", "--figure", "sent", "--save", "a.svg"), USAGE, "one figure's")
        self.assert_fails(("run", "faults", "--figure", "x"), USAGE, "lesson 'faults' has no figures")
        self.assert_fails(("run", "faults", "--save", "a.svg"), USAGE, "lesson 'faults' has no figures")
        self.assertIn("no figures", self.run_ok("run", "faults", "--figures"))

    def test_a_picture_is_saved(self):
        with tempfile.TemporaryDirectory() as folder:
            for words in ((), ("--figure", "ring"), ("--json",)):
                file = os.path.join(folder, "picture.svg")
                self.run_ok(*RUN, *words, "--save", file)
                self.assertEqual(xml.dom.minidom.parse(file).documentElement.tagName, "svg")
                os.unlink(file)

    def test_the_document_has_them(self):
        figures = json.loads(self.run_ok(*RUN, "--json"))["figures"]
        self.assertEqual([figure["id"] for figure in figures], IDS)
        self.assertEqual({figure["kind"] for figure in figures},
                         {"bars", "lines", "matrix", "contours", "boxes", "lanes", "graph", "listing", "table"})
        self.assertEqual(figures[1]["value"]["lines"][0]["y"], [3, 3, 3, 3])
        self.assertEqual(figures[0]["instant"]["section"], "all-reduce")
        self.assertEqual(figures[0]["sentence"], "Rank 0 has sent 64.00 KiB in 4 all-reduces.")
        one = json.loads(self.run_ok(*RUN, "--json", "--figure", "loop", "--at", "all-reduce:0"))["figures"]
        self.assertEqual([figure["id"] for figure in one], ["loop"])
        self.assertEqual(one[0]["value"]["lines"][0]["value"], "× 1")
        self.assertEqual(json.loads(self.run_ok("run", "faults", "--json"))["figures"], [])

    def test_many_points_are_left_out_and_counted(self):
        figures = json.loads(self.run_ok("run", "example", "ranks=1", "steps=3000", "elements=1", "--json"))["figures"]
        kept = len(figures[1]["value"]["lines"][0]["x"])
        self.assertLessEqual(kept, 2000)


if __name__ == "__main__":
    unittest.main()
