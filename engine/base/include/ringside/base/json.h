// Reading JSON that anyone may have written: size, depth, number of values, kinds and ranges are checked
// before anything is believed. What is wrong is a JsonRejected; the reader of a file adds which file, and
// throws an InputError.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace ringside::inline base {

using Json = nlohmann::json;

struct JsonRejected {
  std::string why;
  explicit JsonRejected(std::string reason) : why(std::move(reason)) {}
  template <typename... Args>
  explicit JsonRejected(fmt::format_string<Args...> reason, Args&&... args)
      : why(fmt::format(reason, std::forward<Args>(args)...)) {}
};

struct JsonLimits {
  size_t bytes;
  int depth;               // brackets inside each other
  size_t values;           // at one time
  size_t text = SIZE_MAX;  // bytes of one text, as it is written
};

// Shown each object once it is complete; where it returns true the object is left out of its array, so that a
// long list of records never exists as a whole. (In an object null stands in its place.)
using TakeObject = std::function<bool(Json&)>;
// Throws JsonRejected for what is no JSON, for a key that stands twice in one object, and over a limit.
Json parse_json(std::string_view text, const JsonLimits& limits, const TakeObject& take = {});
// Whether a text in it is longer, as it is written: the library has each twice before it shows it.
bool has_longer_text(std::string_view json, size_t most);

// A value on its own, named `key` in messages. An integer in [low, high]; a text of at most `most` bytes.
int64_t json_integer(const Json& value, std::string_view key, int64_t low, int64_t high);
double json_number(const Json& value, std::string_view key, double low, double high);  // finite
const std::string& json_text(const Json& value, std::string_view key, size_t most = SIZE_MAX);
bool json_flag(const Json& value, std::string_view key);

// One object. A key that is absent, or null, has the value `otherwise`; without one it is rejected. It refers
// to the Json, which must outlive it.
class JsonObject {
 public:
  explicit JsonObject(const Json& value, std::string_view key = "");

  size_t size() const { return json_.size(); }
  const Json* find(std::string_view key) const;  // nullptr: absent or null
  const Json& at(std::string_view key) const;

  int64_t integer(std::string_view key, int64_t low, int64_t high,
                  std::optional<int64_t> otherwise = {}) const;
  const std::string& text(std::string_view key, size_t most = SIZE_MAX) const;
  std::string text_or_empty(std::string_view key, size_t most = SIZE_MAX) const;
  bool flag(std::string_view key, std::optional<bool> otherwise = {}) const;
  const Json& array(std::string_view key, size_t least, size_t most) const;
  JsonObject object(std::string_view key) const;
  // The place in `names` of the text `key`.
  size_t choice(std::string_view key, std::span<const std::string_view> names,
                std::optional<size_t> otherwise = {}) const;

  // Rejects a key that is none of these.
  void allow(std::initializer_list<std::string_view> keys) const;

 private:
  const Json& json_;
};

}  // namespace ringside::inline base
