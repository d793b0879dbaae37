"""1,000 steps of each optimizer on random gradients, beside torch.optim of this Python, or beside the paper's
algorithm in NumPy where torch has none.

In double the two are to agree to 1e-12 of the largest weight. In float ours is to end no farther from the path in
double than torch's own float does: 1.05 times, for the two round in different places. Exit code 77 (skipped): this Python has no torch.

    against_python_test.py OPTIMIZER_PATH
"""
import math
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

ROWS, COLUMNS, STEPS, RATE = 8, 12, 1000, 0.01


class TorchPath:
    """The path that torch.optim's class takes."""

    def __init__(self, make):
        self.make = make

    def __call__(self, start, gradients, real):
        weights = torch.tensor(start, dtype=real, requires_grad=True)
        optimizer = self.make([weights])
        for gradient in gradients:
            weights.grad = torch.tensor(gradient, dtype=real)
            optimizer.step()
        return weights.detach().double().numpy()


def lion(start, gradients, real, decay=0.1, beta1=0.9, beta2=0.99):
    """arXiv:2302.06675, algorithm 2."""
    w, m = start.astype(real), numpy.zeros_like(start, real)
    for g in gradients.astype(real):
        w = w - real(RATE) * (numpy.sign(real(beta1) * m + real(1 - beta1) * g) + real(decay) * w)
        m = real(beta2) * m + real(1 - beta2) * g
    return w.astype(float)


def lamb(start, gradients, real, decay=0.1, beta1=0.9, beta2=0.999, eps=1e-6):
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


# Name, its hyperparameters, what it is held against.
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
]


def own_paths(program, name, values, start, gradients):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        start.astype(float).tofile(folder / "start")
        gradients.astype(float).tofile(folder / "gradients")
        words = [f"{key}={value}" for key, value in values.items()]
        subprocess.run([program, name, str(RATE), str(ROWS), str(COLUMNS), str(STEPS), str(folder), *words],
                       check=True, timeout=60)
        read = lambda file: numpy.fromfile(folder / file).reshape(start.shape)
        return read("fp32"), read("fp64")


def main(program):
    failed = False
    for name, values, reference in CASES:
        random = numpy.random.default_rng(7)
        start = random.standard_normal((ROWS, COLUMNS)).astype(numpy.float32).astype(float)
        gradients = random.standard_normal((STEPS, ROWS, COLUMNS)).astype(numpy.float32).astype(float)
        reals = (torch.float32, torch.float64) if isinstance(reference, TorchPath) else (numpy.float32, numpy.float64)
        other32, other64 = (reference(start, gradients, real) for real in reals)
        own32, own64 = own_paths(program, name, values, start, gradients)
        scale = numpy.abs(other64).max()
        apart = numpy.abs(own64 - other64).max() / scale
        distance = lambda path: math.sqrt(numpy.mean((path - other64)**2)) / scale
        ours, theirs = distance(own32), distance(other32)
        good = apart <= 1e-12 and ours <= theirs * 1.05
        failed |= not good
        print(f"{'ok ' if good else 'BAD'} {name:9} fp64 apart {apart:.1e}   fp32 to fp64: ours {ours:.2e}, "
              f"theirs {theirs:.2e}   {values}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
