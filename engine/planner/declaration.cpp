#include "ringside/planner/declaration.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "ringside/base/check.h"

namespace ringside::inline planner {

int64_t elements_in(const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

int64_t ParameterShape::numel() const { return elements_in(shape); }
int64_t BufferShape::numel() const { return elements_in(shape); }

int64_t count_parameters(const std::vector<ParameterShape>& shapes) {
  int64_t count = 0;
  for (const ParameterShape& shape : shapes) count += shape.numel();
  return count;
}

int64_t count_trainable(const std::vector<ParameterShape>& shapes) {
  int64_t count = 0;
  for (const ParameterShape& shape : shapes) count += shape.trainable ? shape.numel() : 0;
  return count;
}

void Declaration::begin_unit(const std::string& unit, const std::string& prefix) {
  unit_names_.push_back(unit);
  prefix_ = prefix;
}

std::string Declaration::whole_name(const std::string& name) const {
  std::string whole = prefix_ + name;
  const auto has_it = [&](const auto& other) { return other.name == whole; };
  RINGSIDE_CHECK(!unit_names_.empty(), whole << " belongs to no unit");
  const bool is_taken = std::ranges::any_of(shapes_, has_it) || std::ranges::any_of(buffers_, has_it);
  RINGSIDE_CHECK(!is_taken, "declared twice: " << whole);
  return whole;
}

Parameter Declaration::add(const std::string& name, std::vector<int64_t> shape, bool trainable,
                           std::vector<Cut> cuts) {
  const int unit = int(unit_names_.size()) - 1;
  shapes_.push_back({whole_name(name), unit, std::move(shape), trainable, std::move(cuts)});
  return {static_cast<int>(shapes_.size()) - 1};
}

void Declaration::tie(Parameter first, Parameter second) {
  ParameterShape &a = shapes_.at(size_t(first.index)), &b = shapes_.at(size_t(second.index));
  RINGSIDE_CHECK(a.shape == b.shape, a.name << " and " << b.name << " have other shapes");
  a.tied_to = b.tied_to = a.name;
}

void Declaration::place_units(const std::string& over, const std::vector<int>& coordinates) {
  RINGSIDE_CHECK_EQ(coordinates.size(), unit_names_.size());
  for (ParameterShape& shape : shapes_)
    shape.cuts.push_back({.over = over, .at = coordinates[size_t(shape.unit)]});
}

Buffer Declaration::add_buffer(const std::string& name, std::vector<int64_t> shape, double initial,
                               bool rank_local) {
  buffers_.push_back({whole_name(name), std::move(shape), initial, rank_local});
  return {static_cast<int>(buffers_.size()) - 1};
}

}  // namespace ringside::inline planner
