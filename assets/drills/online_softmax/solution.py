from math import exp, inf


def online_softmax(scores, values):
    most, total, weighted = -inf, 0.0, 0.0
    for block, of in zip(scores, values):
        now = max([most, *block])
        if now == -inf:  # nothing is seen yet: -inf - -inf is no number
            continue
        factor = exp(most - now)
        ps = [exp(s - now) for s in block]
        total = total * factor + sum(ps)
        weighted = weighted * factor + sum(p * v for p, v in zip(ps, of))
        most = now
    return weighted / total
