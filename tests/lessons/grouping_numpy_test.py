"""The numbers of lesson grouping, computed again by numpy from the matrices that a run saved.

Where the run drew noise, numpy draws its own. Exit code 77 (skipped): this Python has no numpy.

    grouping_numpy_test.py RINGSIDE
"""
import sys

from saved_rows import near, numpy, rows_of_run, softmax


def matrix(points, name):
    """(rows, columns) of the lines NAME 1, NAME 2, ..."""
    lines = {}
    for line, x, y in points:
        of, _, row = line.rpartition(" ")
        if of == name:
            lines.setdefault(int(row), {})[round(x)] = y
    return numpy.array([[lines[i][j] for j in sorted(lines[i])] for i in sorted(lines)])


def check_sums(rows):
    points = rows[1, "points"]
    scores = matrix(points, "score, group")
    for way, axis in ("attention", 1), ("grouping", 0):
        weights = softmax(scores, axis)
        assert numpy.abs(weights - matrix(points, way + ", group")).max() < 1e-5, way
        (row,) = [row for row in rows[1, "sums"] if row[0] == way]
        near(way + ", all", weights.sum(), row[5], 1e-3)
        near(way + ", a token at most", weights.sum(0).max(), row[2], 1e-5)
    near("grouping, a token", softmax(scores, 0).sum(0).min(), 1, 1e-6)
    near("attention, a group", softmax(scores, 1).sum(1).min(), 1, 1e-6)


class Dial:
    """Gradients of the run's scores, by the softmax's derivative instead of autograd."""

    def __init__(self, points, draws=400):
        self.scores = matrix(points, "score, group").T         # (N, M)
        self.centres = matrix(points, "centre, group")         # (M, d)
        self.targets = matrix(points, "target, number").T      # (N, d)
        self.noise = numpy.random.default_rng(1).gumbel(size=(draws, *self.scores.shape))
        p = softmax(self.scores, 1)
        f = ((self.targets[:, None] - self.centres) ** 2).sum(2)
        self.exact = p * (f - (p * f).sum(1, keepdims=True))

    def row(self, way, tau):
        """near, gradients of all draws, bias"""
        soft = softmax((self.scores + (0 if way == "soft" else self.noise)) / tau, -1)
        soft = soft.reshape(-1, *self.scores.shape)
        forward = (soft == soft.max(-1, keepdims=True)) * 1.0 if way == "straight-through" else soft
        of_weights = -2 * (self.targets - forward @ self.centres) @ self.centres.T
        g = soft * (of_weights - (soft * of_weights).sum(-1, keepdims=True)) / tau
        variance = g.var(0, ddof=1).sum() if len(g) > 1 else 0
        bias = max(0, ((g.mean(0) - self.exact) ** 2).sum() - variance / len(g))
        return 100 * (soft.max(-1) > 0.99).mean(), numpy.sqrt((g**2).sum(-1)), numpy.sqrt(bias / (self.exact**2).sum())


def check_dial(rows):
    dial = Dial(rows[2, "points"])
    for way in "soft", "Gumbel", "straight-through":
        median = numpy.median(dial.row(way, 1)[1])
        for row in rows[2, "dial"]:
            if row[0] != way:
                continue
            (tau, near_01, gradient, above, bias), drawn = [row[i] for i in (1, 3, 4, 5, 7)], way != "soft"
            mine = dial.row(way, tau)
            what = f"{way}, tau = {tau}: "
            near(what + "near 0/1", mine[0], near_01, 1.5 if drawn else 0.3)
            near(what + "above", 100 * (mine[1] > 1e-3 * median).mean(), above, 2 if drawn else 0.5)
            near(what + "bias", mine[2], bias, 0.12 if drawn and tau < 1 else 0.03 if drawn else 1e-6)
            near(what + "gradient, relative", numpy.median(mine[1]) / gradient, 1, 0.25 if drawn else 0.02)
    cold = 100 * (dial.row("Gumbel", 0.1)[1] > 1e-3 * numpy.median(dial.row("Gumbel", 1)[1])).mean()
    near("about 6 tokens in 10", cold, 60, 5)
    assert dial.row("straight-through", 1)[2] > 0.2, "a biased gradient"


def check_trainings(rows):
    for section, way in (3, "soft"), (4, "Gumbel"), (5, "straight-through"):
        points = rows[section, "points"]
        scores, right = matrix(points, "score, group"), matrix(points, "right, colour").T
        values, tokens = matrix(points, "value, colour").T, matrix(points, "group token, colour").T
        soft = softmax(scores, 0)
        hard = (soft == soft.max(0)) * 1.0
        errors = []
        for weights in soft, hard:
            groups = tokens + weights @ values / (1 + weights.sum(1, keepdims=True))
            errors.append(((weights.T @ groups - right) ** 2).sum(1).mean())
        ((_, recorded, made_hard),) = rows[section, "shown scene"]
        near(way + ", error", errors[0], recorded, 1e-4)
        near(way + ", error made 0/1", errors[1], made_hard, 1e-4)
        assert (errors[1] > 3 * errors[0]) == (way == "soft"), "mixtures of groups are lost when they are made 0/1"


if __name__ == "__main__":
    all_rows = rows_of_run(sys.argv[1], ["grouping", "steps=80"])
    check_sums(all_rows)
    check_dial(all_rows)
    check_trainings(all_rows)
