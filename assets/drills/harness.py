"""Calls one drill's function, case by case, as harness.cpp does: harness.py FILE CASES NAME RANKS."""
import json
import math
import os
import sys
import threading
import traceback

path, cases, name, mode = sys.argv[1:5]
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)  # what they print is no answer
shown = os.path.basename(path)


class Comm:
    """One rank of `net`. A send of mode 2 waits until it is received."""

    def __init__(self, net, rank):
        self.net, self.rank, self.size, self.sent = net, rank, net.size, 0

    def send(self, to, values):
        message = [list(values), False]
        box = self.net.box(self.rank, to, to)
        self.sent += len(message[0])
        with self.net.turn:
            box.append(message)
            self.net.turn.notify_all()
            if mode == "2":
                self.net.wait(self.rank, f"send {to}", lambda: message[1])

    def recv(self, source):
        box = self.net.box(source, self.rank, source)
        with self.net.turn:
            self.net.wait(self.rank, f"recv {source}", lambda: box)
            message = box.pop(0)
            message[1] = True
            self.net.turn.notify_all()
        return message[0]


class Hang(Exception):
    """Every rank that is left waits."""


class Net:
    def __init__(self, size):
        self.size, self.turn, self.boxes = size, threading.Condition(), {}
        self.waits, self.left, self.hang, self.error = {}, size, None, None

    def box(self, source, to, other):
        if not 0 <= other < self.size:
            raise ValueError(f"there is no rank {other}")
        return self.boxes.setdefault((source, to), [])

    def look(self):
        if self.left > 0 and len(self.waits) == self.left and not any(ready() for _, ready in self.waits.values()):
            self.hang = self.hang or [self.waits[r][0] if r in self.waits else "" for r in range(self.size)]
            self.turn.notify_all()

    def wait(self, rank, what, ready):
        self.waits[rank] = what, ready
        while not ready():
            self.look()
            if self.hang or self.error:
                raise Hang
            self.turn.wait()
        del self.waits[rank]

    def run(self, rank, body):
        try:
            body()
        except Hang:
            return
        except BaseException as error:
            self.error = self.error or f"rank {rank}: {described(error)}"
        with self.turn:
            self.left -= 1
            self.look()
            self.turn.notify_all()


def described(error):
    lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == shown]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return (f"{shown}:{line}: " if line else "") + type(error).__name__ + (f": {text}" if text else "")


def decoded(value):
    return [decoded(one) for one in value] if isinstance(value, list) else float(value) if isinstance(value, str) else value


def encoded(value):
    if isinstance(value, (list, tuple)):
        return [encoded(one) for one in value]
    if isinstance(value, (bool, int, str, dict)) or value is None:
        return value
    number = float(value)
    return number if math.isfinite(number) else "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"


def on_ranks(function, arguments):
    net = Net(len(arguments[0]))
    comms = [Comm(net, rank) for rank in range(net.size)]
    threads = [threading.Thread(target=net.run, daemon=True, args=(r, lambda r=r: function(comms[r], *[a[r] for a in arguments])))
               for r in range(net.size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if net.error:
        return {"error": net.error}
    return {"hang": net.hang} if net.hang else [[comm.sent for comm in comms], *arguments]


def answer(function, arguments):
    try:
        return encoded(on_ranks(function, arguments) if mode != "0" else [function(*arguments), *arguments])
    except BaseException as error:
        return {"error": described(error)}


own = os.getpid()
module = {"__name__": "drill"}
try:
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), shown, "exec"), module)
    called = module[name]
except BaseException as error:
    broken = f"there is no function {name}" if isinstance(error, KeyError) and error.args == (name,) else described(error)
    print(json.dumps({"error": broken}), file=answers)
    called = None
if called:
    with open(cases, encoding="utf-8") as lines:
        for one in lines:
            result = json.dumps(answer(called, decoded(json.loads(one))))
            if os.getpid() != own:  # of a fork of theirs
                os._exit(0)
            print(result, file=answers, flush=True)
