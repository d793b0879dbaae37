#!/usr/bin/env python3
"""bench_kernels.py LIBRARY [--json FILE] [--rounds N]: this engine's kernels beside torch's and a copy, in turns.

LIBRARY is libringside_kernels_python.so of the build folder. A kernel's rate is the bytes that have to be read and
written, once each, over its time; 100 % is what a copy between two tensors of the device moves in the same round: one of
2 GiB, and one of as many bytes as the kernel. Medians over the rounds, the interval holds the middle 95 % of the medians that fit. Exit code 9 without a GPU.
"""
import argparse
import ctypes
import json
import statistics
import sys

MILLION = 1 << 20


def load(path):
    library = ctypes.CDLL(path)
    for name in ("update", "ordered_sum", "copy_all", "add_squares") + tuple(
        f"{norm}_{way}_{dtype}" for norm in ("layer", "rms") for way in ("forward", "backward") for dtype in ("fp32", "bf16")
    ):
        getattr(library, "ringside_" + name).restype = ctypes.c_char_p
    return library


class Kernels:
    """Calls ringside_NAME on torch's current stream: tensors as pointers, None as null, int as int64, float as double."""

    def __init__(self, path):
        self.library = load(path)

    def __call__(self, name, *arguments):
        words = [self.word(argument) for argument in arguments]
        words.append(ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        error = getattr(self.library, "ringside_" + name)(*words)
        if error:
            raise RuntimeError(f"{name}: {error.decode()}")

    @staticmethod
    def word(value):
        if isinstance(value, torch.Tensor):
            return ctypes.c_void_p(value.data_ptr())
        if isinstance(value, bool):
            return ctypes.c_int(value)
        if isinstance(value, int):
            return ctypes.c_int64(value)
        if isinstance(value, float):
            return ctypes.c_double(value)
        return ctypes.c_char_p(value.encode()) if isinstance(value, str) else ctypes.c_void_p(value)


def timed_ms(work, times):
    """Of one call, on the device: it begins when all of them have been launched."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(1_000_000)  # clocks
    begin.record()
    for _ in range(times):
        work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / times


def interval(values):
    """The median, and the order statistics that hold it with 95 %."""
    values = sorted(values)
    n = len(values)
    k = max(0, int(n / 2 - 0.98 * n**0.5))
    return statistics.median(values), values[k], values[n - 1 - k]


def percent(of):
    return "{:.0f} ({:.0f} to {:.0f})".format(*of)


class Row:
    """One kernel at one size: `own` and torch's way, and the bytes that have to move."""

    def __init__(self, name, size, bytes_, own, torch_way=None, check=None):
        self.name, self.size, self.bytes, self.own, self.torch_way, self.check = name, size, bytes_, own, torch_way, check

    def measure(self, rounds, copy, copy_bytes):
        own, peer, machine, equal = [], [], [], []
        sides = [(self.own, own), (lambda: copy(copy_bytes), machine), (lambda: copy(self.bytes), equal)]
        sides += [(self.torch_way, peer)] if self.torch_way else []
        for work, _ in sides:
            timed_ms(work, 3)
        for r in range(rounds):
            for k in range(len(sides)):
                work, times = sides[(r + k) % len(sides)]
                times.append(timed_ms(work, 5))
        share = [100 * c / copy_bytes * self.bytes / o for o, c in zip(own, machine)]
        result = {"kernel": self.name, "size": self.size, "bytes": self.bytes, "own_ms": statistics.median(own),
                  "own_gb_per_s": self.bytes / statistics.median(own) / 1e6, "percent_of_copy": interval(share),
                  "percent_of_equal_copy": interval([100 * e / o for o, e in zip(own, equal)])}
        if peer:
            result["torch_ms"] = statistics.median(peer)
            result["torch_takes"] = interval([p / o for p, o in zip(peer, own)])
        if self.check:
            result["error"] = self.check()
        return result


def relative(a, b):
    a, b = a.double(), b.double()
    return ((a - b).norm() / b.norm()).item()


def update_rows(kernels, count):
    rows = []
    for bf16 in (False, True):
        gradient = torch.randn(count, device="cuda").to(torch.bfloat16 if bf16 else torch.float32)
        weights, first, second = torch.randn(count, device="cuda"), torch.rand(count, device="cuda"), torch.rand(count, device="cuda")
        rounded = weights.bfloat16() if bf16 else None
        theirs = [t.clone() for t in (weights, first, second)]
        step = torch.tensor(5.0, device="cuda")
        # torch has no update that takes bf16 gradients and keeps fp32 weights.
        ways = {} if bf16 else {
            "adamw": lambda g=gradient: torch._fused_adamw_([theirs[0]], [g], [theirs[1]], [theirs[2]], [], [step], lr=1e-3, beta1=0.9,
                                                            beta2=0.999, weight_decay=0.01, eps=1e-8, amsgrad=False, maximize=False),
            "adam": lambda g=gradient: torch._fused_adam_([theirs[0]], [g], [theirs[1]], [theirs[2]], [], [step], lr=1e-3, beta1=0.9,
                                                          beta2=0.999, weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False),
            "sgd": lambda g=gradient: torch._fused_sgd_([theirs[0]], [g], [theirs[1]], weight_decay=0.01, momentum=0.9, lr=1e-3,
                                                        dampening=0.0, nesterov=False, maximize=False, is_first_step=False),
        }
        for name, states in (("adamw", 2), ("adam", 2), ("sgd", 1), ("lion", 1)):
            def own(name=name, two=states == 2, g=gradient, w=weights, m=first, v=second, r=rounded, b=bf16):
                kernels("update", name, count, w, g, b, r, m, v if two else None, 1e-3, 5)
            # Gradient read; weights and states read and written; the bf16 copy written.
            moved = count * ((2 + 2 if bf16 else 4) + 8 * (1 + states))
            rows.append(Row(name, f"{count // MILLION} M {'bf16 gradient, copy' if bf16 else 'fp32'}", moved, own, ways.get(name)))
    return rows


def norm_rows(kernels, M, H, dtype):
    name = "bf16" if dtype == torch.bfloat16 else "fp32"
    size, each = f"{M} x {H} {name}", M * H * (2 if name == "bf16" else 4)
    x, dy = (torch.randn(M, H, device="cuda").to(dtype) for _ in range(2))
    w, b = (torch.randn(H, device="cuda").to(dtype) for _ in range(2))
    y, dx, dw, db = torch.empty_like(x), torch.empty_like(x), torch.empty_like(w), torch.empty_like(w)
    mean, scale = (torch.empty(M, dtype=torch.float64, device="cuda") for _ in range(2))
    aten = torch.ops.aten
    out, m, r = aten.native_layer_norm(x, [H], w, b, 1e-5)
    rows = [
        Row("layer forward", size, 2 * each, lambda: kernels(f"layer_forward_{name}", M, H, 1e-5, x, w, b, y, mean, scale),
            lambda: aten.native_layer_norm(x, [H], w, b, 1e-5), lambda: relative(y, out)),
        Row("layer backward", size, 3 * each,
            lambda: kernels(f"layer_backward_{name}", M, H, x, w, mean, scale, dy, dx, dw, db),
            lambda: aten.native_layer_norm_backward(dy, x, [H], m, r, w, b, [True, True, True]),
            lambda: max(map(relative, (dx, dw, db), aten.native_layer_norm_backward(dy, x, [H], m, r, w, b, [True, True, True])))),
    ]
    fused = getattr(aten, "_fused_rms_norm", None)
    if fused:
        rms, rr = fused(x, [H], w, 1e-5)
        there = lambda: aten._fused_rms_norm_backward(dy, x, [H], rr, w, [True, True])
    else:
        rms, there = torch.nn.functional.rms_norm(x, [H], w, 1e-5), None
    rows += [
        Row("rms forward", size, 2 * each, lambda: kernels(f"rms_forward_{name}", M, H, 1e-5, x, w, y, scale),
            (lambda: fused(x, [H], w, 1e-5)) if fused else (lambda: torch.nn.functional.rms_norm(x, [H], w, 1e-5)),
            lambda: relative(y, rms)),
        Row("rms backward", size, 3 * each, lambda: kernels(f"rms_backward_{name}", M, H, x, w, scale, dy, dx, dw), there,
            (lambda: max(map(relative, (dx, dw), there()))) if there else None),
    ]
    return rows


def sum_rows(kernels, count):
    rows = []
    for dtype, size in ((torch.float32, 4), (torch.bfloat16, 2)):
        name = "bf16" if size == 2 else "fp32"
        inputs = [torch.randn(count, device="cuda").to(dtype) for _ in range(4)]
        out = torch.empty_like(inputs[0])
        pointers = (ctypes.c_void_p * 4)(*(t.data_ptr() for t in inputs))
        def own(out=out, pointers=pointers, bf16=size == 2):
            kernels("ordered_sum", out, ctypes.addressof(pointers), 4, count, bf16)
        def theirs(inputs=inputs):
            total = inputs[0] + inputs[1]
            total += inputs[2]
            total += inputs[3]
        rows.append(Row("ordered sum of 4", f"{count // MILLION} M {name}", 5 * count * size, own, theirs))
        limbs = torch.zeros(20, dtype=torch.int64, device="cuda")
        values = inputs[0]
        rows.append(Row("exact squares", f"{count // MILLION} M {name}", count * size,
                        lambda limbs=limbs, values=values, bf16=size == 2: kernels("add_squares", limbs, values, count, bf16),
                        lambda values=values: torch.linalg.vector_norm(values)))
    return rows


def copy_rows(kernels, count):
    parts = [torch.randn(count // 64, device="cuda") for _ in range(64)]
    bucket = torch.empty(count, device="cuda")
    class Copy(ctypes.Structure):
        _fields_ = [("to", ctypes.c_void_p), ("from_", ctypes.c_void_p), ("bytes", ctypes.c_int64)]
    copies = (Copy * 64)(*(Copy(bucket.data_ptr() + i * count // 64 * 4, part.data_ptr(), count // 64 * 4) for i, part in enumerate(parts)))
    places = list(bucket.split(count // 64))
    return [Row("bucket of 64", f"{count // MILLION} M fp32", 8 * count,
                lambda: kernels("copy_all", ctypes.addressof(copies), 64), lambda: torch._foreach_copy_(places, parts))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--json")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--only", default="", help="kernels whose name begins so")
    options = parser.parse_args()
    try:
        global torch
        import torch
    except ImportError:
        sys.exit("bench_kernels.py: no torch: install it with pip")
    if not torch.cuda.is_available():
        print("bench_kernels.py: there is no GPU here, or no torch with CUDA", file=sys.stderr)
        sys.exit(9)
    torch.manual_seed(0)
    kernels = Kernels(options.library)
    source, target = torch.randn(256 * MILLION, device="cuda"), torch.empty(256 * MILLION, device="cuda")
    copy_bytes = 8 * 256 * MILLION  # read and written
    def copy(bytes_):
        target[:bytes_ // 8].copy_(source[:bytes_ // 8])
    results = []
    shapes = ((8192, 4096), (8192, 1024), (32768, 512), (2048, 8192))
    makers = [lambda: update_rows(kernels, 64 * MILLION)]
    makers += [lambda M=M, H=H, d=d: norm_rows(kernels, M, H, d) for M, H in shapes for d in (torch.float32, torch.bfloat16)]
    makers += [lambda: sum_rows(kernels, 64 * MILLION), lambda: copy_rows(kernels, 64 * MILLION)]
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, CUDA {torch.version.cuda}")
    print(f"{'kernel':<18}{'size':<28}{'ms':>8}{'GB/s':>8}  {'% of a copy':<18}{'of one as large':<18}{'torch takes':<20}{'error':>9}")
    for maker in makers:
        for row in maker():
            if not row.name.startswith(options.only):
                continue
            r = row.measure(options.rounds, copy, copy_bytes)
            results.append(r)
            there = "{:.2f} ({:.2f} to {:.2f})".format(*r["torch_takes"]) if "torch_takes" in r else "-"
            error = f"{r['error']:.1e}" if "error" in r else "-"
            print(f"{r['kernel']:<18}{r['size']:<28}{r['own_ms']:>8.3f}{r['own_gb_per_s']:>8.0f}  "
                  f"{percent(r['percent_of_copy']):<18}{percent(r['percent_of_equal_copy']):<18}{there:<20}{error:>9}", flush=True)
        torch.cuda.empty_cache()
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda,
                       "copy_bytes": copy_bytes, "rows": results}, file, indent=1)


if __name__ == "__main__":
    main()
