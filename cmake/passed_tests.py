"""Which tests need not run again: they passed with the same files.

passed_tests.py skip BUILD        before the tests: prints the names of those, one a line, and keeps all tests' keys
passed_tests.py keep BUILD LOG    after them: takes the keys of those that passed in ctest's log into BUILD/passed.json

The files of a test are what its command names, the shared libraries of this build that they are linked with (but for
the one that says the commit), the lessons that its labels name (lesson_zero; `lessons` is all of them, `programs` all
programs), the scripts beside it, assets/, and what tests read of tests/. Two kinds of tests always run: those with the
label `tree`, which look at the source tree itself, and those whose command names folders and no file of this build.
"""
import functools
import hashlib
import json
import pathlib
import re
import subprocess
import sys

BUILD = pathlib.Path(sys.argv[2]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[1]
KEPT, BEFORE = BUILD / "passed.json", BUILD / "before_tests.json"
COMPILED = (".cpp", ".h", ".py", ".sh")  # a program or a script is in a key by itself


@functools.lru_cache(None)
def content(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def hash_of(files):
    return hashlib.sha256("".join(f"{file}:{content(file)}\n" for file in sorted(files)).encode()).hexdigest()


@functools.lru_cache(None)
def data():
    return hash_of(file for folder in ("assets", "tests") for file in (SOURCE / folder).rglob("*")
                   if file.is_file() and not file.name.endswith(COMPILED) and file.name != "CMakeLists.txt")


@functools.lru_cache(None)
def linked(file):
    """The shared libraries of this build that a program or library needs, however deep."""
    needed = subprocess.run(["readelf", "-d", file], capture_output=True, text=True).stdout
    found = set()
    for name in re.findall(r"NEEDED.*\[((?!libringside_commit_of_build).*)\]", needed):
        for folder in (BUILD / "lib", file.parent):
            if (folder / name).exists():
                found |= {folder / name} | linked(folder / name)
                break
    return frozenset(found)


def with_libraries(files):
    return set(files).union(*(linked(file) for file in files))


@functools.lru_cache(None)
def lesson_folders():
    return [file.parent for file in BUILD.rglob("lesson.md")]


def files_of(test):
    properties = {one["name"]: one["value"] for one in test["properties"]}
    labels = properties.get("LABELS", [])
    named = [pathlib.Path(word) for word in test["command"]] + \
            [pathlib.Path(value.partition("=")[2]) for value in properties.get("ENVIRONMENT", [])]
    files = {file for file in named if file.is_file() and (BUILD in file.parents or SOURCE in file.parents)}
    for file in [file for file in files if file.suffix in (".py", ".sh")]:
        files |= {one for one in file.parent.iterdir() if one.suffix in (".py", ".sh")}
    if "programs" in labels:  # people's, and those beside the one that is named: it becomes them
        for folder in {BUILD / "bin"} | {file.parent for file in files if file.name == "ringside"}:
            files |= {one for one in folder.iterdir() if one.name.startswith("ringside") and one.is_file()}
    for folder in lesson_folders():
        if "lessons" in labels or "lesson_" + folder.name in labels:
            files |= {one for one in folder.iterdir() if one.is_file()}
    return with_libraries(files)


def tests():
    shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=BUILD, capture_output=True, text=True, check=True)
    for test in json.loads(shown.stdout)["tests"]:
        labels = [one["value"] for one in test["properties"] if one["name"] == "LABELS"]
        if "command" in test and not (labels and "tree" in labels[0]):
            yield test


def keys():
    """{name of a test: hash of its command and files}"""
    found = {}
    for test in tests():
        files = files_of(test)
        if any(BUILD in file.parents for file in files):
            whole = json.dumps([test["command"], hash_of(files), data()])
            found[test["name"]] = hashlib.sha256(whole.encode()).hexdigest()
    return found


def main():
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if sys.argv[1] == "skip":
        before = keys()
        BEFORE.write_text(json.dumps(before))
        print("\n".join(name for name, key in before.items() if kept.get(name) == key))
        return
    before = json.loads(BEFORE.read_text())
    log = pathlib.Path(sys.argv[3]).read_text(errors="replace")
    for name, end in re.findall(r"Test +#\d+: (\S+) \.*[ *]*(Passed|Failed|Timeout|Skipped|Exception|Not Run)", log):
        kept.pop(name, None)
        if end == "Passed" and name in before:
            kept[name] = before[name]
    KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True))


main()
