"""What goes to stdout and stderr, pipes, colour, and how soon it is there."""
import json
import os
import pathlib
import pty
import resource
import shutil
import subprocess
import tempfile
import time
import unittest

from support import DEADLINE, INPUT, RINGSIDE, SANITIZED, TerminalTest, environment, ringside


ESCAPE = b"\x1b"
OF_PEOPLE = os.environ["RINGSIDE_OF_PEOPLE"]
WITHOUT_TORCH = ([], ["--help"], ["list"], ["list", "--json"], ["plan", "zero"], ["plan", "zero", "--json"],
                 ["plan", "--help"], ["lsit"])


def of_people(*words, **changes):
    """People's own program, with its lessons."""
    return subprocess.run([OF_PEOPLE, *words], capture_output=True, timeout=DEADLINE,
                          env=environment(RINGSIDE_LESSONS="", **changes))


def on_terminal(*words, **changes):
    """Everything that a person would see: stdout and stderr on one pseudo-terminal; stdin is none, so that nobody is asked."""
    try:
        master, slave = pty.openpty()
    except OSError as error:  # a chroot without /dev/pts
        raise unittest.SkipTest(f"no pseudo-terminal here: {error}") from error
    process = subprocess.Popen([RINGSIDE, *words], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                               env=environment(**changes))
    os.close(slave)
    seen = b""
    try:
        while chunk := os.read(master, 65536):
            seen += chunk
    except OSError:  # the other end was closed
        pass
    os.close(master)
    return process.wait(timeout=DEADLINE), seen


