def shard_bounds(n, ranks, rank):
    return rank * n // ranks, (rank + 1) * n // ranks
