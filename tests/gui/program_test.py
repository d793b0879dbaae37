"""The program around the room: scripts, pictures, every way to leave. Under Xvfb where there is one."""
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from support import CHECK_FAILED, DEADLINE, Display, FOR_EVER, INTERRUPTED, MISSING, Program, RINGSIDE
from support import USAGE, XVFB, has, png, until

XDOTOOL = shutil.which("xdotool")


class StubProgram(Program):
    def kept(self):
        """What the stub of the room leaves in the learner's folder."""
        return self.folder / ".local/share/ringside/stub.json"

    def state(self):
        return json.loads(self.kept().read_text())

    def until_drawn(self):
        self.assertTrue(until(self.kept().exists), "no frame was drawn")


class Scripts(StubProgram):
    def test_a_script_clicks_types_and_looks(self):
        done = self.play("""
            click press
            expect /clicks == 1
            double_click press
            expect /clicks == 3
            click text
            type "2P + 14P/N é"
            frames 2
            expect /text contains "14P/N é"
            chinese
            scale 2
            expect /scale == 2
            wait /run/busy == false 120
            dump "HERE/state.json"
            items "HERE/items.json"
            """, "example", "steps=3")
        self.assertEqual(done, (0, "", ""))
        state = json.loads((self.folder / "state.json").read_text())
        self.assertEqual((state["lesson"], state["words"], state["data_folder"]), ("example", ["steps=3"], ""))
        names = [item["name"] for item in json.loads((self.folder / "items.json").read_text())]
        self.assertEqual(names, ["press", "text"])

    def test_what_fails_is_named_with_its_line(self):
        self.assert_fails(self.play("click press\n\nexpect /clicks == 7"), CHECK_FAILED,
                          "a script:3: expect /clicks == 7: it is 1")
        self.assert_fails(self.play("click pres"), CHECK_FAILED, "a script:1", "did you mean press?")
        self.assert_fails(self.play("dance"), CHECK_FAILED, "a script:1: dance: no command 'dance'")
        self.assert_fails(self.play("wait /clicks == 1 0.3"), CHECK_FAILED, "it is 0")

    def test_what_cannot_be_read_is_a_usage_error(self):
        self.assert_fails(self.play("click"), USAGE, "a script:1: click takes 1 words")
        self.assert_fails(self.gui("--script", "/nowhere"), USAGE, "/nowhere")

    def test_a_script_leaves_no_trace_of_itself(self):
        self.assertEqual(self.play("frames 3")[0], 0)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a script"])

    def test_time_and_cost(self):
        code, out, _ = self.gui("--renderer", "null", "--seconds", "1.5", "--frame-times")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"^\d+ frames in [\d.]+ s; CPU time of a frame: p50 [\d.]+ ms, p99 [\d.]+ ms\n.* ms \d+")
        frames, seconds = int(out.split()[0]), float(out.split()[3])
        self.assertLess(frames, 10 + seconds)  # idle: one a second


class Words(StubProgram):
    def test_bad_options(self):
        for words in (["--size", "12"], ["--size", "100x100"], ["--size", "800x600x2"], ["--theme", "blue"],
                      ["--scale", "9"], ["--scale", "nan"], ["--renderer", "vulkan"], ["--hidden", "--visible"],
                      ["--seconds", "-1"], ["--seconds", "nan"], ["--script", "a", "--screenshot", "b"],
                      ["--screenshot", "a", "--renderer", "null"], ["--nonsense"]):
            self.assert_fails(self.gui(*words), USAGE)
        self.assert_fails(self.gui("nothing", "--renderer", "null"), USAGE, "nothing")

    def test_help_is_its_own(self):
        code, out, _ = self.gui("--help")
        self.assertEqual(code, 0)
        self.assertIn("--screenshot", out)

    def test_without_a_display(self):
        self.display, kept = None, self.display
        self.assert_fails(self.gui(), MISSING, "no display", "ringside run LESSON", "--renderer null")
        self.assert_fails(self.gui(DISPLAY=":987"), MISSING, "ringside run")
        self.display = kept

    def test_without_the_program(self):
        shutil.copy(RINGSIDE, self.folder)
        libraries = os.environ["RINGSIDE_LIBRARIES"]  # the copy does not find them from where it lies
        done = subprocess.run([self.folder / "ringside", "gui"], capture_output=True, text=True,
                              env=dict(os.environ, LD_LIBRARY_PATH=libraries))
        self.assert_fails((done.returncode, done.stdout, done.stderr), MISSING, "libglfw3-dev")

    def test_the_program_alone_says_what_to_call(self):
        done = subprocess.run([str(RINGSIDE) + "-gui", "list"], capture_output=True, text=True)
        self.assert_fails((done.returncode, done.stdout, done.stderr), USAGE, "call ringside gui")


