def layer_norm_backward(x, w, dy, eps):
    width = len(w)
    dx, dw, db = [], [0.0] * width, [0.0] * width
    for row, dys in zip(x, dy):
        mean = sum(row) / width
        s = (sum((a - mean) ** 2 for a in row) / width + eps) ** -0.5
        u = [(a - mean) * s for a in row]
        g = [a * b for a, b in zip(w, dys)]
        mean_g = sum(g) / width
        mean_gu = sum(a * b for a, b in zip(g, u)) / width
        dx.append([s * (a - mean_g - b * mean_gu) for a, b in zip(g, u)])
        for i in range(width):
            dw[i] += dys[i] * u[i]
            db[i] += dys[i]
    return dx, dw, db
