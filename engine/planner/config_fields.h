// The fields of a config.json, flat: "hidden_size", "vision_config.depth". Only what stands at the top or
// in an object at the top has a name; the rest is read past.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ringside {

class ConfigFields {
 public:
  // InputError: not JSON, no object, too deep, a key that stands twice in one object.
  ConfigFields(const std::string& json, std::string source);

  struct Range {
    int64_t least, most;
  };
  bool has(const std::string& name) const;  // and is not null
  // InputError for another type, a fraction, or a number out of range.
  std::optional<int64_t> integer(const std::string& name, Range range) const;
  int64_t required_integer(const std::string& name, Range range) const;
  std::optional<bool> boolean(const std::string& name) const;
  std::string required_text(const std::string& name) const;
  bool is_object(const std::string& name) const;  // InputError where it is there and something else

  [[noreturn]] void reject(const std::string& name, const std::string& why) const;

 private:
  friend class ConfigReader;
  enum class Kind { kNull, kBoolean, kInteger, kNumber, kText, kObject, kArray };
  struct Value {
    Kind kind = Kind::kNull;
    int64_t number = 0;  // kInteger, kBoolean
    std::string text;    // kText
  };
  const Value* find(const std::string& name) const;  // null where it is missing or null

  std::string source_;
  std::map<std::string, Value> values_;
};

}  // namespace ringside
