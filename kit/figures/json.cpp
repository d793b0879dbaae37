#include "ringside/figures/json.h"

#include <cmath>

#include "kinds.h"
#include "ringside/base/field.h"
#include "ringside/figures/instant.h"

namespace ringside::figure {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json json_of(const T& value);

// The members of a part, put into one object.
struct Members {
  Json& object;

  template <typename T, typename... More>
  void operator()(const char* name, const T& value, const More&... more) const {
    put(name, value);
    if constexpr (sizeof...(more) > 0) (*this)(more...);
  }

  template <typename T>
  void put(const char* name, const T& value) const {
    object[name] = json_of(value);
  }
  template <typename T>
  void put(const char* name, const MayLack<T>& member) const {
    if (!member.lacks()) object[name] = json_of(member.value);
  }
  // As series of the same document: x and y apart.
  void put(const char*, const std::vector<Point>& points) const {
    for (const auto& [name, of] : {std::pair("x", &Point::x), {"y", &Point::y}}) {
      object[name] = Json::array();
      for (const Point& point : points) object[name].push_back(json_of(point.*of));
    }
  }
};

template <typename T>
Json json_of(const T& value) {
  Json json;
  if constexpr (std::floating_point<T>) {
    if (std::isfinite(value)) json = value;
  } else if constexpr (std::is_enum_v<T>) {
    json = to_string(value);
  } else if constexpr (requires { value.has_value(); }) {
    if (value) json = json_of(*value);
  } else if constexpr (std::integral<T> || std::same_as<T, std::string>) {
    json = value;
  } else if constexpr (requires { value.begin(); }) {
    json = Json::array();
    for (const auto& one : value) json.push_back(json_of(one));
  } else {
    visit_members(value, Members{json});
  }
  return json;
}

}  // namespace

const char* kind_of(const Value& value) { return kKindNames[value.index()]; }

Json value_json(const Value& value) {
  return std::visit([](const auto& kind) { return json_of(kind); }, value);
}

Json to_json(const Lesson& lesson, const FigureSpec& spec, const FigureInput& input) {
  const Thinned figure = thinned(compute(lesson, spec, input), kJsonPoints);
  Json instant;
  if (input.section != nullptr) {
    const TimeRange range = time_range(*input.section);  // none: it has recorded rows alone
    const int64_t since_ns = range.length() == 0 ? 0 : input.time_ns - range.first;
    instant = {{"section", input.section->name()}, {"time", double(since_ns) / 1e9}};
  }
  return {{"id", spec.id},
          {"title", spec.title},
          {"kind", kind_of(figure.value)},
          {"sentence", sentence(lesson, spec, input)},
          {"instant", instant},
          {"left_out", figure.left_out},
          {"value", value_json(figure.value)}};
}

}  // namespace ringside::figure
