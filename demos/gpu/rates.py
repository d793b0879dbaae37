#!/usr/bin/env python3
"""rates.py [--json FILE] [--seconds N]: what one GPU does at the shapes of a transformer's layer, as torch runs them.

Matrix products in bf16 (the four of a layer, forward and both of the backward; h 1,024 to 16,384, cut over tp 1 to 8),
attention (flash, and plain as Megatron-LM had it), what is bound by memory, and the optimizer's update. The planner
(mesh_plan.h there) takes its efficiencies from here. FLOPs of causal attention are counted in full, as
Megatron-LM and the MFU of papers count them. Exit code 9 without a GPU.
"""
import argparse
import json
import statistics
import sys
import time

HIDDEN = (1024, 2048, 4096, 8192, 12288, 16384)
CUTS = (1, 2, 4, 8)
TOKENS = (2048, 4096, 8192)
SEQUENCES = (2048, 4096, 8192)


def seconds_of(work, least=0.01, rounds=5):
    """Of one call: the median of `rounds` rounds, each as many calls as last `least` seconds on the device."""
    def timed(calls):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(calls):
            work()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1000 / calls
    timed(1)
    calls = max(1, int(least / 4 / max(timed(2), 1e-6)))
    return statistics.median(timed(calls) for _ in range(rounds))


def normal(*shape, grad=False):
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16).requires_grad_(grad)


