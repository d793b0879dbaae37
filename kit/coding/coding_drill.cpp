#include "coding_drill.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/lesson/suggest.h"

namespace ringside::coding {
namespace {

constexpr double kTolerance = 1e-7;

bool is_number(const Json& value) {
  return value.is_number() || value == "nan" || value == "inf" || value == "-inf";
}

}  // namespace

const std::vector<CodingDrill>& coding_drills() {
  static const std::vector<CodingDrill> all = [] {
    std::vector<CodingDrill> list;
    for (auto* of_file : {drills_on_ranks, drills_of_updates, drills_of_layers, drills_of_orders})
      for (CodingDrill& drill : of_file()) list.push_back(std::move(drill));
    return list;
  }();
  return all;
}

const CodingDrill& find_coding_drill(const std::string& id) {
  std::vector<std::string> known;
  for (const CodingDrill& drill : coding_drills()) {
    if (drill.id == id) return drill;
    known.push_back(drill.id);
  }
  throw UsageError(no_such("drill", id, known));
}

bool same(const Json& expected, const Json& got) {
  if (expected.is_null()) return true;
  if (expected.is_array()) {
    if (!got.is_array() || got.size() != expected.size()) return false;
    for (size_t i = 0; i < got.size(); ++i)
      if (!same(expected[i], got[i])) return false;
    return true;
  }
  if (!is_number(expected) || !is_number(got)) return expected == got;
  const double a = number_of(expected), b = number_of(got);
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b || (std::isnan(a) && std::isnan(b));
  return std::abs(a - b) <= kTolerance * std::max(1e-3, std::abs(a));
}

double number_of(const Json& value) {
  return value.is_string() ? std::strtod(value.get_ref<const std::string&>().c_str(), nullptr)
                           : value.get<double>();
}
Vector vector_of(const Json& value) {
  Vector values;
  for (const Json& one : value) values.push_back(number_of(one));
  return values;
}
Matrix matrix_of(const Json& value) {
  Matrix rows;
  for (const Json& one : value) rows.push_back(vector_of(one));
  return rows;
}
Json json_of(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}
Json json_of(const Vector& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(json_of(value));
  return list;
}
Json json_of(const Matrix& rows) {
  Json list = Json::array();
  for (const Vector& row : rows) list.push_back(json_of(row));
  return list;
}

Vector drawn(size_t count, uint64_t seed) {
  RandomStream stream(seed, "coding drill");
  Vector values(count);
  for (double& value : values) value = double(stream.below(17)) / 4 - 2;
  return values;
}
Matrix drawn(size_t rows, size_t count, uint64_t seed) {
  Matrix all;
  for (size_t row = 0; row < rows; ++row) all.push_back(drawn(count, 100 * seed + row));
  return all;
}

}  // namespace ringside::coding
