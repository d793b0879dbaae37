from math import isfinite


def loss_scale(gradients, scale, interval):
    scales, good = [], 0
    for step in gradients:
        finite = all(isfinite(g) for g in step)
        good = good + 1 if finite else 0
        if not finite:
            scale /= 2
        if good == interval:
            scale, good = scale * 2, 0
        scales.append(scale)
    return scales
