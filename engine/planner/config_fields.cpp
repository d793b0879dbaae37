#include "config_fields.h"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "ringside/base/error.h"
#include "ringside/base/units.h"
#include "ringside/planner/model_config.h"

namespace ringside {

// Called by nlohmann's parser for each piece of the text. It keeps no recursion of its own, so that the
// depth is bounded here and nowhere else.
class ConfigReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit ConfigReader(ConfigFields& fields) : fields_(fields) {}
  std::string problem;

  bool null() override { return keep({}); }
  bool boolean(bool value) override { return keep({ConfigFields::Kind::kBoolean, value ? 1 : 0, {}}); }
  bool number_integer(number_integer_t value) override {
    return keep({ConfigFields::Kind::kInteger, value, {}});
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<uint64_t>(INT64_MAX)) return keep({ConfigFields::Kind::kNumber, 0, {}});
    return keep({ConfigFields::Kind::kInteger, static_cast<int64_t>(value), {}});
  }
  bool number_float(number_float_t, const string_t&) override {
    return keep({ConfigFields::Kind::kNumber, 0, {}});
  }
  bool string(string_t& value) override { return keep({ConfigFields::Kind::kText, 0, value}); }
  bool binary(binary_t&) override { return fail("binary data"); }
  bool start_object(std::size_t) override { return open(ConfigFields::Kind::kObject); }
  bool start_array(std::size_t) override { return open(ConfigFields::Kind::kArray); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!levels_.back().keys.insert(name).second) return fail("the key \"" + shown(name) + "\" stands twice");
    levels_.back().key = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    return fail("not JSON from byte " + std::to_string(position) + " on");
  }

 private:
  struct Level {
    bool is_object;
    std::string key;
    std::set<std::string> keys;
  };

  static std::string shown(const std::string& name) {
    constexpr size_t kMost = 60;
    return name.size() <= kMost ? name : name.substr(0, kMost) + "...";
  }
  bool fail(const std::string& why) {
    if (problem.empty()) problem = why;
    return false;
  }
  bool open(ConfigFields::Kind kind) {
    if (levels_.size() >= static_cast<size_t>(kMostConfigDepth))
      return fail("more than " + std::to_string(kMostConfigDepth) + " brackets deep");
    keep({kind, 0, {}});
    levels_.push_back({kind == ConfigFields::Kind::kObject, {}, {}});
    return levels_.size() > 1 || levels_[0].is_object || fail("not an object {...}");
  }
  bool close() {
    levels_.pop_back();
    return true;
  }
  bool keep(ConfigFields::Value value) {
    if (levels_.empty()) return value.kind == ConfigFields::Kind::kObject || fail("not an object {...}");
    for (const Level& level : levels_)
      if (!level.is_object) return true;
    // A dot in a key must not make it look like a field of an inner object.
    if (levels_.size() > 2 || levels_[0].key.find('.') != std::string::npos) return true;
    const std::string inner = levels_.size() == 2 ? "." + levels_[1].key : "";
    fields_.values_[levels_[0].key + inner] = std::move(value);
    return true;
  }

  ConfigFields& fields_;
  std::vector<Level> levels_;
};

ConfigFields::ConfigFields(const std::string& json, std::string source) : source_(std::move(source)) {
  ConfigReader reader(*this);
  if (nlohmann::json::sax_parse(json, &reader)) return;
  throw InputError(source_ + ": " + reader.problem + "; expected the config.json of a model");
}

const ConfigFields::Value* ConfigFields::find(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.kind == Kind::kNull ? nullptr : &found->second;
}

void ConfigFields::reject(const std::string& name, const std::string& why) const {
  throw InputError(source_ + ": " + name + ": " + why);
}

bool ConfigFields::has(const std::string& name) const { return find(name) != nullptr; }

std::optional<int64_t> ConfigFields::integer(const std::string& name, Range range) const {
  const Value* value = find(name);
  if (!value) return {};
  const std::string allowed =
      "allowed are integers from " + format_count(range.least) + " to " + format_count(range.most);
  if (value->kind != Kind::kInteger) reject(name, "not an integer of 64 bits; " + allowed);
  if (value->number < range.least || value->number > range.most)
    reject(name, std::to_string(value->number) + "; " + allowed);
  return value->number;
}

int64_t ConfigFields::required_integer(const std::string& name, Range range) const {
  if (const auto value = integer(name, range)) return *value;
  reject(name, "missing; allowed are integers from " + format_count(range.least) + " to " +
                   format_count(range.most));
}

std::optional<bool> ConfigFields::boolean(const std::string& name) const {
  const Value* value = find(name);
  if (!value) return {};
  if (value->kind != Kind::kBoolean) reject(name, "allowed are true and false");
  return value->number != 0;
}

std::string ConfigFields::required_text(const std::string& name) const {
  const Value* value = find(name);
  if (!value || value->kind != Kind::kText) reject(name, value ? "not a text" : "missing");
  return value->text;
}

bool ConfigFields::is_object(const std::string& name) const {
  const Value* value = find(name);
  if (value && value->kind != Kind::kObject) reject(name, "not an object {...}");
  return value != nullptr;
}

}  // namespace ringside
