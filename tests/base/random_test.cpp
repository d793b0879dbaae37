#include "ringside/base/random.h"

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/base/sha256.h"

using namespace ringside;

// The figures of this case come from a second implementation, in another language.
TEST_CASE("a stream draws the same values on every machine; another seed, purpose or index others") {
  CHECK(mix_seed(0, "") == 0xa6bbc8dcbe30928c);
  CHECK(mix_seed(7, "epoch", 0) == 0x32c52778af4f3e19);
  CHECK(mix_seed(7, "epoch", 1) == 0xbfaa3f94e47503be);
  RandomStream stream(7, "epoch");
  CHECK(stream.next() == 0x500613ccb3912bc9);
  CHECK(stream.next() == 0x83580981f9e484cb);
  CHECK(stream.next() == 0x8b7eaea059be7316);
  CHECK(permutation(8, RandomStream(7, "epoch")) == std::vector<int64_t>{0, 7, 5, 2, 3, 4, 6, 1});
  std::set<uint64_t> seeds;
  for (uint64_t seed = 0; seed < 8; ++seed)
    for (const char* purpose : {"", "a", "b", "ab", "ba", "model.norm.weight"})
      for (uint64_t index = 0; index < 8; ++index) seeds.insert(mix_seed(seed, purpose, index));
  CHECK(seeds.size() == 8 * 6 * 8);
}

TEST_CASE("uniform stays in [0, 1) and fills it evenly") {
  RandomStream stream(1, "uniform");
  std::vector<int> bins(10);
  for (int i = 0; i < 100'000; ++i) {
    const double u = stream.uniform();
    REQUIRE(u >= 0);
    REQUIRE(u < 1);
    ++bins[static_cast<size_t>(u * 10)];
  }
  // A bin of 10,000 has a standard deviation of 95.
  for (const int bin : bins) CHECK(std::abs(bin - 10'000) < 500);
}

TEST_CASE("below is in range and unbiased") {
  SECTION("every value of a small bound is equally frequent") {
    RandomStream stream(2, "below");
    std::vector<int> bins(7);
    for (int i = 0; i < 70'000; ++i) ++bins.at(stream.below(7));
    for (const int bin : bins) CHECK(std::abs(bin - 10'000) < 500);
  }
  SECTION("no modulo bias at a bound of 3/4 of 2^64") {
    // Without rejection a draw below 2^62 is twice as likely: 1/2 of the draws in place of 1/3.
    RandomStream stream(3, "below");
    const uint64_t bound = uint64_t{3} << 62;
    int low = 0;
    for (int i = 0; i < 30'000; ++i) {
      const uint64_t draw = stream.below(bound);
      REQUIRE(draw < bound);
      low += draw < (uint64_t{1} << 62);
    }
    CHECK(std::abs(low - 10'000) < 500);
  }
  SECTION("the edges") {
    RandomStream stream(4, "below");
    for (int i = 0; i < 100; ++i) CHECK(stream.below(1) == 0);
    CHECK_NOTHROW(stream.below(UINT64_MAX));
    CHECK_THROWS_AS(stream.below(0), InvariantError);
  }
}

// From a second implementation, in another language, with the same operations in the same order.
TEST_CASE("normal draws the same bits on every machine; a permutation holds each number once") {
  RandomStream stream(7, "normal");
  CHECK(stream.normal() == 0x1.b2a2e033363acp-1);
  CHECK(stream.normal() == -0x1.7dd5b72ebee43p-1);
  CHECK(stream.normal() == 0x1.b54778615c51bp-2);
  CHECK(stream.normal() == 0x1.0809207194869p+1);
  std::vector<double> values(100'000);
  RandomStream again(7, "normal");
  for (double& value : values) value = again.normal();
  Sha256 hash;
  hash.update(values.data(), values.size() * sizeof(double));
  CHECK(hash.hex() == "cf802bcdf11e6d48cc01b4b25d595f8efdf19bd084939d7b572d90da2336f7c7");
  for (const int64_t count : {0, 1, 2, 3, 100, 1000}) {
    std::vector<int64_t> order = permutation(count, RandomStream(6, "order"));
    if (count >= 100) CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
    std::sort(order.begin(), order.end());
    REQUIRE(order.size() == static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) REQUIRE(order[static_cast<size_t>(i)] == i);
  }
  CHECK_THROWS_AS(permutation(-1, RandomStream(6, "order")), InvariantError);
}

namespace {
std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.hex();
}
}  // namespace

// FIPS 180-4's examples.
TEST_CASE("SHA-256 of known texts, however they are cut; a finished hash takes nothing more") {
  CHECK(Sha256().hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  const std::string text(1000, 'x');
  Sha256 pieces;
  for (size_t at = 0, length = 1; at < text.size(); at += length, length = length % 97 + 1)
    pieces.update(std::string_view(text).substr(at, length));
  CHECK(pieces.hex() == sha256(text));
  Sha256 hash;
  hash.hex();
  CHECK_THROWS_AS(hash.update("a"), InvariantError);
  CHECK_THROWS_AS(hash.hex(), InvariantError);
}
