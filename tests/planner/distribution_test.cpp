// The one declaration of how a training is distributed, as everything that derives from it sees it.
#include <set>
#include <string>

#include "catch.h"
#include "ringside/planner/distribution.h"

using namespace ringside;

namespace {

// Stands for a value of any type, so that an aggregate can be tried with n of them.
struct Any {
  template <typename T>
  operator T() const;
};

template <typename T, typename... Values>
constexpr size_t count_fields() {
  if constexpr (requires { T{Values{}..., Any{}}; })
    return count_fields<T, Values..., Any>();
  else
    return sizeof...(Values);
}

}  // namespace

TEST_CASE("every field has a name of its own, words, and a default within its range") {
  std::set<std::string> names;
  const Distribution distribution;
  visit_fields(distribution, [&](const Field& field, const auto& value) {
    INFO(field.name);
    CHECK(names.insert(field.name).second);
    CHECK(std::string(field.meaning) != "");
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) {
      if (!std::is_same_v<std::remove_cvref_t<decltype(value)>, bool>) {
        CHECK(static_cast<double>(value) >= field.minimum);
        CHECK(static_cast<double>(value) <= field.maximum);
      }
    }
  });
}

// A field that is declared and not visited would be missing from attributes, scenarios and JSON alike.
TEST_CASE("no field is left out: as many are visited as an aggregate of them takes") {
  size_t visited = 0;
  const Distribution distribution;
  visit_fields(distribution, [&](const Field&, const auto&) { ++visited; });
  CHECK(visited == count_fields<Distribution>());
}

TEST_CASE("enumerators and their texts are inverse, and other texts name none") {
  for (const Precision precision : {Precision::kBFloat16, Precision::kFloat32})
    CHECK(from_text<Precision>(to_string(precision)) == precision);
  for (const ReduceMode reduce : {ReduceMode::kReduceScatter, ReduceMode::kAllReduce})
    CHECK(from_text<ReduceMode>(to_string(reduce)) == reduce);
  CHECK(to_string(Precision::kFloat32) == "fp32");
  CHECK(to_string(ReduceMode::kAllReduce) == "all_reduce");
  CHECK(!from_text<Precision>("fp16"));
  CHECK(!from_text<ReduceMode>(""));
}
