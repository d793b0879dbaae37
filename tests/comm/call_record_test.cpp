#include <catch.h>

#include "ringside/comm/errors.h"

using namespace ringside;

namespace {

CallRecord call(Op op, int64_t count) {
  return {.group = "dp", .seq = 4, .op = op, .dtype = Dtype::kFloat32, .elements = count};
}

std::vector<int> odd_among(const std::vector<CallRecord>& calls) {
  std::vector<const CallRecord*> by_place;
  for (const CallRecord& one : calls) by_place.push_back(&one);
  return disagreeing(by_place);
}

}  // namespace

TEST_CASE("where as many ranks are on each side, all are named: one of them is wrong") {
  const auto usual = call(Op::kAllReduce, 8), other = call(Op::kAllReduce, 9);
  CHECK(odd_among({usual, other}) == std::vector<int>{0, 1});
  CHECK(odd_among({usual, other, other, usual}) == std::vector<int>{0, 1, 2, 3});
  CHECK(odd_among({usual, other, call(Op::kBarrier, 0)}) == std::vector<int>{0, 1, 2});
}

TEST_CASE("every field counts") {
  const CallRecord usual = call(Op::kBroadcast, 8);
  std::vector<CallRecord> others(7, usual);
  others[0].group = "tp";
  others[1].seq = 5;
  others[2].op = Op::kAllGather;
  others[3].dtype = Dtype::kInt64;
  others[4].elements = 9;
  others[5].root = 1;
  others[6].reduce = ReduceOp::kMax;
  for (const CallRecord& other : others) CHECK(odd_among({usual, usual, other}) == std::vector<int>{2});
}

TEST_CASE("what a call carries counts where both say it, and is told apart in words") {
  CallRecord usual = call(Op::kAllReduce, 8), other = usual;
  usual.contents = 11, other.contents = 12;
  CHECK(odd_among({usual, usual, other}) == std::vector<int>{2});
  CHECK(odd_among({usual, call(Op::kAllReduce, 8)}).empty());
  other.rank = 2;
  CHECK(describe_disagreement({&usual, &other}) ==
        "rank 0 calls dp #4 all_reduce of 8 float32 with contents A; rank 2 calls dp #4 all_reduce of 8 "
        "float32 with "
        "contents B");
}
