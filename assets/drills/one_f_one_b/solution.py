def one_f_one_b(p, m, stage):
    passes, f = [], 0
    for b in range(m):
        while f < m and f - b < p - stage:
            passes.append(f"F{f}")
            f += 1
        passes.append(f"B{b}")
    return passes