class Leaving(StubProgram):
    def test_signals_stop_the_run_and_end(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start(*self.renderer)
            self.until_drawn()
            process.send_signal(number)
            code, _, err = self.finish(process)
            self.assertEqual((code, err), (INTERRUPTED, ""))
            self.kept().unlink()

    def test_a_run_that_does_not_stop_is_left(self):
        began = time.monotonic()
        code, _, err = self.play("stuck\nframes 3")
        self.assertEqual((code, err), (0, ""))
        self.assertLess(time.monotonic() - began, 5)

    def test_a_run_that_does_not_stop_is_told_of_where_it_was_interrupted(self):
        script, there = self.folder / "script", self.folder / "there"
        script.write_text(f'stuck\ndump "{there}"\nsleep {FOR_EVER}\n')
        process = self.start(*self.renderer, "--script", str(script))
        until(there.exists)
        process.send_signal(signal.SIGTERM)
        code, _, err = self.finish(process)
        self.assertEqual(code, INTERRUPTED)
        self.assertIn("did not stop at once", err)

    def test_the_second_signal_ends_at_once(self):
        script, there = self.folder / "script", self.folder / "there"
        script.write_text(f'stuck\ndump "{there}"\nsleep {FOR_EVER}\n')
        process = self.start(*self.renderer, "--script", str(script))
        until(there.exists)
        process.send_signal(signal.SIGINT)
        until(lambda: not has(process.pid, ("SigPnd:", "ShdPnd:"), signal.SIGINT))
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        code, _, err = self.finish(process)
        self.assertEqual((code, err), (INTERRUPTED, ""))

    def test_no_home(self):
        _, _, err = self.gui("--renderer", "null", "--seconds", "0.1", HOME=None)
        self.assertEqual(err.count("HOME"), 1)


@unittest.skipUnless(XVFB, "no Xvfb")
class OnADisplay(StubProgram):
    @classmethod
    def setUpClass(cls):
        cls.display = Display()

    @classmethod
    def tearDownClass(cls):
        cls.display.stop()

    def setUp(self):
        super().setUp()
        self.renderer = []

    def open_window(self, *words):
        """A visible window and its number."""
        process = self.start("--visible", *words)
        found = subprocess.run([XDOTOOL, "search", "--sync", "--onlyvisible", "--name", "^Ringside$"], text=True,
                               capture_output=True, env=self.environment(), timeout=DEADLINE)
        self.until_drawn()
        return process, found.stdout.split()[0]

    def geometry(self, window):
        return subprocess.run([XDOTOOL, "getwindowgeometry", window], capture_output=True, text=True,
                              env=self.environment(), timeout=DEADLINE).stdout

    def xdo(self, *words):
        subprocess.run([XDOTOOL, *words], env=self.environment(), check=True, timeout=DEADLINE)

    def test_a_screenshot(self):
        picture = self.folder / "a.png"
        done = self.gui("--screenshot", str(picture), "--size", "640x400", "--theme", "light")
        self.assertEqual(done, (0, "", ""))
        width, height, colours = png(picture)
        self.assertEqual((width, height), (640, 400))
        self.assertIn(bytes([255, 255, 255, 255]), colours)
        self.assertGreater(len(colours), 20)  # letters have edges

    def test_a_script_on_a_display(self):
        Scripts.test_a_script_clicks_types_and_looks(self)
        self.assertEqual(self.play("size 900 500\nexpect /width == 900\nscreenshot HERE/b.png")[0], 0)
        self.assertEqual(png(self.folder / "b.png")[:2], (900, 500))

    def test_a_failure_leaves_a_picture(self):
        self.assert_fails(self.play("expect /clicks == 1"), CHECK_FAILED, "a script.failed.png")
        self.assertGreater(png(self.folder / "a script.failed.png")[0], 0)

    @unittest.skipUnless(XDOTOOL, "no xdotool")
    def test_mouse_keys_and_the_place_of_the_window(self):
        process, window = self.open_window("--size", "700x500")
        self.xdo("mousemove", "--window", window, "100", "43", "click", "1")
        self.xdo("type", "--delay", "1", "14P/N")
        self.xdo("key", "--delay", "1", "BackSpace", "M", "Left", "x")
        self.xdo("mousemove", "--window", window, "20", "14", "click", "--delay", "0", "--repeat", "3", "1",
                 "mousemove", "--window", window, "600", "400")
        until(lambda: self.state() == {"text": "14P/xM", "clicks": 3})
        self.assertEqual(self.state(), {"text": "14P/xM", "clicks": 3})
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process)[0], INTERRUPTED)

    @unittest.skipUnless(XDOTOOL, "no xdotool")
    def test_the_window_comes_back_where_it_was(self):
        process, window = self.open_window()
        self.xdo("windowsize", window, "777", "555", "windowmove", window, "33", "44")
        self.assertTrue(until(lambda: "33,44" in (shape := self.geometry(window)) and "777x555" in shape))
        process.send_signal(signal.SIGTERM)
        self.finish(process)
        place = json.loads((self.folder / ".config/ringside/settings.json").read_text())["window"]
        self.assertEqual(place, {"x": 33, "y": 44, "width": 777, "height": 555})
        self.kept().unlink()
        process, window = self.open_window()
        shape = self.geometry(window)
        self.assertIn("33,44", shape)
        self.assertIn("777x555", shape)
        process.send_signal(signal.SIGTERM)
        self.finish(process)


if __name__ == "__main__":
    unittest.main()
