#include "ringside/planner/parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "ringside/base/check.h"
#include "ringside/base/error.h"

namespace ringside::inline planner {
namespace {

constexpr int kMostNamed = 64;  // sizes that a message tries

std::vector<int64_t> sections_of(const Cut& cut, int64_t length) {
  return cut.sections.empty() ? std::vector<int64_t>{length} : cut.sections;
}

// Whether every section has grains for so many places; of more than one element a grain is what a head
// computes with, and every place has as many heads.
bool fits(const Cut& cut, int64_t length, int places) {
  return std::ranges::all_of(sections_of(cut, length), [&](int64_t section) {
    const int64_t grains = section / cut.grain;
    return section % cut.grain == 0 && grains >= places && (cut.grain == 1 || grains % places == 0);
  });
}

void check_fits(const ParameterShape& whole, const Cut& cut, int places) {
  const int64_t length = whole.shape[size_t(cut.dim)];
  const auto sections = sections_of(cut, length);
  RINGSIDE_CHECK_EQ(std::accumulate(sections.begin(), sections.end(), int64_t{0}), length);
  if (fits(cut, length, places)) return;
  std::vector<int> fitting;
  for (int size = 1; size <= kMostNamed; ++size)
    if (fits(cut, length, size)) fitting.push_back(size);
  throw UsageError("{}: its {} {} cannot be cut over {} {}; {} would fit", whole.name,
                   fmt::join(sections, " and "),
                   cut.grain > 1 ? fmt::format("rows in groups of {}", cut.grain) : "rows or columns",
                   cut.over, places, fmt::join(fitting, ", "));
}

// Along one dimension; `shape` is set to what the place has of it.
std::vector<Stretch> cut_dimension(const Cut& cut, const PlaceIn& place, int64_t& length) {
  std::vector<Stretch> stretches;
  int64_t in_part = 0, in_whole = 0, room = 0;
  for (const int64_t section : sections_of(cut, length)) {
    const int64_t grains = section / cut.grain;
    int64_t first = place.coordinate * grains / place.size,
            last = (place.coordinate + 1) * grains / place.size;
    if (cut.pads) {
      const int64_t each = (grains + place.size - 1) / place.size;
      first = std::min(place.coordinate * each, grains), last = std::min(first + each, grains);
      room += (each - (last - first)) * cut.grain;
    }
    const int64_t count = (last - first) * cut.grain;
    if (count > 0) stretches.push_back({in_part, in_whole + first * cut.grain, count});
    in_part += count, in_whole += section;
  }
  length = in_part + room;
  return stretches;
}

// Runs of the part's elements [begin, end) that lie in the block of dimension `dim` at these offsets.
struct RunWalk {
  const Part& part;
  int64_t begin, end;
  const TakeRun& take;
  std::vector<int64_t> in_part_step{}, in_whole_step{};  // elements of one index of each dimension
  size_t last = 0;  // the outermost dimension behind which nothing is cut

  void walk(size_t dim, int64_t in_part, int64_t in_whole) const {
    for (const Stretch& stretch : part.stretches[dim]) {
      const int64_t part_at = in_part + stretch.in_part * in_part_step[dim];
      const int64_t whole_at = in_whole + stretch.in_whole * in_whole_step[dim];
      if (dim == last) {
        const int64_t from = std::max(begin, part_at);
        const int64_t to = std::min(end, part_at + stretch.count * in_part_step[dim]);
        if (from < to) take(from, whole_at + from - part_at, to - from);
        continue;
      }
      const int64_t step = in_part_step[dim];  // skip what is outside of [begin, end)
      const int64_t first = std::clamp((begin - part_at) / step, int64_t{0}, stretch.count);
      for (int64_t i = first; i < stretch.count && part_at + i * step < end; ++i)
        walk(dim + 1, part_at + i * step, whole_at + i * in_whole_step[dim]);
    }
  }
};

}  // namespace

int64_t Part::numel() const { return elements_in(shape); }

Part part_of(const ParameterShape& whole, const ModelPlace& place) {
  Part part{whole.shape, whole.shape, {}, !whole.repeats()};
  for (const int64_t length : whole.shape) part.stretches.push_back({{0, 0, length}});
  for (const PlaceIn& in : place) {
    const auto cut = std::ranges::find(whole.cuts, in.dimension, &Cut::over);
    if (cut == whole.cuts.end()) {
      part.counts = part.counts && in.coordinate == 0;
      continue;
    }
    if (cut->at >= 0) continue;
    const auto dim = size_t(cut->dim);
    RINGSIDE_CHECK(part.shape[dim] == whole.shape[dim], whole.name << " is cut twice in dimension " << dim);
    check_fits(whole, *cut, in.size);
    part.stretches[dim] = cut_dimension(*cut, in, part.shape[dim]);
  }
  for (const Cut& cut : whole.cuts) {
    const auto in = std::ranges::find(place, cut.over, &PlaceIn::dimension);
    if (cut.at < 0 || in == place.end() || in->coordinate == cut.at) continue;
    part.shape[0] = 0, part.stretches[0].clear(), part.counts = false;
  }
  return part;
}

std::vector<Part> parts_at(const std::vector<ParameterShape>& whole, const ModelPlace& place) {
  std::vector<Part> parts;
  for (const ParameterShape& shape : whole) parts.push_back(part_of(shape, place));
  return parts;
}

std::vector<ParameterShape> shapes_at(const std::vector<ParameterShape>& whole, const ModelPlace& place) {
  std::vector<ParameterShape> shapes = whole;
  for (ParameterShape& shape : shapes) {
    shape.shape = part_of(shape, place).shape;
    shape.trainable = shape.trainable && shape.numel() > 0;
  }
  return shapes;
}

void for_each_run(const Part& part, int64_t begin, int64_t count, const TakeRun& take) {
  const size_t dims = part.shape.size();
  if (dims == 0) return count > 0 ? take(0, 0, 1) : void();
  RunWalk walk{
      part, begin, begin + count, take, std::vector<int64_t>(dims, 1), std::vector<int64_t>(dims, 1)};
  for (size_t dim = dims - 1; dim > 0; --dim) {
    walk.in_part_step[dim - 1] = walk.in_part_step[dim] * part.shape[dim];
    walk.in_whole_step[dim - 1] = walk.in_whole_step[dim] * part.whole[dim];
    if (walk.last == 0 && part.shape[dim] != part.whole[dim]) walk.last = dim;
  }
  if (part.numel() > 0) walk.walk(0, 0, 0);
}

}  // namespace ringside::inline planner
