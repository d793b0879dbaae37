// A few combinations in place of all: every two values of any two factors stand together in one of them. What
// only three values at once can break is not found.
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <vector>

namespace ringside::testing {

// Factor f has sizes[f] values; a row holds the number of a value of each. The same sizes give the same rows.
inline std::vector<std::vector<size_t>> pairwise(const std::vector<size_t>& sizes) {
  using Pair = std::array<size_t, 4>;  // two factors, the lower one first, and a value of each
  std::set<Pair> missing;
  for (size_t g = 0; g < sizes.size(); ++g)
    for (size_t f = 0; f < g; ++f)
      for (size_t a = 0; a < sizes[f]; ++a)
        for (size_t b = 0; b < sizes[g]; ++b) missing.insert({f, g, a, b});
  const auto pair = [](size_t f, size_t a, size_t g, size_t b) {
    return f < g ? Pair{f, g, a, b} : Pair{g, f, b, a};
  };
  std::vector<std::vector<size_t>> rows;
  while (!missing.empty()) {
    const auto [first, second, a, b] = *missing.begin();
    std::vector<size_t> order = {first, second}, row(sizes.size());
    row[first] = a, row[second] = b;
    for (size_t f = 0; f < sizes.size(); ++f) {
      if (f == first || f == second) continue;
      size_t most = 0, best = rows.size() % sizes[f];  // where all are as good: values take turns
      for (size_t value = 0; value < sizes[f]; ++value) {
        size_t found = 0;
        for (const size_t g : order) found += missing.count(pair(f, value, g, row[g]));
        if (found > most) most = found, best = value;
      }
      row[f] = best;
      order.push_back(f);
    }
    for (const size_t f : order)
      for (const size_t g : order)
        if (f != g) missing.erase(pair(f, row[f], g, row[g]));
    rows.push_back(row);
  }
  return rows;
}

}  // namespace ringside::testing
