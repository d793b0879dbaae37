// Rounding to bfloat16 where it is easily wrong. Against LibTorch, and over every bfloat16: tests/optim.
#include "ringside/base/bfloat16.h"

#include <catch.h>

#include <cmath>

using namespace ringside;

namespace {

uint16_t rounded(uint32_t bits) { return float_to_bf16(std::bit_cast<float>(bits)); }

}  // namespace

TEST_CASE("every bfloat16 that is no NaN stays what it is") {
  int64_t wrong = 0;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto narrow = static_cast<uint16_t>(bits);
    if (!std::isnan(bf16_to_float(narrow)) && float_to_bf16(bf16_to_float(narrow)) != narrow) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("ties go to the even neighbour, all else to the nearest") {
  CHECK(rounded(0x3f808000) == 0x3f80);  // halfway between 0x3f80 and 0x3f81
  CHECK(rounded(0x3f818000) == 0x3f82);
  CHECK(rounded(0x3f807fff) == 0x3f80);
  CHECK(rounded(0x3f808001) == 0x3f81);
  CHECK(rounded(0xbf818000) == 0xbf82);
  CHECK(rounded(0x3fff8000) == 0x4000);  // carries into the exponent
}

TEST_CASE("denormals round as all numbers do, and keep their sign at zero") {
  CHECK(rounded(0x00000001) == 0x0000);
  CHECK(rounded(0x80000001) == 0x8000);
  CHECK(rounded(0x00008000) == 0x0000);  // a tie
  CHECK(rounded(0x00018000) == 0x0002);
  CHECK(rounded(0x00008001) == 0x0001);
  CHECK(rounded(0x007fffff) == 0x0080);  // the largest denormal becomes the smallest normal number
}

TEST_CASE("infinities stay, and what is too large becomes one") {
  CHECK(rounded(0x7f800000) == 0x7f80);
  CHECK(rounded(0xff800000) == 0xff80);
  CHECK(rounded(0x7f7fffff) == 0x7f80);  // the largest float32
  CHECK(rounded(0x7f7f7fff) == 0x7f7f);
  CHECK(rounded(0xff7f8000) == 0xff80);
}

TEST_CASE("every NaN becomes the same one, whatever its payload and sign") {
  for (const uint32_t sign : {0u, 0x80000000u}) {
    for (uint32_t bit = 0; bit < 23; ++bit) CHECK(rounded(sign | 0x7f800000u | 1u << bit) == 0x7fc0);
    CHECK(rounded(sign | 0x7fffffffu) == 0x7fc0);
  }
}
