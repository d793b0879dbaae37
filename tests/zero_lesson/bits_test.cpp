// The proof's rows and what is drawn of them: where bits part, and the addends of both orders.
#include "../../lessons/zero/parted.h"
#include "ringside/base/float_bits.h"
#include "run_lesson.h"

using namespace ringside;
using namespace ringside::testing;
using namespace ringside::zero_lesson;

TEST_CASE("where bits part, both values are kept and the addends of both orders") {
  const Trace trace = run_small({"proof=own"});
  const auto runs = proven_runs(trace);
  size_t equal = 0, parted = 0;
  for (const ProvenRun& run : runs) {
    REQUIRE(run.setting);
    equal += run.equal() ? 1 : 0;
    if (run.equal()) continue;
    ++parted;
    REQUIRE(run.parted);
    const auto mine = static_cast<float>(run.parted->mine), other = static_cast<float>(run.parted->reference);
    CHECK(mine != other);
    CHECK(ulps_between(mine, other) > 0);
    CHECK(ulps_between(mine, other) <= run.parted->ulps);
    CHECK(run.parted->element < run.parted->of_elements);
    // Two emulations, one arithmetic: what a rank adds up is the sum of its micro-batches.
    std::map<int64_t, float> own, whole;
    for (const Addend& one : run.addends) {
      if (one.at_end) whole[one.rank] = static_cast<float>(one.value);
      if (!one.at_end) own[one.rank] += static_cast<float>(one.value);
    }
    CHECK(whole.size() == static_cast<size_t>(run.proof.ranks));
    CHECK(own == whole);
  }
  CHECK(equal == 35);
  CHECK(parted == 2);
  const std::string text = figure_text(lesson(), "bits", trace);
  CHECK(text.find("10 of 10 equal") != std::string::npos);
  CHECK(text.find("0 of 2 equal") != std::string::npos);
  CHECK(std::holds_alternative<figure::Listing>(figure_value(lesson(), "orders", trace)));
}

TEST_CASE("a sum is made in the order that is said") {
  const auto addend = [](bool at_end, int64_t micro, int64_t rank, double value) {
    return Addend{.label = "", .at_end = at_end, .micro = micro, .rank = rank, .value = value};
  };
  const float big = 16777216.0f;  // 2^24: one more is lost
  const std::vector<Addend> addends = {addend(true, 0, 0, big),  addend(true, 0, 1, 2),
                                       addend(false, 0, 0, big), addend(false, 0, 1, 1),
                                       addend(false, 1, 0, 0),   addend(false, 1, 1, 1)};
  CHECK(sum_of(addends, true).total == big + 2);
  CHECK(sum_of(addends, false).total == big);
  CHECK(sum_of(addends, false).steps.size() == 6);
  CHECK(ulps_between(1.0f, std::nextafter(1.0f, 2.0f)) == 1);
  CHECK(bits_of(1.0f) == "0 01111111 00000000000000000000000");
}