def gemm_rows():
    """y (M, N) = x (M, K) Wᵀ; dx = dy W; dW = dyᵀ x. Which of the layer's four: qkv and up are cut by columns of the
    output, proj and down by the input."""
    for h in HIDDEN:
        for tp in CUTS:
            for tokens in TOKENS:
                for name, n, k in (("qkv", 3 * h // tp, h), ("proj", h, h // tp), ("up", 4 * h // tp, h), ("down", h, 4 * h // tp)):
                    x, w, dy = normal(tokens, k), normal(n, k), normal(tokens, n)
                    ways = {"forward": lambda: x @ w.t(), "input": lambda: dy @ w, "weight": lambda: dy.t() @ x}
                    for way, work in ways.items():
                        flops = 2 * tokens * n * k
                        yield {"kind": "gemm", "which": name, "way": way, "h": h, "tp": tp, "tokens": tokens, "m": tokens, "n": n, "k": k,
                               "flops": flops, "seconds": seconds_of(work, 0.008, 3)}


def sustained_rows():
    """A product of 8,192 cubed for three seconds: the rate of the last one, when the chip is warm and its power is capped."""
    a, b = normal(8192, 8192), normal(8192, 8192)
    began = time.monotonic()
    while time.monotonic() - began < 3:
        seconds = seconds_of(lambda: a @ b, 0.4, 1)
    yield {"kind": "sustained", "m": 8192, "n": 8192, "k": 8192, "flops": 2 * 8192**3, "seconds": seconds}


def plain_attention(q, k, v, mask):
    """Megatron-LM's without its fused kernels for scale and mask: product, softmax, dropout, product."""
    scores = torch.matmul(q, k.transpose(-1, -2)) * q.shape[-1] ** -0.5
    weights = torch.softmax(scores.masked_fill(mask, float("-inf")), -1)
    return torch.matmul(torch.nn.functional.dropout(weights, 0.1), v)


def attention_rows():
    from torch.nn.attention import SDPBackend, sdpa_kernel
    backends = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
    for s in SEQUENCES:
        for d in (64, 128):
            heads = 16 if s <= 4096 else 8
            q, k, v = (normal(1, heads, s, d, grad=True) for _ in range(3))
            dy, mask = normal(1, heads, s, d), torch.ones(s, s, device="cuda", dtype=torch.bool).triu(1)
            def fused(backend):
                with sdpa_kernel(backends[backend]):
                    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            ways = {name: lambda name=name: fused(name) for name in backends}
            ways["plain"] = lambda: plain_attention(q, k, v, mask)
            for name, forward in ways.items():
                flops = 4 * heads * s * s * d  # two products, forward; the backward has four
                shape = {"kind": "attention", "which": name, "heads": heads, "s": s, "d": d}
                try:
                    yield shape | {"way": "forward", "flops": flops, "seconds": seconds_of(forward)}
                    both = lambda: torch.autograd.grad(forward(), (q, k, v), dy)
                    yield shape | {"way": "both", "flops": 3 * flops, "seconds": seconds_of(both)}
                except RuntimeError as error:  # a backend that this card or torch does not have
                    yield shape | {"way": "absent", "why": str(error).splitlines()[0]}


def memory_rows():
    """Bytes are those that have to be read and written once each; a kernel's own extra passes make its rate lower."""
    F = torch.nn.functional
    for h in (2048, 8192):
        tokens = 8192
        each = tokens * h * 2
        x, w, b, dy = normal(tokens, h, grad=True), normal(h, grad=True), normal(h, grad=True), normal(tokens, h)
        plain = x.detach()
        norm = lambda: F.layer_norm(x, (h,), w, b)
        ways = {"copy": (lambda: plain.clone(), 2), "add": (lambda: plain + dy, 3), "gelu": (lambda: F.gelu(plain, approximate="tanh"), 2),
                "silu, multiply": (lambda: F.silu(plain) * dy, 3), "dropout": (lambda: F.dropout(plain, 0.1), 2.5),
                "layer norm": (norm, 2), "layer norm, both": (lambda: torch.autograd.grad(norm(), (x, w, b), dy), 5)}
        for name, (work, passes) in ways.items():
            yield {"kind": "memory", "which": name, "tokens": tokens, "h": h, "bytes": int(passes * each), "seconds": seconds_of(work)}
    scores = normal(16, 2048, 2048)
    yield {"kind": "memory", "which": "softmax", "tokens": 2048, "h": 2048, "bytes": scores.numel() * 4,
           "seconds": seconds_of(lambda: torch.softmax(scores, -1))}


def update_rows():
    count = 1 << 28
    weights, gradient, first, second = (torch.rand(count, device="cuda") for _ in range(4))
    step = torch.tensor(5.0, device="cuda")
    work = lambda: torch._fused_adamw_([weights], [gradient], [first], [second], [], [step], lr=1e-3, beta1=0.9, beta2=0.999,
                                       weight_decay=0.01, eps=1e-8, amsgrad=False, maximize=False)
    yield {"kind": "memory", "which": "adamw, fp32", "tokens": 1, "h": count, "bytes": 28 * count, "seconds": seconds_of(work)}


def launch_rows():
    small = torch.zeros(1, device="cuda")
    yield {"kind": "launch", "which": "a kernel of one element", "seconds": seconds_of(lambda: small.add_(1))}


def line_of(row):
    if row.get("way") == "absent":
        return f"{row['kind']:<10}{row['which']:<17}{row['why'][:60]}"
    shape = " ".join(f"{key} {row[key]}" for key in ("m", "n", "k", "heads", "s", "d") if key in row)
    rate = f"{row['flops'] / row['seconds'] / 1e12:8.0f} TFLOP/s" if "flops" in row else ""
    rate = f"{row['bytes'] / row['seconds'] / 1e9:8.0f} GB/s" if "bytes" in row else rate
    return f"{row['kind']:<10}{row.get('which', ''):<17}{row.get('way', ''):<9}{shape:<26}{row['seconds'] * 1e6:10.1f} us{rate}"


def gemm_table(rows):
    """TFLOP/s of all the products of a layer together: forward, input's and weight's gradients."""
    print(f"\nproducts of a layer, TFLOP/s, {TOKENS[1]} tokens\n{'h':>8}" + "".join(f"{'tp ' + str(tp):>9}" for tp in CUTS))
    for h in HIDDEN:
        cells = []
        for tp in CUTS:
            of = [r for r in rows if r["kind"] == "gemm" and (r["h"], r["tp"], r["tokens"]) == (h, tp, TOKENS[1])]
            cells.append(f"{sum(r['flops'] for r in of) / sum(r['seconds'] for r in of) / 1e12:9.0f}" if of else f"{'-':>9}")
        print(f"{h:>8}" + "".join(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--seconds", type=float, default=55, help="what is not measured until then is left out, and said")
    options = parser.parse_args()
    try:
        global torch
        import torch
    except ImportError:
        sys.exit("rates.py: no torch: install it with pip")
    if not torch.cuda.is_available():
        print("rates.py: there is no GPU here, or no torch with CUDA", file=sys.stderr)
        sys.exit(9)
    torch.manual_seed(0)
    device = torch.cuda.get_device_properties(0)
    began, rows, left_out = time.monotonic(), [], []
    print(f"{device.name}, {device.total_memory} bytes, {device.multi_processor_count} SMs, torch {torch.__version__}, CUDA {torch.version.cuda}")
    for maker in (launch_rows, memory_rows, attention_rows, update_rows, sustained_rows, gemm_rows):
        for row in maker():
            rows.append(row)
            if row["kind"] != "gemm":
                print(line_of(row), flush=True)
            if time.monotonic() - began > options.seconds:
                left_out.append(f"{maker.__name__[:-5]}, after {' '.join(line_of(row).split())}")
                break
        torch.cuda.empty_cache()
    gemm_table(rows)
    for text in left_out:
        print(f"left out, {options.seconds:.0f} s are over: {text}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"device": device.name, "bytes": device.total_memory, "torch": torch.__version__, "cuda": torch.version.cuda,
                       "left_out": left_out, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
