#include "ringside/base/json.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "ringside/base/text.h"

namespace ringside {
namespace {

// Called for each piece of the text, in order: nothing is kept before its size is known to be allowed.
class Bounds {
 public:
  explicit Bounds(const JsonLimits& limits) : limits_(limits) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& value) {
    using Event = Json::parse_event_t;
    const bool opens = event == Event::object_start || event == Event::array_start;
    if (depth + (opens ? 1 : 0) > limits_.depth) throw JsonRejected("nested deeper than {}", limits_.depth);
    if ((opens || event == Event::value) && ++values_ > limits_.values)
      throw JsonRejected("more than {} values", limits_.values);
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end) keys_.pop_back();
    if (event == Event::key && !keys_.back().insert(value.get<std::string>()).second)
      throw JsonRejected("the key '{}' stands twice", as_typed(value.get_ref<const std::string&>()));
    return true;
  }

 private:
  const JsonLimits& limits_;
  size_t values_ = 0;
  std::vector<std::set<std::string>> keys_;  // of the objects that are open
};

}  // namespace

Json parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) throw JsonRejected("more than {} bytes", limits.bytes);
  try {
    return Json::parse(text, Bounds(limits));
  } catch (const Json::parse_error& error) {
    throw JsonRejected("not JSON from byte {} on", error.byte);
  } catch (const Json::exception&) {
    throw JsonRejected("not JSON: a number is out of range");
  }
}

int64_t json_integer(const Json& value, std::string_view key, int64_t low, int64_t high) {
  if (!value.is_number_integer())
    throw JsonRejected("{}: not a whole number, allowed are {} to {}", key, low, high);
  const bool huge = value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX};
  if (huge || value.get<int64_t>() < low || value.get<int64_t>() > high)
    throw JsonRejected("{}: {} is outside {} to {}", key, value.dump(), low, high);
  return value.get<int64_t>();
}

double json_number(const Json& value, std::string_view key, double low, double high) {
  if (!value.is_number()) throw JsonRejected("{}: not a number, allowed are {} to {}", key, low, high);
  const auto number = value.get<double>();
  if (!std::isfinite(number) || number < low || number > high)
    throw JsonRejected("{}: {} is outside {} to {}", key, value.dump(), low, high);
  return number;
}

const std::string& json_text(const Json& value, std::string_view key, size_t most) {
  if (!value.is_string()) throw JsonRejected("{}: not a text", key);
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > most) throw JsonRejected("{}: longer than {} bytes", key, most);
  return text;
}

bool json_flag(const Json& value, std::string_view key) {
  if (!value.is_boolean()) throw JsonRejected("{}: neither true nor false", key);
  return value.get<bool>();
}

JsonObject::JsonObject(const Json& value, std::string_view key) : json_(value) {
  if (!value.is_object())
    throw JsonRejected("{}not a JSON object", key.empty() ? "" : fmt::format("{}: ", key));
}

const Json* JsonObject::find(std::string_view key) const {
  const auto found = json_.find(key);
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

const Json& JsonObject::at(std::string_view key) const {
  if (const Json* value = find(key)) return *value;
  throw JsonRejected("no '{}'", key);
}

int64_t JsonObject::integer(std::string_view key, int64_t low, int64_t high,
                            std::optional<int64_t> otherwise) const {
  return otherwise && find(key) == nullptr ? *otherwise : json_integer(at(key), key, low, high);
}

const std::string& JsonObject::text(std::string_view key, size_t most) const {
  return json_text(at(key), key, most);
}

std::string JsonObject::text_or_empty(std::string_view key, size_t most) const {
  return find(key) == nullptr ? "" : text(key, most);
}

bool JsonObject::flag(std::string_view key, std::optional<bool> otherwise) const {
  return otherwise && find(key) == nullptr ? *otherwise : json_flag(at(key), key);
}

const Json& JsonObject::array(std::string_view key, size_t least, size_t most) const {
  const Json& value = at(key);
  if (!value.is_array()) throw JsonRejected("{}: not an array", key);
  if (value.size() < least || value.size() > most)
    throw JsonRejected("{}: {} values, allowed are {} to {}", key, value.size(), least, most);
  return value;
}

JsonObject JsonObject::object(std::string_view key) const { return JsonObject(at(key), key); }

size_t JsonObject::choice(std::string_view key, std::span<const std::string_view> names,
                          std::optional<size_t> otherwise) const {
  if (otherwise && find(key) == nullptr) return *otherwise;
  if (find(key) == nullptr) throw JsonRejected("no '{}'; allowed are {}", key, fmt::join(names, ", "));
  const std::string& name = text(key);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw JsonRejected("{}: '{}' is not known; allowed are {}", key, as_typed(name), fmt::join(names, ", "));
  return static_cast<size_t>(found - names.begin());
}

void JsonObject::allow(std::initializer_list<std::string_view> keys) const {
  for (const auto& item : json_.items())
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end())
      throw JsonRejected("unknown key '{}'; allowed are {}", as_typed(item.key()), fmt::join(keys, ", "));
}

}  // namespace ringside
