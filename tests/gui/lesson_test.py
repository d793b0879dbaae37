"""The whole ZeRO lesson in the real window, once by keys alone and once by mouse alone: every step, every kind of
guess, a wrong answer that is named and a right one, another N, a run that breaks it, and what one would say."""
import pathlib
import sys
import unittest

from support import Display, Program, SKIPPED, SMALL, XVFB, detail

SCRIPTS = pathlib.Path(__file__).resolve().parent / "scripts"
WIDTH, HEIGHT = 1024, 640
LEAST_DETAIL = 100  # different pixels in the emptiest third: a line of text has more
KEYS = {"key", "type", "wait", "expect", "screenshot"}
MOUSE = {"click", "double_click", "hover", "drag", "wheel", "type", "wait", "expect", "screenshot"}


def commands(script):
    """Of each line the first word, without comments."""
    return [line.split()[0] for line in script.splitlines() if line.strip() and not line.startswith("#")]


class Lesson(Program):
    @classmethod
    def setUpClass(cls):
        cls.display = Display()

    @classmethod
    def tearDownClass(cls):
        cls.display.stop()

    def learn(self, name, allowed):
        script = (SCRIPTS / f"{name}.script").read_text()
        self.assertLessEqual(set(commands(script)), allowed)
        self.renderer = ["--data-folder", str(self.folder / "data"), "--size", f"{WIDTH}x{HEIGHT}"]
        code, out, err = self.play(script, "zero", *SMALL, "proof=off")
        self.assertEqual((code, out, err), (0, "", ""))
        pictures = sorted(self.folder.glob("*.png"))
        self.assertEqual(len(pictures), commands(script).count("screenshot"))
        for picture in pictures:
            width, height, least = detail(picture)
            self.assertEqual((width, height), (WIDTH, HEIGHT), picture.name)
            self.assertGreater(least, LEAST_DETAIL, picture.name)

    def test_by_keys_alone(self):
        self.learn("keys", KEYS)

    def test_by_mouse_alone(self):
        self.learn("mouse", MOUSE)


if __name__ == "__main__":
    if not XVFB:
        print("no Xvfb: the lesson is not tried in a window")
        sys.exit(SKIPPED)
    unittest.main()
