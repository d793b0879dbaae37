// What a place has of a parameter. Shape, elements and owner follow from the whole shape and its cuts;
// everything that moves state between layouts asks here where an element of a part lies in the whole.
//
//   whole (6, 2), cut in dimension 0 over tp, sections {4, 2}
//     tp 0 of 2: rows 0 1 4        part (3, 2)
//     tp 1 of 2: rows 2 3 5        part (3, 2)
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ringside/planner/declaration.h"

namespace ringside::inline planner {

// Where a rank stands among those that hold one copy of the model together, by the dimensions of the mesh
// over which it is cut. None: it holds the whole model.
struct PlaceIn {
  std::string dimension;  // "tp"
  int size = 1, coordinate = 0;
};
using ModelPlace = std::vector<PlaceIn>;

// Neighbours along one dimension, in the part and in the whole.
struct Stretch {
  int64_t in_part = 0, in_whole = 0, count = 0;
};

struct Part {
  std::vector<int64_t> shape;                   // of the part, padding included
  std::vector<int64_t> whole;                   // of the whole tensor
  std::vector<std::vector<Stretch>> stretches;  // of each dimension, ascending in the part
  // Of the places that hold the same elements one counts them, the one at 0 of each dimension that does not
  // cut the parameter: so a norm or a hash over places has each element once. Who has nothing counts nothing.
  bool counts = true;

  int64_t numel() const;  // of the part
  bool is_whole() const { return shape == whole; }
};

// UsageError where a dimension is too short, or its grains do not divide: it names the parameter and the
// sizes that fit.
Part part_of(const ParameterShape& whole, const ModelPlace& place);
std::vector<Part> parts_at(const std::vector<ParameterShape>& whole, const ModelPlace& place);
// The same parameters with the shapes of their parts. Of what a place has nothing of, nothing is trained
// there.
std::vector<ParameterShape> shapes_at(const std::vector<ParameterShape>& whole, const ModelPlace& place);

// Elements [begin, begin + count) of the flat part as runs that are neighbours in the whole as well,
// ascending in the part. Padding is in none.
using TakeRun = std::function<void(int64_t in_part, int64_t in_whole, int64_t count)>;
void for_each_run(const Part& part, int64_t begin, int64_t count, const TakeRun& take);

}  // namespace ringside::inline planner
