// A lesson's parameters that are fields of a configuration (base/field.h): declared by the configuration,
// offered under the same name, and read back into it.
#pragma once

#include <algorithm>
#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include "ringside/base/check.h"
#include "ringside/base/field.h"
#include "ringside/lesson/parameter_specs.h"

namespace ringside::inline kit {

ParameterSpec spec_of(const Field& field, bool value);     // on or off
ParameterSpec spec_of(const Field& field, int64_t value);  // value: the default
ParameterSpec spec_of(const Field& field, double value);
ParameterSpec spec_of(const Field& field, const std::string& value);
template <NamedEnum E>
ParameterSpec spec_of(const Field& field, E value) {
  const auto known = texts(value);
  return choice(field.name, field.meaning, std::string(to_string(value)), {known.begin(), known.end()});
}

// One a field, but for those that the lesson does without or declares itself.
template <typename T>
std::vector<ParameterSpec> specs_of_fields(const std::vector<std::string>& but = {}) {
  std::vector<ParameterSpec> specs;
  const T defaults;
  visit_fields(defaults, [&](const Field& field, const auto& value) {
    using V = std::remove_cvref_t<decltype(value)>;
    if (std::ranges::find(but, field.name) != but.end()) return;
    if constexpr (std::integral<V> && !std::same_as<V, bool>)
      specs.push_back(spec_of(field, int64_t(value)));
    else
      specs.push_back(spec_of(field, value));
  });
  return specs;
}

template <typename T>
ParameterSpec spec_of_field(const std::string& name) {
  for (ParameterSpec& spec : specs_of_fields<T>())
    if (spec.name == name) return spec;
  RINGSIDE_CHECK(false, "the configuration has no field '" << name << "'");
}

// Reads every field that the scenario has a parameter for, but for those that the lesson declares itself.
template <typename T>
void read_fields(const Config& config, T& fields, const std::vector<std::string>& but = {}) {
  visit_fields(fields, [&](const Field& field, auto& value) {
    using V = std::remove_cvref_t<decltype(value)>;
    const std::string name = field.name;
    if (!config.declares(name) || std::ranges::find(but, name) != but.end()) return;
    if constexpr (std::same_as<V, bool>)
      value = config.is_on(name);
    else if constexpr (std::same_as<V, std::string>)
      value = config.text(name);
    else if constexpr (NamedEnum<V>)
      value = from_text<V>(config.text(name)).value();
    else if constexpr (std::integral<V>)
      value = static_cast<V>(config.integer(name));
    else
      value = config.real(name);
  });
}

}  // namespace ringside::inline kit
