#include <utility>

std::pair<long, long> shard_bounds(long n, int ranks, int rank) {
  return {rank * n / ranks, (rank + 1) * n / ranks};
}
