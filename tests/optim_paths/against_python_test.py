"""1,000 steps of each optimizer on random gradients, beside torch.optim of this Python, or beside the paper's
algorithm in NumPy where torch has none.

In double the two are to agree to 1e-12 of the largest weight. In float ours is to end no farther from the path in
double than torch's own float does: 1.05 times, for the two round in different places. Exit code 77 (skipped): this Python has no torch.

    against_python_test.py OPTIMIZER_PATH
"""
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

SHAPES = {"": (8, 12), "vector": (8, 12), "bowl": (8, 12), "tall": (31, 5), "square": (12, 12), "row": (1, 9)}
STEPS, RATE = 1000, 0.01
BOWLS = 7  # of these the median ratio: how far float ends from double varies twofold from start to start


class TorchPath:
    """The path that torch.optim's class takes."""

    def __init__(self, make):
        self.make = make

    def __call__(self, start, gradients, real, curvature):
        weights = torch.tensor(start, dtype=real, requires_grad=True)
        curvature = torch.tensor(curvature, dtype=real)
        optimizer = self.make([weights])
        for gradient in gradients:
            def closure():
                weights.grad = curvature * weights.detach() + torch.tensor(gradient, dtype=real)
                return torch.zeros((), dtype=real)
            optimizer.step(closure)
        return weights.detach().double().numpy()


def lion(start, gradients, real, _, decay=0.1, beta1=0.9, beta2=0.99):
    """arXiv:2302.06675, algorithm 2."""
    w, m = start.astype(real), numpy.zeros_like(start, real)
    for g in gradients.astype(real):
        w = w - real(RATE) * (numpy.sign(real(beta1) * m + real(1 - beta1) * g) + real(decay) * w)
        m = real(beta2) * m + real(1 - beta2) * g
    return w.astype(float)


def lamb(start, gradients, real, _, decay=0.1, beta1=0.9, beta2=0.999, eps=1e-6):
    """arXiv:1904.00962, algorithm 2, with phi(z) = z."""
    w = start.astype(real)
    m, v = numpy.zeros_like(w), numpy.zeros_like(w)
    for t, g in enumerate(gradients.astype(real), 1):
        m = real(beta1) * m + real(1 - beta1) * g
        v = real(beta2) * v + real(1 - beta2) * (g * g)
        r = m / real(1 - beta1**t) / (numpy.sqrt(v / real(1 - beta2**t)) + real(eps)) + real(decay) * w
        norms = numpy.linalg.norm(w), numpy.linalg.norm(r)
        trust = norms[0] / norms[1] if norms[0] > 0 and norms[1] > 0 else 1
        w = w - real(RATE * trust) * r
    return w.astype(float)


def adafactor(start, gradients, real, _, decay=0.8, eps1=1e-30, eps2=1e-3, clip=1.0, relative=True):
    """arXiv:1804.04235, algorithms 4 and 5, and 6 where the step is relative."""
    root_mean_square = lambda x: numpy.sqrt(numpy.mean(x * x))
    w = start.astype(real)
    R, C, V = (numpy.zeros(shape, real) for shape in ((len(w), 1), (1, w.shape[-1]), w.shape))
    for t, g in enumerate(gradients.astype(real), 1):
        keep, rest = real(1 - t**-decay), real(t**-decay)
        square = g * g + real(eps1)
        if w.ndim == 2:
            R = keep * R + rest * square.sum(1, keepdims=True)
            C = keep * C + rest * square.sum(0, keepdims=True)
            V = R / R.sum() * C
        else:
            V = keep * V + rest * square
        u = g / numpy.sqrt(V)
        u = u / max(real(1), root_mean_square(u) / real(clip))
        rate = min(RATE, t**-0.5) * max(real(eps2), root_mean_square(w)) if relative else RATE
        w = w - real(rate) * u
    return w.astype(float)


def muon(start, gradients, real, _, momentum=0.95, nesterov=True, decay=0.1):
    """https://kellerjordan.github.io/posts/muon/, on the shorter side."""
    w, m = start.astype(real), numpy.zeros_like(start, real)
    a, b, c = real(3.4445), real(-4.7750), real(2.0315)
    for g in gradients.astype(real):
        m = real(momentum) * m + g
        x = g + real(momentum) * m if nesterov else m
        x = x if len(x) <= len(x.T) else x.T
        x = x * real(1 / (math.sqrt((x.astype(float)**2).sum()) + 1e-7))
        for _ in range(5):
            square = x @ x.T
            x = a * x + (b * square + c * square @ square) @ x
        x = x if x.shape == w.shape else x.T
        w = w * real(1 - RATE * decay) - real(RATE * max(1, w.shape[0] / w.shape[1])**0.5) * x
    return w.astype(float)


