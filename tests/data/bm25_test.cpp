#include "ringside/data/bm25.h"

#include <cmath>

#include "catch.h"

namespace ringside {

TEST_CASE("BM25 ranks by shared words: a rare word says more, a long text less", "[data]") {
  const Bm25 index({"the cat, the CAT", "the dog", "the bird sings and the fish does not", "the dog"});
  // n = 1 of N = 4 texts has "cat", twice; the texts have 4, 2, 8 and 2 words, 4 on average.
  const double rarity = std::log(1 + 3.5 / 1.5), repeats = 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 4.0));
  CHECK(index.score("Cat?", 0) == Approx(rarity * repeats));
  CHECK(index.score("cat cat", 0) == Approx(2 * rarity * repeats));
  CHECK(index.score("cat", 1) == 0);
  CHECK(index.ranked("the fish") == std::vector<size_t>{2, 0, 1, 3});
  CHECK(index.ranked("dog") == std::vector<size_t>{1, 3, 0, 2});
  CHECK(index.score("the", 1) > index.score("the", 2) / 2);
  CHECK(index.ranked("unknown") == std::vector<size_t>{0, 1, 2, 3});
  CHECK(Bm25({}).ranked("the").empty());
}

}  // namespace ringside
