#include "ringside/trace/events.h"

#include "catch.h"
#include "ringside/base/error.h"

using namespace ringside;

namespace {
template <typename E>
void check_round_trip(int count) {
  for (int i = 0; i < count; ++i) {
    const auto value = static_cast<E>(i);
    CHECK(from_text<E>(to_string(value)) == value);
  }
  CHECK_THROWS_AS(to_string(static_cast<E>(count)), InvariantError);
  CHECK_FALSE(from_text<E>(""));
  CHECK_FALSE(from_text<E>("All_Reduce"));
}
}  // namespace

TEST_CASE("each enumerator has a text that names it back") {
  check_round_trip<Op>(8);
  check_round_trip<Dtype>(9);
  check_round_trip<CollectiveState>(4);
  check_round_trip<Category>(kCategoryCount);
  check_round_trip<Verdict>(4);
  CHECK(to_string(Op::kReduceScatter) == "reduce_scatter");
  CHECK(to_string(Op::kBarrier) == "barrier");
  CHECK(to_string(Dtype::kBFloat16) == "bfloat16");
  CHECK(to_string(CollectiveState::kFailed) == "failed");
  CHECK(to_string(Category::kOptimizer) == "optimizer");
  CHECK(to_string(Verdict::kNotTestable) == "not_testable");
}

TEST_CASE("bytes of one element") {
  CHECK(size_of(Dtype::kFloat32) == 4);
  CHECK(size_of(Dtype::kBFloat16) == 2);
  CHECK(size_of(Dtype::kFloat64) == 8);
  CHECK(size_of(Dtype::kInt64) == 8);
  CHECK(size_of(Dtype::kUInt8) == 1);
  CHECK(size_of(Dtype::kFloat16) == 2);
  CHECK(size_of(Dtype::kInt32) == 4);
  CHECK(size_of(Dtype::kBool) == 1);
}

TEST_CASE("unexplained bytes are what neither prediction nor reasons account for") {
  LedgerRow row;
  row.counted = 112;
  CHECK(row.unexplained() == 0);  // only counted
  row.predicted = 100;
  CHECK(row.unexplained() == 12);
  row.reasons = {{"padding", 8}, {"bucket edge", 4}};
  CHECK(row.unexplained() == 0);
  row.counted = 111;
  CHECK(row.unexplained() == -1);
}
