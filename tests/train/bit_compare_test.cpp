#include "ringside/train/bit_compare.h"

#include <cmath>
#include <limits>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"

using namespace ringside;

namespace {

const std::string kNames[] = {"first", "second"};

void show(const ParameterObserver& observer, int64_t step, size_t index, const std::vector<float>& values) {
  observer(step, index, kNames[index], {values.data(), std::ssize(values), Dtype::kFloat32});
}

struct Compared {
  BitReference reference;
  BitReference::Comparison comparison{reference};
  ParameterObserver expect = reference.recorder(), see = comparison.observer();
};

}  // namespace

TEST_CASE("equal bits are no difference, NaN included; two zeros are one") {
  Compared c;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  show(c.expect, 1, 0, {1, nan, 0.0f});
  show(c.see, 1, 0, {1, nan, 0.0f});
  CHECK_FALSE(c.comparison.first_difference());
  CHECK(c.comparison.compared_steps() == 1);
  show(c.see, 1, 0, {1, nan, -0.0f});
  REQUIRE(c.comparison.first_difference());
  CHECK(c.comparison.first_difference()->distance == 0);
}

TEST_CASE("the first difference is named by step, tensor, element and distance") {
  Compared c;
  for (const int64_t step : {1, 2}) {
    show(c.expect, step, 0, {1, 2});
    show(c.expect, step, 1, {1, 2, 3, -4});
  }
  show(c.see, 1, 1, {1, std::nextafter(2.0f, 3.0f), 3, -4.5f});
  show(c.see, 1, 0, {1, 2});
  show(c.see, 2, 0, {9, 2});  // later: not the first
  const auto& difference = c.comparison.first_difference();
  REQUIRE(difference);
  CHECK(difference->step == 1);
  CHECK(difference->tensor == "second");
  CHECK(difference->element == 1);
  CHECK(difference->elements == 2);
  CHECK(difference->of_elements == 4);
  CHECK(difference->mine == std::nextafter(2.0f, 3.0f));
  CHECK(difference->reference == 2);
  CHECK(difference->distance == 0.5);
  CHECK(difference->ulps == 1 << 20);
  CHECK(lacks(to_string(*difference), {"step 1", "second[1]", "1 more", "0.5"}) == "");
}

TEST_CASE("an earlier tensor that is shown later in the same step takes its place") {
  Compared c;
  show(c.expect, 1, 0, {1});
  show(c.expect, 1, 1, {1});
  show(c.see, 1, 1, {2});
  show(c.see, 1, 0, {3});
  CHECK(c.comparison.first_difference()->tensor == "first");
}

TEST_CASE("distances in ulp go across zero") {
  Compared c;
  const float tiny = std::numeric_limits<float>::denorm_min();
  show(c.expect, 1, 0, {-tiny});
  show(c.see, 1, 0, {tiny});
  CHECK(c.comparison.first_difference()->ulps == 2);
}

TEST_CASE("a step that the reference does not have is an error, not agreement") {
  Compared c;
  CHECK_THROWS_AS(show(c.see, 1, 0, {1}), InvariantError);
}
