// How far two lists of as many numbers are apart: vectors or spans, of floats or doubles.
#pragma once

#include <cmath>
#include <cstddef>

namespace ringside::inline base {

// The length of a - b, of the length of b; 0 where b is nothing but zeros.
template <typename A, typename B>
double relative_distance(const A& a, const B& b) {
  double errors = 0, lengths = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    errors += std::pow(double{a[i]} - double{b[i]}, 2);
    lengths += std::pow(double{b[i]}, 2);
  }
  return lengths == 0 ? 0 : std::sqrt(errors / lengths);
}

}  // namespace ringside::inline base
