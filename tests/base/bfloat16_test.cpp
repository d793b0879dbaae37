#include "ringside/base/bfloat16.h"

#include <vector>

#include "catch.h"
#include "ringside/base/distance.h"

namespace ringside {

TEST_CASE("a double becomes bfloat16 by one rounding; its ulps, and how many lie between two", "[base]") {
  const auto rounded = [](double value) { return bf16_to_float(double_to_bf16(value)); };
  CHECK(rounded(257) == 256);  // a tie goes to the even one
  CHECK(rounded(259) == 260);
  for (const double sign : {1, -1}) {  // beside a tie, by less than a float tells
    CHECK(rounded(sign * (257 + 1e-9)) == sign * 258);
    CHECK(rounded(sign * (257 - 1e-9)) == sign * 256);
    CHECK(rounded(sign * (259 - 1e-9)) == sign * 258);
  }
  CHECK((rounded(0) == 0 && std::isnan(rounded(NAN)) && rounded(1e-300) == 0 && std::isinf(rounded(1e300))));
  CHECK((bf16_ulp(1) == 0x1p-7 && bf16_ulp(-255.9) == 1 && bf16_ulp(256) == 2 && bf16_ulp(0) == 0));
  const auto between = [](float a, float b) { return bf16_ulps_between(float_to_bf16(a), float_to_bf16(b)); };
  CHECK((between(256, 258) == 1 && between(258, 256) == 1 && between(-256, -260) == 2));
  CHECK(between(0.0f, -0.0f) == 0);
  CHECK(between(0x1p-133f, -0x1p-133f) == 2);  // the smallest of either sign
}

TEST_CASE("a distance is a part of the second list's length", "[base]") {
  CHECK(relative_distance(std::vector<float>{3, 4}, std::vector<double>{3, 4}) == 0);
  CHECK(relative_distance(std::vector<float>{6, 8}, std::vector<float>{3, 4}) == 1);
  CHECK(relative_distance(std::vector<double>{3, 1}, std::vector<float>{3, 4}) == 0.6);
  CHECK(relative_distance(std::vector<float>{1}, std::vector<float>{0}) == 0);
}

}  // namespace ringside
