# An exchange that cannot deadlock. N ranks stand in a ring and call this
# function at the same time. Each gives what it has to rank r + 1 and gets what
# rank r - 1 has (mod N).
#   comm    comm.rank r of comm.size N; comm.send(to, values), comm.recv(source)
#   mine    list of n floats
#   theirs  list of n: fill it with `mine` of the previous rank
# Here send WAITS until its peer has received, as MPI_Ssend, and recv until it
# was sent. If all send first, nobody receives. Nobody can send to itself.
# MPI 4.1, section 3.5.


def exchange(comm, mine, theirs):
    pass