# Name, its hyperparameters, what it is held against; where it says so on another shape, or down a bowl whose
# curvature differs from weight to weight. Random gradients have no curvature for L-BFGS to find: what it does
# with them is its rounding.
O = torch.optim
CASES = [
    ("sgd", {"momentum": 0, "weight_decay": 0}, TorchPath(lambda p: O.SGD(p, RATE))),
    ("sgd", {"momentum": 0.9, "weight_decay": 0.1}, TorchPath(lambda p: O.SGD(p, RATE, 0.9, weight_decay=0.1))),
    ("sgd", {"momentum": 0.9, "weight_decay": 0, "nesterov": 1},
     TorchPath(lambda p: O.SGD(p, RATE, 0.9, nesterov=True))),
    ("adagrad", {"lr_decay": 0.01, "weight_decay": 0.1},
     TorchPath(lambda p: O.Adagrad(p, RATE, lr_decay=0.01, weight_decay=0.1))),
    ("rmsprop", {}, TorchPath(lambda p: O.RMSprop(p, RATE))),
    ("rmsprop", {"centred": 1, "momentum": 0.5, "weight_decay": 0.1},
     TorchPath(lambda p: O.RMSprop(p, RATE, centered=True, momentum=0.5, weight_decay=0.1))),
    ("adadelta", {"weight_decay": 0.1}, TorchPath(lambda p: O.Adadelta(p, RATE, weight_decay=0.1))),
    ("adam", {"weight_decay": 0.1}, TorchPath(lambda p: O.Adam(p, RATE, weight_decay=0.1))),
    ("amsgrad", {"weight_decay": 0.1}, TorchPath(lambda p: O.Adam(p, RATE, weight_decay=0.1, amsgrad=True))),
    ("adamw", {"weight_decay": 0.1}, TorchPath(lambda p: O.AdamW(p, RATE, weight_decay=0.1))),
    ("lion", {"weight_decay": 0.1}, lion),
    ("lamb", {"weight_decay": 0.1}, lamb),
    ("muon", {"weight_decay": 0.1}, muon),
    ("muon", {"weight_decay": 0.1, "nesterov": 0}, lambda *a: muon(*a, nesterov=False)),
    *(("muon", {"weight_decay": 0.1}, muon, shape) for shape in ("tall", "square", "row")),
    ("adafactor", {}, adafactor),
    ("adafactor", {}, adafactor, "vector"),
    ("adafactor", {"relative": 0, "clip": 0.5}, lambda *a: adafactor(*a, relative=False, clip=0.5)),
    ("lbfgs", {}, TorchPath(lambda p: O.LBFGS(p, RATE, max_iter=1, history_size=10, tolerance_grad=0,
                                              tolerance_change=0)), "bowl"),
    ("lbfgs", {"history": 3}, TorchPath(lambda p: O.LBFGS(p, RATE, max_iter=1, history_size=3, tolerance_grad=0,
                                                          tolerance_change=0)), "bowl"),
]


def own_paths(program, name, values, start, gradients, curvature):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        start.astype(float).tofile(folder / "start")
        gradients.astype(float).tofile(folder / "gradients")
        curvature.tofile(folder / "curvature")
        words = [f"{key}={value}" for key, value in values.items()]
        rows, columns = start.shape if start.ndim == 2 else (0, len(start))
        subprocess.run([program, name, str(RATE), str(rows), str(columns), str(STEPS), str(folder), *words],
                       check=True, timeout=60)
        read = lambda file: numpy.fromfile(folder / file).reshape(start.shape)
        return read("fp32"), read("fp64")


def start_of(seed, on):
    """Where a path starts, the gradients of its steps, and what is added to them in units of the weights."""
    random = numpy.random.default_rng(seed)
    start = random.standard_normal(SHAPES[on]).astype(numpy.float32).astype(float)
    gradients = random.standard_normal((STEPS, *SHAPES[on])).astype(numpy.float32).astype(float)
    curvature = numpy.zeros_like(start)
    if on == "vector":
        return start.ravel(), gradients.reshape(STEPS, -1), curvature.ravel()
    if on == "bowl":
        gradients[:] = gradients[0]
        curvature = numpy.exp(random.uniform(-1, 1, start.shape)).astype(numpy.float32).astype(float)
    return start, gradients, curvature


def distances(program, name, values, reference, case):
    """In units of the largest weight: apart in double at most; float's to double, ours and theirs."""
    start, gradients, curvature = case
    reals = (torch.float32, torch.float64) if isinstance(reference, TorchPath) else (numpy.float32, numpy.float64)
    other32, other64 = (reference(start, gradients, real, curvature) for real in reals)
    own32, own64 = own_paths(program, name, values, start, gradients, curvature)
    scale = numpy.abs(other64).max()
    distance = lambda path: math.sqrt(numpy.mean((path - other64)**2)) / scale
    return numpy.abs(own64 - other64).max() / scale, distance(own32), distance(other32)


def main(program):
    failed = False
    for name, values, reference, *on in CASES:
        on = on[0] if on else ""
        seeds = range(7, 7 + BOWLS) if on == "bowl" else [7]
        apart, ours, theirs = zip(*(distances(program, name, values, reference, start_of(seed, on)) for seed in seeds))
        ratio = statistics.median(own / other for own, other in zip(ours, theirs))
        good = max(apart) <= 1e-12 and ratio <= 1.05
        failed |= not good
        print(f"{'ok ' if good else 'BAD'} {name:9} fp64 apart {max(apart):.1e}   fp32 to fp64: ours {ours[0]:.2e}, "
              f"theirs {theirs[0]:.2e}, ratio {ratio:.2f}   {values} {on}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
