def bucket_order(sizes, most):
    buckets, filled = [], 0
    for i in reversed(range(len(sizes))):
        if not buckets or filled + sizes[i] > most:
            buckets.append([])
            filled = 0
        buckets[-1].append(i)
        filled += sizes[i]
    return buckets
