# Times a + b in turns with C++: a line "elements calls" is answered with {"ns": of one call}.
import json, sys, time
import torch

torch.set_num_threads(1)
print("{}", flush=True)  # torch is there
for line in sys.stdin:
    elements, calls = map(int, line.split())
    a, b = torch.ones(elements), torch.ones(elements)
    a + b
    start = time.thread_time_ns()
    for _ in range(calls):
        a + b
    print(json.dumps({"ns": (time.thread_time_ns() - start) / calls}), flush=True)