class Output(TerminalTest):
    def test_help_lists_commands_and_exit_codes(self):
        for words in ([], ["--help"], ["-h"], ["help"]):
            text = self.run_ok(*words)
            for part in ("list", "run", "plan", "Exit codes", "130", "a check failed"):
                self.assertIn(part, text)

    def test_help_of_a_lesson_shows_its_declaration_and_its_text_unchanged(self):
        lesson = pathlib.Path(__file__).parent / "lessons/faults/lesson.md"
        text = lesson.read_text(encoding="utf-8").split("---\n", 2)[2]
        for words in (["help", "faults"], ["run", "faults", "--help"]):
            shown = self.run_ok(*words)
            self.assertTrue(shown.endswith(text))
            self.assertIn("how the run ends", shown)
        self.assertIn("allowed are 1 to 8", self.run_ok("help", "example"))

    def test_list_shows_tracks_and_titles(self):
        text = self.run_ok("list")
        self.assertIn("examples\n  example", text)
        self.assertIn('"Ends" as it is told; $HOME ${x} @x@ Ψ', text)

    def test_version_names_what_figures_depend_on(self):
        text = self.run_ok("--version")
        for part in ("ringside 0.", "LibTorch", "BLAS", "threads", "CPU", "flags"):
            self.assertIn(part, text)

    def test_plan_gives_the_table_of_the_paper(self):
        table = self.run_ok("plan", "zero", "--parameters", "7.5e9", "--ranks", "64")
        rows = [line.split() for line in table.splitlines()]
        states = [row[1] for row in rows if row and row[0] in "0123"]
        self.assertEqual(states, ["120", "31.4", "16.6", "1.88"])
        self.assertIn("AdamW, fp32 (K=8)", self.run_ok("plan", "zero", "--precision", "fp32"))
        self.assertIn("SGD, bf16 with an fp32 master copy (K=8)", self.run_ok("plan", "zero", "--optimizer", "sgd"))

    def test_a_page_has_its_parts_and_is_bounded(self):
        text = self.run_ok("run", "example", "ranks=3", "elements=3Ki", "steps=2")
        self.assertIn("Claims    ✓ holds", text)
        self.assertIn("1.33333 of the buffer on 3 ranks", " ".join(text.split()))
        self.assertNotIn("16384", text)  # nobody was asked
        self.assertIn("Questions ", text)
        self.assertLessEqual(len(text.splitlines()), 60)
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)
        whole = self.run_ok("run", "example", "ranks=3", "elements=3Ki", "steps=2", "--all")
        self.assertGreater(len(whole.splitlines()), len(text.splitlines()))

    def test_questions_stand_in_the_help_without_their_answers(self):
        text = self.run_ok("help", "faults")
        indent = "\n" + 20 * " "
        self.assertIn("  choices           which of them share memory?" + indent + "view | clone | expand | contiguous\n", text)
        self.assertNotIn("[0, 1]", text)

    def test_the_summary_is_told_the_width(self):
        self.assertIn("width 80", self.run_ok("run", "faults"))
        self.assertIn("width 44", self.run_ok("run", "faults", "--width", "44"))

    def test_a_pipe_gets_no_escape_and_no_progress(self):
        done = ringside("run", "faults", "how=brief")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertNotIn(ESCAPE, done.stdout)

    def test_a_pipe_is_told_what_runs_while_it_runs(self):
        process = subprocess.Popen([RINGSIDE, "run", "faults", "how=slow"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment())
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        began = time.monotonic()
        line = process.stderr.readline()
        self.assertGreater(time.monotonic() - began, 1)  # a short run stays silent
        self.assertRegex(line, rb"^runs      stepping   [\d,]+ of 1,000,000   [\d.]+/s   .+ left   step [\d.e+]+ at step \d+\n")
        self.assertEqual(ringside("run", "faults", "how=brief", "--quiet").stderr, b"")

    def test_a_terminal_gets_colour_and_progress_that_is_cleared(self):
        code, seen = on_terminal("run", "faults", "how=brief")
        self.assertEqual(code, 0)
        self.assertIn(ESCAPE, seen)
        self.assertRegex(seen, rb"stepping   \d+ of 40   \d+\.\d/s")
        self.assertRegex(seen, rb"\r +\r[^\r]*SUMMARY")

    def test_colour_is_refused(self):
        for changes in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": None}):
            seen = on_terminal("run", "faults", "how=brief", **changes)[1]
            self.assertNotIn(ESCAPE, seen)
            self.assertEqual(b"stepping" in seen, "NO_COLOR" in changes)  # a dumb terminal cannot draw over a line
        self.assertNotIn(ESCAPE, on_terminal("run", "faults", "--no-color")[1])
        self.assertIn(ESCAPE, on_terminal("run", "faults", NO_COLOR="")[1])

    def test_a_bench_shows_its_progress_on_a_terminal_only(self):
        words = ("bench", "step", "faults how=slow", "faults how=slow", "--rounds", "10")
        code, seen = on_terminal(*words)
        self.assertEqual(code, 0)
        self.assertRegex(seen, rb"steps in turns   \d+ of 24")
        self.assertNotIn(b"steps in turns", on_terminal(*words, "--quiet")[1])
        self.run_ok(*words)  # silent on stderr

    def test_quiet_terminals_get_no_progress(self):
        self.assertNotIn(b"stepping", on_terminal("run", "faults", "how=brief", "--quiet")[1])

    def test_head_ends_it_quietly(self):
        for words in ("run example steps=5000 elements=1 ranks=1 --json", "list", "help faults", "--help"):
            pipe = ["bash", "-c", f"set -o pipefail; '{RINGSIDE}' {words} | head -n 1"]
            done = subprocess.run(pipe, capture_output=True, timeout=DEADLINE, env=environment())
            self.assertEqual((done.returncode, done.stderr, done.stdout.count(b"\n")), (0, b"", 1), words)

    def test_a_closed_stdout_is_an_error_and_spoils_no_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "run.jsonl")
            for closed in (">&-", "<&- >&-", ">&- 2>&-"):
                done = subprocess.run(["bash", "-c", f"'{RINGSIDE}' run example steps=3 --quiet --trace '{trace}' {closed}"],
                                      stderr=subprocess.PIPE, env=environment(), timeout=DEADLINE)
                self.assertEqual(done.returncode, INPUT, closed)
                self.assertEqual(b"cannot be written: Bad file descriptor" in done.stderr, "2>" not in closed)
                with open(trace, encoding="utf-8") as file:
                    for line in file:
                        json.loads(line)

    def test_traces_are_written_in_three_formats(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("run.jsonl", "run.json", "run.chrome.json"):
                self.run_ok("run", "example", "steps=3", "--trace", os.path.join(folder, name))
            sizes = {os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)}
            self.assertEqual((len(sizes), 0 in sizes), (3, False))

    def test_list_plan_and_help_do_without_libtorch(self):
        for words in WITHOUT_TORCH:
            loaded = of_people(*words, LD_DEBUG="files").stderr
            self.assertIn(b"libc.so", loaded)
            self.assertNotIn(b"libtorch", loaded, words)
        runner = subprocess.run(["ldd", OF_PEOPLE + "-run"], capture_output=True).stdout
        self.assertEqual(b"libtorch" in runner, os.environ["RINGSIDE_TORCH"] in ("ON", "1", "TRUE"))
        for library in (b"libcuda.so", b"libc10_cuda", b"libtorch_cuda", b"libnccl", b"libringside_cuda"):
            self.assertNotIn(library, runner)  # loaded when somebody asks for a GPU

    @unittest.skipIf(SANITIZED, "a sanitizer takes its time")
    def test_list_plan_and_help_answer_within_half_a_second_of_work(self):
        def work():  # what else runs on the machine is not in it
            spent = resource.getrusage(resource.RUSAGE_CHILDREN)
            return spent.ru_utime + spent.ru_stime

        for words in WITHOUT_TORCH:
            before = work()
            of_people(*words)
            self.assertLess(work() - before, 0.5, words)

    def test_without_its_second_half_it_says_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(RINGSIDE, folder)
            libraries = os.path.join(os.path.dirname(OF_PEOPLE), "../lib")
            done = subprocess.run([alone, "run", "example"], capture_output=True,
                                  env=environment(LD_LIBRARY_PATH=libraries))
            self.assertEqual(done.returncode, 9)
            self.assertIn(b"ringside-run", done.stderr)


if __name__ == "__main__":
    unittest.main()
