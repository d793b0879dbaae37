#include "ringside/base/json.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ringside/base/text.h"

namespace ringside::inline base {
namespace {

// Builds the value from the pieces of the text, in order: nothing is kept before its size is known to be
// allowed. (The library's own callback looks at all of a container each time that one in it ends.)
class Builder final : public Json::json_sax_t {
 public:
  Builder(const JsonLimits& limits, const TakeObject& take) : limits_(limits), take_(take) {}
  Json result;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& value) override { return false; }
  bool start_object(size_t) override { return open(Json::object()); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool end_object() override {
    if (take_ && take_(open_.back())) open_.back() = nullptr;
    return close(open_.back().is_null());
  }
  bool end_array() override { return close(false); }
  bool key(string_t& name) override {
    if (open_.back().contains(name)) throw JsonRejected("the key '{}' stands twice", as_typed(name));
    open_.back()[name] = nullptr;
    keys_.push_back(std::move(name));
    return true;
  }
  bool parse_error(size_t byte, const std::string&, const Json::exception& error) override {
    constexpr int kParseErrors = 200;  // below it; a number that is out of range is above
    if (error.id >= kParseErrors) throw JsonRejected("not JSON: a number is out of range");
    throw JsonRejected("not JSON from byte {} on", byte);
  }

 private:
  void count() {
    if (++values_ > limits_.values) throw JsonRejected("more than {} values", limits_.values);
  }
  bool open(Json container) {
    if (int(open_.size()) + 1 > limits_.depth) throw JsonRejected("nested deeper than {}", limits_.depth);
    before_.push_back(values_);
    count();
    open_.push_back(std::move(container));
    return true;
  }
  bool add(Json value) {
    count();
    put(std::move(value));
    return true;
  }
  bool close(bool taken) {
    Json whole = std::move(open_.back());
    open_.pop_back();
    if (taken) values_ = before_.back();
    before_.pop_back();
    const bool of_array = !open_.empty() && open_.back().is_array();
    if (!taken || !of_array) put(std::move(whole));
    return true;
  }
  void put(Json value) {
    if (open_.empty()) {
      result = std::move(value);
    } else if (open_.back().is_array()) {
      open_.back().push_back(std::move(value));
    } else {
      open_.back()[keys_.back()] = std::move(value);
      keys_.pop_back();
    }
  }

  const JsonLimits& limits_;
  const TakeObject& take_;
  size_t values_ = 0;              // that exist
  std::vector<size_t> before_;     // each container that has not ended
  std::vector<Json> open_;         // these containers
  std::vector<std::string> keys_;  // of those of them that are objects
};

}  // namespace

bool has_longer_text(std::string_view json, size_t most) {
  size_t begin = 0;  // behind the quote of the text that is open; 0: none is
  for (size_t at = 0; at < json.size(); ++at) {
    if (begin > 0 && at - begin > most) return true;
    if (json[at] == '\\')
      ++at;
    else if (json[at] == '"')
      begin = begin > 0 ? 0 : at + 1;
  }
  return false;
}

Json parse_json(std::string_view text, const JsonLimits& limits, const TakeObject& take) {
  if (text.size() > limits.bytes) throw JsonRejected("more than {} bytes", limits.bytes);
  if (limits.text < text.size() && has_longer_text(text, limits.text))
    throw JsonRejected("a text is longer than {} bytes", limits.text);
  Builder builder(limits, take);
  Json::sax_parse(text, &builder);
  return std::move(builder.result);
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
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw JsonRejected("{}: '{}' is not known; allowed are {}", key, as_typed(name), fmt::join(names, ", "));
  return size_t(found - names.begin());
}

void JsonObject::allow(std::initializer_list<std::string_view> keys) const {
  for (const auto& item : json_.items())
    if (std::ranges::find(keys, item.key()) == keys.end())
      throw JsonRejected("unknown key '{}'; allowed are {}", as_typed(item.key()), fmt::join(keys, ", "));
}

}  // namespace ringside::inline base
