// Ring all-reduce. Every rank has a buffer of n floats and calls this function
// at the same time. Afterwards each buffer holds the sum over all ranks.
//   comm    rank r of N: send returns at once, recv waits for what was sent
//           first; count in floats
//   buffer  (n), any n, also fewer than N; all of it is summed
// Only neighbours talk: r sends to r + 1 and receives from r - 1 (mod N). First
// a reduce-scatter in N - 1 steps, then an all-gather in N - 1 steps. Where N
// divides n each rank sends 2 (N - 1) n / N floats, the least where ranks send to ranks.
// Patarasuk, Yuan 2009, doi:10.1016/j.jpdc.2008.09.002.
#include <vector>

struct Comm {  // given
  int rank, size;
  virtual void send(int to, const float* data, int count) = 0;
  virtual void recv(int from, float* data, int count) = 0;
};

void ring_all_reduce(Comm& comm, std::vector<float>& buffer) {
}
