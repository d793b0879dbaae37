// What a place has of a parameter, and where each element of it lies in the whole.
#include "ringside/planner/parts.h"

#include <numeric>
#include <random>

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/planner/run_mesh.h"

using namespace ringside;

namespace {

using Shape = std::vector<int64_t>;

// The elements of the whole that a part's elements [begin, begin + count) are; -1: padding.
std::vector<int64_t> elements_of_part(const Part& part, int64_t begin, int64_t count) {
  std::vector<int64_t> elements(static_cast<size_t>(count), -1);
  for_each_run(part, begin, count, [&](int64_t in_part, int64_t in_whole, int64_t length) {
    for (int64_t i = 0; i < length; ++i) elements[static_cast<size_t>(in_part + i - begin)] = in_whole + i;
  });
  return elements;
}
std::vector<int64_t> elements_of_part(const Part& part) { return elements_of_part(part, 0, part.numel()); }

ParameterShape parameter(Shape shape, std::vector<Cut> cuts) {
  return {"w", 0, std::move(shape), true, std::move(cuts)};
}

Part part_at(const ParameterShape& whole, int size, int coordinate) {
  return part_of(whole, {{"tp", size, coordinate}});
}

}  // namespace

TEST_CASE("fused q, k and v are cut by heads, each by itself") {
  // 4 query heads, 2 of keys, 2 of values, of 2 rows each.
  const ParameterShape fused =
      parameter({16, 3}, {{.dim = 0, .over = "tp", .sections = {8, 4, 4}, .grain = 2}});
  const Part first = part_at(fused, 2, 0), second = part_at(fused, 2, 1);
  CHECK(first.shape == Shape{8, 3});
  const auto rows = [](const Part& part) {
    Shape of;
    const Shape elements = elements_of_part(part);
    for (size_t i = 0; i < elements.size(); i += 3) of.push_back(elements[i] / 3);
    return of;
  };
  CHECK(rows(first) == Shape{0, 1, 2, 3, 8, 9, 12, 13});
  CHECK(rows(second) == Shape{4, 5, 6, 7, 10, 11, 14, 15});
  CHECK_THROWS_WITH(part_at(fused, 4, 0),
                    "w: its 8 and 4 and 4 rows in groups of 2 cannot be cut over tp 4; 1, 2 would fit");
}

TEST_CASE("columns, a vocabulary with padding, and what is not cut") {
  CHECK(elements_of_part(part_at(parameter({2, 5}, {{.dim = 1, .over = "tp"}}), 2, 1)) ==
        Shape{2, 3, 4, 7, 8, 9});
  const ParameterShape vocabulary = parameter({5, 2}, {{.dim = 0, .over = "tp", .pads = true}});
  CHECK(elements_of_part(part_at(vocabulary, 4, 1)) == Shape{4, 5, 6, 7});
  CHECK(elements_of_part(part_at(vocabulary, 4, 2)) == Shape{8, 9, -1, -1});
  CHECK(elements_of_part(part_at(vocabulary, 4, 3)) == Shape{-1, -1, -1, -1});
  const Part whole = part_at(parameter({3}, {}), 2, 1);
  CHECK((whole.is_whole() && !whole.counts));
  CHECK(part_at(parameter({3}, {}), 2, 0).counts);
}

TEST_CASE("over all places that count each element of the whole is there once, in windows of any length") {
  std::mt19937 random(4);
  const auto up_to = [&](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most)) + 1;
  };
  for (int trial = 0; trial < 300; ++trial) {
    const int tp = static_cast<int>(up_to(4)), pp = static_cast<int>(up_to(3));
    const int64_t grain = up_to(3), sections = up_to(3);
    ParameterShape whole = parameter({0, pp * up_to(3), up_to(4)}, {});
    Cut by_heads{.dim = 0, .over = "tp", .sections = {}, .grain = grain};
    for (int64_t s = 0; s < sections; ++s) by_heads.sections.push_back(grain * tp * up_to(3));
    whole.shape[0] = std::accumulate(by_heads.sections.begin(), by_heads.sections.end(), int64_t{0});
    whole.cuts = {by_heads};
    if (trial % 2 == 0) whole.cuts.push_back({.dim = 1, .over = "pp", .pads = trial % 4 == 0});
    std::vector<int> seen(static_cast<size_t>(whole.numel()));
    const Mesh mesh({{"pp", pp}, {"tp", tp}, {"ep", 2}});
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
      const Part part = part_of(whole, model_place(mesh, rank));
      Shape joined;
      for (int64_t begin = 0; begin < part.numel();) {
        const int64_t count = std::min(up_to(7), part.numel() - begin);
        const Shape window = elements_of_part(part, begin, count);
        joined.insert(joined.end(), window.begin(), window.end());
        begin += count;
      }
      CHECK(joined == elements_of_part(part));
      for (const int64_t element : joined)
        if (element >= 0 && part.counts) ++seen[static_cast<size_t>(element)];
    }
    CHECK(std::ranges::all_of(seen, [](int times) { return times == 1; }));
  }
}
