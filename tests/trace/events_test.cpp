#include "ringside/trace/events.h"

#include "catch.h"
#include "check_text.h"
#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/trace/table.h"
#include "ringside/trace/trace.h"

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

TEST_CASE("enumerators have texts, elements bytes, and unexplained bytes are what is left") {
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
  CHECK(size_of(Dtype::kFloat32) == 4);
  CHECK(size_of(Dtype::kBFloat16) == 2);
  CHECK(size_of(Dtype::kFloat64) == 8);
  CHECK(size_of(Dtype::kInt64) == 8);
  CHECK(size_of(Dtype::kUInt8) == 1);
  CHECK(size_of(Dtype::kFloat16) == 2);
  CHECK(size_of(Dtype::kInt32) == 4);
  CHECK(size_of(Dtype::kBool) == 1);
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

// Attributes hold values; readers ask for the kind they need.
TEST_CASE("each kind of attribute answers for what it is; asking for another names it all") {
  CHECK(Attribute("bf16").text() == "bf16");
  CHECK(!Attribute("bf16").number());
  CHECK(!Attribute("bf16").yes());
  CHECK(Attribute(4).integer() == 4);
  CHECK(Attribute(4).number() == 4.0);
  CHECK(Attribute(4).text() == "4");
  CHECK(!Attribute(1).yes());
  CHECK(Attribute(size_t{7}).integer() == 7);
  CHECK(Attribute(0.25).number() == 0.25);
  CHECK(Attribute(0.25).text() == "0.25");
  CHECK(!Attribute(0.25).integer());
  CHECK(Attribute(8.0).integer() == 8);
  CHECK(!Attribute(std::numeric_limits<double>::infinity()).integer());
  CHECK(Attribute(true).yes() == true);
  CHECK(Attribute(false).text() == "no");
  CHECK(!Attribute(true).number());
  CHECK(Attribute("24").integer() == 24);
  CHECK(Attribute("-0.5").number() == -0.5);
  CHECK(!Attribute("24 steps").number());
  CHECK(!Attribute("").number());
  CHECK(Attribute("on").yes() == true);
  CHECK(Attribute("no").yes() == false);
  CHECK(!Attribute("maybe").yes());
  const auto store = TraceStore::create("");
  store->add_section("stage 1", {{"reduce", "all_reduce"}, {"share", 0.5}}, 1);
  const Trace trace = store->snapshot();
  const SectionView& section = trace.sections().front();
  CHECK(section.has("share"));
  CHECK(!section.has("steps"));
  CHECK(section.find("steps") == nullptr);
  const auto refusal = [](const auto& ask) { return message_of<InvariantError>(ask); };
  CHECK(lacks(refusal([&] { section.number("reduce"); }),
              {"'stage 1': attribute reduce='all_reduce' is not a number"}) == "");
  CHECK(lacks(refusal([&] { section.integer("share"); }), {"share='0.5' is not a whole number"}) == "");
  CHECK(lacks(refusal([&] { section.yes("share"); }), {"share='0.5' is not yes or no"}) == "");
  CHECK(lacks(refusal([&] { section.integer("steps"); }), {"'stage 1' has no attribute 'steps'"}) == "");
}
