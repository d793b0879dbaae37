#!/usr/bin/env python3
"""Writes self.gz, what data=self reads: the texts of this repository at one commit.

    assets/corpus/make.py                    self.gz of COMMIT
    assets/corpus/make.py COMMIT FILE        another commit, another file
    assets/corpus/make.py --check            does self.gz hold what COMMIT holds? 0 yes, 1 no, 77 no such commit here

The plain bytes follow from the commit alone; the compressed ones from zlib's version too. README.md has the format.
"""
import pathlib
import subprocess
import sys
import zlib

COMMIT = "5811a48d23d0b24a29540655f6c36f3e857450a0"
FOLDER = pathlib.Path(__file__).resolve().parent
DEFAULT_FILE = FOLDER / "self.gz"
MAX_BYTES = 1_000_000
GZIP = 16 + zlib.MAX_WBITS  # with gzip's header: no name and no time in it


def git(*words):
    return subprocess.run(["git", "-C", FOLDER, *words], check=True, stdout=subprocess.PIPE).stdout


def texts(commit):
    """(path, bytes) of each regular file, by path; not the hidden ones and those that are no UTF-8 text."""
    for entry in git("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")[:-1]:
        attributes, path = entry.split(b"\t", 1)
        mode, _, blob = attributes.decode().split()
        hidden = any(part.startswith(b".") for part in path.split(b"/"))
        if hidden or not mode.startswith("100"):
            continue
        text = git("cat-file", "blob", blob)
        try:
            text.decode()
        except UnicodeDecodeError:
            continue
        if text and b"\0" not in text:
            yield path, text


def plain(commit):
    files = sorted(texts(commit))
    parts = [b"ringside corpus 1\ncommit %s\nfiles %d\n" % (commit.encode(), len(files))]
    for path, text in files:
        parts.append(b"%d %s\n" % (len(text), path))
        parts.append(text)
    return b"".join(parts)


def compress(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, GZIP)
    return packer.compress(data) + packer.flush()


def full_name(commit):
    return git("rev-parse", "--verify", "--quiet", commit + "^{commit}").decode().strip()


def main(words):
    check = words == ["--check"]
    if check:
        words = []
    try:
        commit = full_name(words[0] if words else COMMIT)
    except (OSError, subprocess.CalledProcessError):
        print("no such commit here: a shallow clone, or no git")
        return 77
    if check:
        same = zlib.decompress(DEFAULT_FILE.read_bytes(), GZIP) == plain(commit)
        print(f"{DEFAULT_FILE} {'holds' if same else 'does not hold'} the texts of {commit}")
        return 0 if same else 1
    packed = compress(plain(commit))
    if len(packed) > MAX_BYTES:
        print(f"{len(packed)} bytes are more than the {MAX_BYTES} that are read", file=sys.stderr)
        return 1
    file = pathlib.Path(words[1]) if len(words) > 1 else DEFAULT_FILE
    file.write_bytes(packed)
    print(f"{file}: {len(packed)} bytes, commit {commit}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
