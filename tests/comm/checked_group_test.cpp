#include <catch.h>

#include "ringside/comm/checked_group.h"

using namespace ringside;

namespace {

Fingerprint call(Op op, int64_t count) {
  return {.group = "dp", .seq = 4, .op = op, .dtype = Dtype::kFloat32, .count = count};
}

}  // namespace

TEST_CASE("equal fingerprints agree, for any number of ranks") {
  for (const size_t size : {1, 2, 8}) {
    const std::vector<Fingerprint> same(size, call(Op::kAllReduce, 8));
    CHECK(disagreeing_ranks(same).empty());
  }
}

TEST_CASE("the minority disagrees") {
  const auto usual = call(Op::kAllReduce, 8), other = call(Op::kAllReduce, 9);
  CHECK(disagreeing_ranks({usual, other, usual}) == std::vector<int>{1});
  CHECK(disagreeing_ranks({other, usual, usual}) == std::vector<int>{0});
  CHECK(disagreeing_ranks({usual, other}) == std::vector<int>{1});  // a tie: the lowest rank counts
}

TEST_CASE("every field counts") {
  const Fingerprint usual = call(Op::kBroadcast, 8);
  std::vector<Fingerprint> others(7, usual);
  others[0].group = "tp";
  others[1].seq = 5;
  others[2].op = Op::kAllGather;
  others[3].dtype = Dtype::kInt64;
  others[4].count = 9;
  others[5].root = 1;
  others[6].reduce_op = ReduceOp::kMax;
  for (const Fingerprint& other : others)
    CHECK(disagreeing_ranks({usual, usual, other}) == std::vector<int>{2});
}

TEST_CASE("a disagreement is told by groups of ranks") {
  const auto a = call(Op::kAllReduce, 8), b = call(Op::kBarrier, 0);
  CHECK(describe_disagreement({a, a, b, a}) ==
        "ranks 0, 1 and 3 call dp #4 all_reduce of 8 float32; rank 2 calls dp #4 barrier");
}
