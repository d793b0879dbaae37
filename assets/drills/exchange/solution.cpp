#include <vector>

struct Comm {  // given
  int rank, size;
  virtual void send(int to, const float* data, int count) = 0;
  virtual void recv(int from, float* data, int count) = 0;
};

void exchange(Comm& comm, const std::vector<float>& mine,
              std::vector<float>& theirs) {
  const int next = (comm.rank + 1) % comm.size,
            previous = (comm.rank + comm.size - 1) % comm.size;
  const int n = static_cast<int>(mine.size());
  if (comm.size == 1) theirs = mine;
  if (comm.size == 1) return;
  if (comm.rank % 2 == 0) comm.send(next, mine.data(), n);
  comm.recv(previous, theirs.data(), n);
  if (comm.rank % 2 == 1) comm.send(next, mine.data(), n);
}
