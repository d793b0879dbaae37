"""add_lesson_test.py CMAKE OPTION...: adding a lesson is adding a folder.

Copies the template out of the tree, renames it, builds it in a build folder of its own (with the engine that the tests
were built with: RINGSIDE_BUILT), has the program run it; then takes each part away and looks for the message.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

RINGSIDE, OF_PEOPLE = os.environ["RINGSIDE"], os.environ["RINGSIDE_OF_PEOPLE"]  # that compares interfaces
SOURCE = pathlib.Path(os.environ["RINGSIDE_SOURCE"])
TEMPLATE = SOURCE / "tests/template_lesson/example"
CMAKE, OPTIONS = sys.argv[1], sys.argv[2:]
SMALLEST = """#include "ringside/lesson/lesson.h"
namespace ringside::lessons::second {
Lesson make_lesson() { return {}; }
}  // namespace ringside::lessons::second
"""


def copy_template(lessons, name):
    folder = lessons / name
    shutil.copytree(TEMPLATE, folder)
    for file in folder.iterdir():
        text = file.read_text().replace("id: example", f"id: {name}")
        file.write_text(text.replace("lessons::example", f"lessons::{name}"))
        if file.name != "figures.cpp":  # which a test changes; what is the same is compiled once
            shutil.copystat(TEMPLATE / file.name, file)
    return folder


def command(*words):
    words = [str(word) for word in words]
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class AddLesson(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.build_folder = cls.folder / "build"  # of all tests: CMake looks at the compiler once

    def setUp(self):
        self.lessons = self.folder / "my lessons"
        self.lesson = copy_template(self.lessons, "copied")
        self.addCleanup(shutil.rmtree, self.lessons)

    def configure(self):
        return command(CMAKE, "-S", SOURCE, "-B", self.build_folder, *OPTIONS, "-DRINGSIDE_TORCH=OFF",
                       "-DRINGSIDE_GUI=OFF", "-DRINGSIDE_TESTS=OFF", f"-DRINGSIDE_EXTRA_LESSONS={self.lessons}")

    def read(self):
        """What a configuration does first, without the rest of it."""
        script = self.folder / "read.cmake"
        script.write_text(f'include("{SOURCE}/cmake/ringside_lessons.cmake")\n'
                          f'ringside_read_lesson("{self.lesson}/lesson.md" id engine)\n')
        return command(CMAKE, "-P", script)

    def build(self):
        return command(CMAKE, "--build", self.build_folder, "--target", "ringside_lessons")

    def ringside(self, *words, program=RINGSIDE):
        return command("env", f"RINGSIDE_LESSONS={self.build_folder / 'lessons'}", program, *words)

    def ids(self):
        return [lesson["id"] for lesson in json.loads(self.ringside("list", "--json").stdout)["lessons"]]

    def assert_ok(self, done):
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])

    def assert_stops(self, done, *parts):
        self.assertNotEqual(done.returncode, 0)
        for part in parts:
            self.assertIn(part, " ".join(done.stdout.split()))  # CMake wraps its messages

    def test_a_copied_folder_is_a_lesson(self):
        self.assert_ok(self.configure())
        self.assertEqual(self.ids(), ["copied"])
        missing = self.ringside("run", "copied")
        self.assertEqual((missing.returncode, missing.stdout),
                         (9, "ringside: 'copied' is not built yet; ./run build copied builds it\n"))
        self.assert_ok(self.build())
        done = self.ringside("run", "copied", "ranks=2", "steps=2", "--json")
        self.assert_ok(done)
        self.assertEqual(json.loads(done.stdout)["claims"][0]["verdict"], "holds")

        # A module of other headers is not loaded.
        says = self.build_folder / "lessons/copied/copied.so.interface"
        kept = says.read_text()
        says.write_text("0" * len(kept))
        self.assertIn("'copied' was built from older sources", self.ringside("run", "copied", program=OF_PEOPLE).stdout)
        says.write_text(kept)

        # Only `cmake --build` from here on.
        second = copy_template(self.lessons, "second")
        experiment = second / "experiment.cpp"
        experiment.write_text(SMALLEST)
        (second / "figures.cpp").unlink()
        self.assert_ok(self.build())
        self.assertEqual(self.ids(), ["copied", "second"])
        text = second / "lesson.md"
        text.write_text(text.read_text().replace("title: ", "title: Again: "))
        self.assert_ok(self.build())
        self.assertIn("Again: ", self.ringside("list").stdout)
        experiment.write_text(SMALLEST.replace("Lesson make_lesson()", "Lesson make_lessons()"))
        self.assert_stops(self.build(), "lessons::second::make_lesson")
        shutil.rmtree(second)
        self.assert_ok(self.build())
        self.assertNotIn("second", self.ids())

    def test_mistakes_in_a_figure_are_named(self):
        figures = self.lesson / "figures.cpp"
        begin = "Value sums(const FigureInput& input) {\n"
        mistakes = """
  const int64_t steps = input.config.integer("steps");
  Lines wrong{{"step"}, {"sum"}, {{"found", Ink::kParameters, Stroke::kMeasured, {}}}};
  if (steps == 1) throw std::runtime_error("no such row");
  if (steps == 2) wrong.lines[0].points = {{kNone, 1}};
  if (steps == 3) wrong.lines[0].points.resize(10'000'000, {1, 1});
  if (steps <= 4) return wrong;
"""
        self.assertIn(begin, figures.read_text())
        figures.write_text(figures.read_text().replace(begin, begin + mistakes))
        self.assert_ok(self.configure())
        self.assert_ok(self.build())
        for steps, words in ((1, "its function throws: no such row; where there is nothing to show yet, return Nothing"),
                             (2, "an x of 'found' is nan; it must be a finite number"),
                             (3, "it has 10,000,000 points; at most 200,000 are allowed: return figure::thinned"),
                             (4, "it is empty: no line has a point; return Nothing and say why")):
            run = ["run", "copied", f"steps={steps}"]
            for way in (["--figures"], ["--figure", "sums"], ["--json"]) if steps == 1 else (["--figures"],):
                done = self.ringside(*run, *way)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("figure 'sums' of lesson 'copied': " + words, done.stdout)
        self.assert_ok(self.ringside(*run))  # the first figure is another one

    def test_what_is_missing_stops_the_configuration_and_names_the_lesson(self):
        text, experiment = self.lesson / "lesson.md", self.lesson / "experiment.cpp"
        document, code = text.read_text(), experiment.read_text()
        experiment.unlink()
        self.assert_stops(self.configure(), "lesson 'copied'", "has no experiment.cpp")
        experiment.write_text(code)
        for key in ("id", "title", "order", "track", "questions"):
            lines = document.splitlines(keepends=True)
            text.write_text("".join(line for line in lines if not line.startswith(key + ":")))
            self.assert_stops(self.read(), "lesson 'copied'", f"lacks the key '{key}'")
        text.write_text(document.replace("id: copied", "id: other"))
        self.assert_stops(self.read(), "lesson 'copied'", "not the folder's name")
        text.write_text(document.replace("order: 1", "order: first"))
        self.assert_stops(self.read(), "lesson 'copied'", "no integer")
        text.write_text("no front matter")
        self.assert_stops(self.read(), "lesson 'copied'", "no front matter")
        shutil.rmtree(self.lesson)
        self.assert_stops(self.configure(), "no folder in it has a lesson.md")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
