#include <vector>

struct Comm {  // given
  int rank, size;
  virtual void send(int to, const float* data, int count) = 0;
  virtual void recv(int from, float* data, int count) = 0;
};

void ring_all_reduce(Comm& comm, std::vector<float>& buffer) {
  const int n = buffer.size(), size = comm.size;
  const auto begin = [&](int chunk) { return chunk * n / size; };
  // Sends a chunk on while the one before it comes.
  const auto pass = [&](int chunk, bool add) {
    const int out = (chunk + size) % size, in = (out + size - 1) % size;
    comm.send((comm.rank + 1) % size, buffer.data() + begin(out),
              begin(out + 1) - begin(out));
    std::vector<float> came(begin(in + 1) - begin(in));
    comm.recv((comm.rank + size - 1) % size, came.data(), came.size());
    for (size_t i = 0; i < came.size(); ++i)
      buffer[begin(in) + i] = came[i] + (add ? buffer[begin(in) + i] : 0);
  };
  // Reduce-scatter, then all-gather.
  for (int step = 0; step < size - 1; ++step) pass(comm.rank - step, true);
  for (int step = 0; step < size - 1; ++step) pass(comm.rank + 1 - step, false);
}
