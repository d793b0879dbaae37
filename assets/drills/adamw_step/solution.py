def adamw_step(w, m, v, g, lr, beta1, beta2, eps, weight_decay, t):
    for i in range(len(w)):
        w[i] -= lr * weight_decay * w[i]
        m[i] = beta1 * m[i] + (1 - beta1) * g[i]
        v[i] = beta2 * v[i] + (1 - beta2) * g[i] ** 2
        root = (v[i] / (1 - beta2**t)) ** 0.5
        w[i] -= lr * m[i] / (1 - beta1**t) / (root + eps)
