"""Ringside's ids held against those of the `tokenizers` library: 2,000 random texts a file of tiny/ (Chinese, emoji, marks that
NFC joins, white space, contractions, added tokens, bytes that are no UTF-8). Exit code 77 (skipped): this Python has none.

    against_python_test.py TOKENIZER_TOOL
"""
import pathlib
import random
import subprocess
import sys

try:
    from tokenizers import Tokenizer
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

TINY = pathlib.Path(__file__).parent / "tiny"
WORDS = ["the", "tokenizer", "It's", "WE'LL", "don'T", "they've", "'\u017f", "'re", " ", "  ", "\t", "\n", "\r\n", "\u3000", "\u00a0",
         "\u2028", "123", "12345678", "\u0664\u0665", "\u00bd", "\u2167", "3.14", "!", "...", "(x)", "//", "_a_b", "\u6a21\u578b", "\u5206\u5e03\u5f0f\u8bad\u7ec3",
         "\uff0c", "\U0001F642", "\U0001F469\u200d\U0001F4BB", "e\u0301", "\u00e9", "a\u0308\u0323", "\u1100\u1161\u11a8", "\ud55c", "Stra\u00dfe", "\u0141\u00f3d\u017a",
         "\u0e44\u0e17\u0e22", "\u0928\u092e\u0938\u094d\u0924\u0947", "\u0645\u0631\u062d\u0628\u0627", "\x00", "\x1b[1m", "\ufffd", "\ufeff", "<|endoftext|>", "<|im_start|>", "<tool>", "<tool>s",
         "<|begin_of_text|>", "<|", "Q", "\U0001D518", "\u02b0", "\u20ac"]


def some_text(draw):
    kind = draw.random()
    if kind < 0.6:
        return "".join(draw.choice(WORDS) + draw.choice(["", "", " "]) for _ in range(draw.randrange(14))).encode()
    if kind < 0.8:  # any letter that was in Unicode long ago
        letters = (chr(draw.choice([draw.randrange(0x250), draw.randrange(0x3000), draw.randrange(0xd7a4)]))
                   for _ in range(draw.randrange(20)))
        return "".join(letters).encode()
    if kind < 0.9:
        return bytes(draw.randrange(256) for _ in range(draw.randrange(30)))
    whole = "".join(draw.choice(WORDS) for _ in range(6)).encode()  # cut in the middle of letters
    return whole[draw.randrange(len(whole) + 1):draw.randrange(len(whole) + 1)] + whole[draw.randrange(len(whole) + 1):]


def main(tool):
    wrong = 0
    for path in sorted(TINY.glob("*.json")):
        theirs = Tokenizer.from_file(str(path))
        draw = random.Random(path.name)
        texts = [some_text(draw) for _ in range(2000)] + [b"a" * 20000, b" " * 999 + b"\n" * 3, "字".encode() * 3000]
        run = subprocess.run([tool, path], input="".join(text.hex() + "\n" for text in texts), text=True, capture_output=True)
        assert run.returncode == 0, run.stderr
        *ours, size = run.stdout.splitlines()
        assert int(size) == theirs.get_vocab_size(), (size, theirs.get_vocab_size())
        for text, line in zip(texts, ours, strict=True):
            expected = theirs.encode(text.decode(errors="replace")).ids
            if [int(word) for word in line.split()] != expected:
                wrong += 1
                if wrong <= 5:
                    print(path.name, repr(text[:80]), line[:300], expected[:60])
        print(f"{path.name}: {len(texts)} texts, the same ids" if wrong == 0 else f"{path.name}: {wrong} differ so far")
    sys.exit(wrong > 0)


main(sys.argv[1])
