# steps.py PROGRAM [stepped]: runs the program and tells its steps as lines of JSON: which line comes next, what a
# generator yields and returns, what is printed. Stepped, each of them waits for a line on stdin.
import dis, json, operator, sys

program, stepped = sys.argv[1], sys.argv[2:] == ["stepped"]
returned = []  # lines, and the iterators that they returned

def tell(line, who, what, value=""):
    if stepped:
        sys.stdin.readline()
    word = str(value) if value is None or isinstance(value, (int, str)) else type(value).__name__
    print(json.dumps({"line": line, "who": who, "what": what, "value": word}), flush=True)

def watch(frame, what, value):
    code = frame.f_code
    if code.co_filename != "program.py":
        return None
    who = "main" if code.co_name == "<module>" else f"{code.co_name}({frame.f_locals['id']})"
    if what == "return" and not dis.opname[code.co_code[frame.f_lasti]].startswith("RETURN"):
        what = "yield"
    elif what == "return" and code.co_name == "numbers" and value is not None:
        returned.append((frame.f_lineno, value))
    if what == "exception":
        what, value = "stop", value[1].value
    if who != "main" or what in ("line", "stop"):
        tell(frame.f_lineno, who, what, "" if what in ("line", "call") else value)
    return watch

space = {"print": lambda value: tell(sys._getframe(1).f_lineno, "main", "print", value)}
sys.settrace(watch if stepped else None)
exec(compile(program, "program.py", "exec"), space)
sys.settrace(None)
made = space["numbers"](0)
try:
    what, value = "yield", next(made)
except StopIteration as stop:
    what, value = "stop", stop.value
tell(1, "by hand", what, value)
for line, iterator in returned:
    tell(line, "by hand", "left", operator.length_hint(iterator))
