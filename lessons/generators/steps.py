# steps.py PROGRAM [stepped]: runs the program and tells its steps as lines of JSON: which line comes next, what a
# generator yields and returns, what is printed. Stepped, each of them waits for a line on stdin.
import dis, json, operator, sys

program, stepped = sys.argv[1], sys.argv[2:] == ["stepped"]
returned = []  # lines, and the iterators that they returned

def tell(**event):
    if stepped:
        sys.stdin.readline()
    print(json.dumps(event), flush=True)

def in_words(value):
    return str(value) if value is None or isinstance(value, int) else type(value).__name__

def watch(frame, what, value):
    code, who = frame.f_code, "main"
    if code.co_filename != "program.py":
        return None
    if code.co_name != "<module>":
        who = f"{code.co_name}({frame.f_locals['id']})"
    if what == "return" and not dis.opname[code.co_code[frame.f_lasti]].startswith("RETURN"):
        what = "yield"
    elif what == "return" and code.co_name == "numbers" and value is not None:
        returned.append((frame.f_lineno, value))
    if what == "exception":
        what, value = "stop", value[1].value
    if who != "main" or what in ("line", "stop"):
        tell(line=frame.f_lineno, who=who, what=what, value="" if what in ("line", "call") else in_words(value))
    return watch

def printed(value):
    tell(line=sys._getframe(1).f_lineno, who="main", what="print", value=str(value))

space = {"print": printed}
sys.settrace(watch if stepped else None)
exec(compile(program, "program.py", "exec"), space)
sys.settrace(None)
made = space["numbers"](0)
try:
    what, value = "yield", next(made)
except StopIteration as stop:
    what, value = "stop", stop.value
tell(line=1, who="by hand", what=what, value=in_words(value))
for line, iterator in returned:
    tell(line=line, who="by hand", what="left", value=str(operator.length_hint(iterator)))
