// Bugs planted into an all-reduce that is put together from its two halves. Each
// must show: as bytes that the formula does not explain, or as a wrong sum.
#include <catch.h>

#include "on_ranks.h"
#include "ringside/collectives/cost.h"
#include "typed_buffer.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int kSize = 4;
constexpr int64_t kCount = 16;  // c_r = 4

// An all-reduce in two halves, either of which a bug can spoil.
using AllReduce = std::function<void(ProcessGroup&, MutableView)>;

MutableView own_chunk(const ProcessGroup& group, MutableView buffer, int shift = 0) {
  const Chunk chunk = chunk_of(buffer.count, group.size(), (group.rank() + shift) % group.size());
  return slice(buffer, chunk.offset, chunk.count);
}
void reduce(ProcessGroup& group, MutableView buffer) {
  group.reduce_scatter(buffer, own_chunk(group, buffer), {})->wait();
}
void gather(ProcessGroup& group, MutableView buffer) {
  group.all_gather(own_chunk(group, buffer), buffer, {})->wait();
}

void good(ProcessGroup& group, MutableView buffer) {
  reduce(group, buffer);
  gather(group, buffer);
}
void drops_the_gather(ProcessGroup& group, MutableView buffer) { reduce(group, buffer); }
void gathers_twice(ProcessGroup& group, MutableView buffer) {
  good(group, buffer);
  gather(group, buffer);
}
void drops_the_reduction(ProcessGroup& group, MutableView buffer) { gather(group, buffer); }
void takes_the_next_shard(ProcessGroup& group, MutableView buffer) {
  reduce(group, buffer);
  group.all_gather(own_chunk(group, buffer, 1), buffer, {})->wait();
}

struct Result {
  int64_t unexplained_bytes = 0;  // counted - predicted, over all ranks
  bool correct = true;
};

Result audit(const AllReduce& all_reduce) {
  RecordedRun run(kSize);
  std::vector<char> correct(kSize);
  on_ranks(kSize, run.options, [&](ProcessGroup& group) {
    TypedBuffer buffer(Dtype::kFloat32, contribution(group.rank(), kCount));
    all_reduce(group, buffer.view());
    correct[group.rank()] = buffer.values() == naive_reduce(kSize, kCount);
  });
  Result result;
  for (int rank = 0; rank < kSize; ++rank) {
    const Payload payload{kCount, Dtype::kFloat32, kSize, rank};
    result.unexplained_bytes += run.bytes_sent(rank) - direct::all_reduce(payload).bytes_sent;
    result.correct = result.correct && correct[rank];
  }
  return result;
}

// 3 peers read one chunk of 4 float32 from each of 4 ranks.
constexpr int64_t kOneGather = 4 * 3 * 4 * 4;

}  // namespace

TEST_CASE("no bug: no unexplained byte, and the naive sum") {
  const Result result = audit(good);
  CHECK(result.unexplained_bytes == 0);
  CHECK(result.correct);
}

TEST_CASE("planted: a dropped gather is missing bytes") {
  const Result result = audit(drops_the_gather);
  CHECK(result.unexplained_bytes == -kOneGather);
  CHECK_FALSE(result.correct);
}

TEST_CASE("planted: a dropped reduction is missing bytes") {
  const Result result = audit(drops_the_reduction);
  CHECK(result.unexplained_bytes == -kOneGather);
  CHECK_FALSE(result.correct);
}

TEST_CASE("planted: gathering twice changes no value, but is unexplained bytes") {
  const Result result = audit(gathers_twice);
  CHECK(result.unexplained_bytes == kOneGather);
  CHECK(result.correct);
}

TEST_CASE("planted: a shard off by one moves the right bytes to a wrong sum") {
  const Result result = audit(takes_the_next_shard);
  CHECK(result.unexplained_bytes == 0);
  CHECK_FALSE(result.correct);
}
