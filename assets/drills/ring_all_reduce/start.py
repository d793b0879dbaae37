# Ring all-reduce. Every rank has a buffer of n floats and calls this function
# at the same time. Afterwards each buffer holds the sum over all ranks.
#   comm    comm.rank r of comm.size N; comm.send(to, values) returns at once,
#           comm.recv(source) waits, and returns the list that was sent first
#   buffer  list of n floats, also fewer than N; change it, return nothing
# Only neighbours talk: r sends to r + 1 and receives from r - 1 (mod N). First
# a reduce-scatter in N - 1 steps, then an all-gather in N - 1 steps. Where N
# divides n each rank sends 2 (N - 1) n / N floats, the least where ranks send to ranks.
# Patarasuk, Yuan 2009, doi:10.1016/j.jpdc.2008.09.002.


def ring_all_reduce(comm, buffer):
    pass
