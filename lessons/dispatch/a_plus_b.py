# Times a + b in turns with C++: a line "elements calls" is answered with {"ns": of one call}.
import json, sys, time
import torch

torch.set_num_threads(1)
a = b = torch.ones(0)
print("{}", flush=True)  # torch is there
for line in sys.stdin:
    elements, calls = map(int, line.split())
    if len(a) != elements:  # kept over the rounds, as in C++
        a, b = torch.ones(elements), torch.ones(elements)
    warm = time.thread_time_ns() + 2_000_000  # C++ has had the caches since the round before
    a + b
    while time.thread_time_ns() < warm:
        a + b
    start = time.thread_time_ns()
    for _ in range(calls):
        a + b
    print(json.dumps({"ns": (time.thread_time_ns() - start) / calls}), flush=True)
