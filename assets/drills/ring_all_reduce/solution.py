def ring_all_reduce(comm, buffer):
    n, size = len(buffer), comm.size

    def chunk(k):
        return slice(k % size * n // size, (k % size + 1) * n // size)

    def turn(k):  # sends chunk k on while the one before it comes
        comm.send((comm.rank + 1) % size, buffer[chunk(k)])
        return comm.recv((comm.rank - 1) % size)

    for step in range(size - 1):  # reduce-scatter
        k = comm.rank - step
        own, came = buffer[chunk(k - 1)], turn(k)
        buffer[chunk(k - 1)] = [a + b for a, b in zip(own, came)]
    for step in range(size - 1):  # all-gather
        k = comm.rank + 1 - step
        buffer[chunk(k - 1)] = turn(k)
