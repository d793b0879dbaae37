"""A test is skipped where it passed with the same files, and only there: a build of stand-ins, and a ctest that lists it."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
CTEST = "#!/usr/bin/env bash\ncat tests.json\n"
TESTS = {"program": (["{build}/bin/a_test"], []),
         "data": (["{build}/bin/b_test"], []),
         "lesson": (["{build}/bin/b_test", "-c", "zero"], ["lesson_zero"]),
         "folders": (["bash", "{source}/tests/installed_test.sh", "{build}", "{source}"], []),
         "tree": (["{build}/bin/a_test", "tree"], ["tree"])}
FILES = ["build/bin/a_test", "build/bin/b_test", "build/lessons/zero/lesson.md", "build/lessons/zero/zero.so",
         "tests/installed_test.sh", "tests/tiny/model.json", "assets/texts.csv", "engine/engine.cpp"]


class Passed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = pathlib.Path(folder.name).resolve()
        self.build = self.source / "build"
        for file in FILES:
            self.write(file, "before")
        self.write("cmake/ctest", CTEST)
        (self.source / "cmake/ctest").chmod(0o755)
        shutil.copy(SOURCE / "cmake/passed_tests.py", self.source / "cmake")
        named = {"build": self.build, "source": self.source}
        tests = [{"name": name, "command": [word.format(**named) for word in command],
                  "properties": [{"name": "LABELS", "value": labels}] if labels else []}
                 for name, (command, labels) in TESTS.items()]
        self.write("build/tests.json", json.dumps({"tests": tests}))

    def write(self, file, text):
        (self.source / file).parent.mkdir(parents=True, exist_ok=True)
        (self.source / file).write_text(text)

    def call(self, *words):
        ran = subprocess.run([sys.executable, "-B", self.source / "cmake/passed_tests.py", *words], text=True,
                             capture_output=True, env={**os.environ, "PATH": f"{self.source}/cmake:{os.environ['PATH']}"})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return set(ran.stdout.split())

    def skipped(self):
        return self.call("skip", self.build)

    def keep(self, **ended):
        lines = [f"{i}/9 Test  #{i}: {name} ...... {ended.get(name, 'Passed')} 0.1 sec" for i, name in enumerate(TESTS)]
        self.write("build/test.log", "\n".join(lines))
        self.call("keep", self.build, self.build / "test.log")

    def after(self, changed):
        """What is skipped once all have passed and this file is another."""
        self.skipped()
        self.keep()
        self.write(changed, "after")
        return self.skipped()

    def test_all_that_passed_with_the_same_files(self):
        self.assertEqual(self.skipped(), set())
        self.assertEqual(self.after("engine/engine.cpp"), {"program", "data", "lesson"})  # it is compiled into programs

    def test_not_one_whose_files_are_others(self):
        self.assertEqual(self.after("build/bin/a_test"), {"data", "lesson"})
        self.assertEqual(self.after("build/lessons/zero/zero.so"), {"program", "data"})
        self.assertEqual(self.after("tests/tiny/model.json"), set())

    def test_not_one_that_failed(self):
        self.skipped()
        self.keep(data="***Failed")
        self.assertEqual(self.skipped(), {"program", "lesson"})

    def test_not_one_whose_program_changed_while_tests_ran(self):
        self.skipped()
        self.write("build/bin/a_test", "linked anew")
        self.keep()
        self.assertEqual(self.skipped(), {"data", "lesson"})


unittest.main()
