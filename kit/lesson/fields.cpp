#include "ringside/lesson/fields.h"

#include "parameter_value.h"

namespace ringside::inline kit {
namespace {

ParameterSpec number_spec(const Field& field, ParameterKind kind, const std::string& value) {
  ParameterSpec spec =
      number(field.name, field.meaning, field.unit, value, field.minimum, field.maximum, kind);
  spec.default_value = canonical_value(spec, value);
  return spec;
}

}  // namespace

ParameterSpec spec_of(const Field& field, bool value) {
  return choice(field.name, field.meaning, value ? "on" : "off", {"on", "off"});
}

ParameterSpec spec_of(const Field& field, int64_t value) {
  const ParameterKind kind = field.is_count ? ParameterKind::kCount : ParameterKind::kInteger;
  return number_spec(field, kind, std::to_string(value));
}

ParameterSpec spec_of(const Field& field, double value) {
  return number_spec(field, ParameterKind::kReal, std::to_string(value));
}

ParameterSpec spec_of(const Field& field, const std::string& value) {
  return text(field.name, field.meaning, value, {});
}

}  // namespace ringside::inline kit
