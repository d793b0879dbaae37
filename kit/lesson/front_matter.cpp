#include "ringside/lesson/front_matter.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/text_blocks.h"

namespace ringside::inline kit {
namespace {

const std::vector<std::string> kRequired = {"id", "title", "order", "track", "questions"};
const std::string kEngine = "engine", kShort = "short";
constexpr size_t kShortLetters = 9;

// Takes one line off the front of `rest`, without its end.
std::string_view take_line(std::string_view& rest) {
  const size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

using Keys = std::map<std::string, std::string>;

[[noreturn]] void reject(const Keys& keys, const std::string& why) {
  const auto id = keys.find("id");
  throw InputError("lesson.md" + (id == keys.end() ? "" : " of lesson '" + id->second + "'") + ": " + why);
}

// Reads "key: value" lines up to the closing "---" and leaves the text in `rest`.
Keys read_keys(std::string_view& rest) {
  Keys keys;
  if (take_line(rest) != "---") reject(keys, "the first line must be ---");
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (line == "---") return keys;
    if (trimmed(line).empty()) continue;
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos)
      reject(keys, "expected 'key: value', not '" + std::string(line) + "'");
    const std::string key(trimmed(line.substr(0, colon)));
    if (!keys.emplace(key, trimmed(line.substr(colon + 1))).second)
      reject(keys, "'" + key + "' is given twice");
  }
  reject(keys, "the front matter must end with a line ---");
}

void check_keys(const Keys& keys) {
  for (const std::string& key : kRequired) {
    const auto found = keys.find(key);
    const bool may_be_empty = key == "questions";
    if (found == keys.end()) reject(keys, "the key '" + key + "' is missing");
    if (found->second.empty() && !may_be_empty) reject(keys, "the key '" + key + "' has no value");
  }
  std::vector<std::string> known = kRequired;
  known.insert(known.end(), {kEngine, kShort});
  for (const auto& [key, value] : keys) {
    if (std::ranges::find(known, key) == known.end())
      reject(keys, "unknown key '" + key + "'" + suggestion(key, known));
    if (key == kEngine && value != "torch-free" && value != "torch")  // which CMake reads
      reject(keys, "engine '" + value + "': allowed are torch-free and torch");
  }
}

int read_order(const Keys& keys) {
  const std::string& text = keys.at("order");
  int order = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), order);
  if (error != std::errc{} || stop != text.data() + text.size())
    reject(keys, "order '" + text + "' is no integer");
  return order;
}

// Where none is given, the id stands there.
std::string read_short_name(const Keys& keys) {
  const auto given = keys.find(kShort);
  if (given == keys.end()) return keys.at("id");
  if (given->second.empty() || columns(given->second) > kShortLetters)
    reject(keys, "short '" + given->second + "': allowed are 1 to 9 letters");
  return given->second;
}

}  // namespace

FrontMatter parse_front_matter(std::string_view document) {
  const Keys keys = read_keys(document);
  check_keys(keys);
  FrontMatter matter;
  matter.id = keys.at("id");
  matter.title = keys.at("title");
  matter.track = keys.at("track");
  matter.short_name = read_short_name(keys);
  matter.order = read_order(keys);
  matter.questions = parted(keys.at("questions"), ',');
  std::erase(matter.questions, "");
  matter.text = document;
  return matter;
}

}  // namespace ringside::inline kit
