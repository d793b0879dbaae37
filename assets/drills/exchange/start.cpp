// An exchange that cannot deadlock. N ranks stand in a ring and call this
// function at the same time. Each gives what it has to rank r + 1 and gets what
// rank r - 1 has (mod N).
//   comm    rank r of N, 1 and more; count in floats
//   mine    (n)
//   theirs  (n), filled with `mine` of the previous rank
// Here send WAITS until its peer has received, as MPI_Ssend, and recv until it
// was sent. If all send first, nobody receives. Nobody can send to itself.
// MPI 4.1, section 3.5.
#include <vector>

struct Comm {  // given
  int rank, size;
  virtual void send(int to, const float* data, int count) = 0;
  virtual void recv(int from, float* data, int count) = 0;
};

void exchange(Comm& comm, const std::vector<float>& mine,
              std::vector<float>& theirs) {
}
