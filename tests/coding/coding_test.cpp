#include <catch.h>

#include "coding_drill.h"

using namespace ringside;
using namespace ringside::coding;

namespace {

std::vector<Json> all_results(const CodingDrill& drill, Compute compute) {
  std::vector<Json> results;
  for (const Json& one : drill.cases) results.push_back(compute(one));
  return results;
}

}  // namespace

TEST_CASE("coding: each named mistake fails some case, in a way of its own") {
  REQUIRE(coding_drills().size() == 10);
  for (const CodingDrill& drill : coding_drills()) {
    const std::vector<Json> right = all_results(drill, drill.right);
    std::vector<std::vector<Json>> seen = {right};
    for (const Json& result : right) REQUIRE(result.size() == drill.outputs.size());
    for (const Json& one : drill.cases) REQUIRE(one.size() == drill.arguments.size());
    for (const Mistake& mistake : drill.mistakes) {
      CAPTURE(drill.id, mistake.name);
      const std::vector<Json> wrong = all_results(drill, mistake.result);
      for (const std::vector<Json>& other : seen) {
        bool differs = false;
        for (size_t i = 0; i < wrong.size(); ++i) differs = differs || !same(other[i], wrong[i]);
        CHECK(differs);
      }
      seen.push_back(wrong);
      CHECK_FALSE(mistake.why.empty());
    }
  }
}

TEST_CASE("coding: numbers are equal within 1e-7, and what is not finite only to itself") {
  CHECK(same({1.0, {"nan", 2}}, {1.0 + 1e-9, {"nan", 2.0}}));
  CHECK_FALSE(same(1.0, 1.0 + 1e-6));
  CHECK_FALSE(same("inf", "-inf"));
  CHECK_FALSE(same(1.0, "nan"));
  CHECK_FALSE(same(Json::array({1, 2}), Json::array({1})));
  CHECK(same({Json(), 1}, {5, 1}));
}
