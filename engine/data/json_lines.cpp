// JSON Lines. A text is written over its own line, so that the file's own memory is that of the texts.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "collector.h"
#include "ringside/base/check.h"
#include "ringside/base/json.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"

namespace ringside::inline data {
namespace {

// Of each key; whole numbers, true and false as they are written. Objects within are passed over; at most 32
// deep, 10,000 values. JsonRejected naming the key.
std::vector<std::string> texts_in(std::string_view object, const std::vector<std::string>& keys) {
  const Json json = parse_json(object, {object.size(), 32, 10'000});
  const JsonObject fields(json);
  std::vector<std::string> texts;
  for (const std::string& key : keys) {
    const Json* const value = fields.find(key);
    if (value == nullptr) {
      std::string there;
      for (const auto& item : json.items()) there += (there.empty() ? "" : ", ") + item.key();
      throw JsonRejected("no '{}'; its keys are {}; {}", as_typed(key), as_typed(there, kPathColumns),
                         kNameColumns);
    }
    const bool whole = value->is_number_integer() || value->is_boolean();
    if (!whole && !value->is_string())
      throw JsonRejected("'{}' is neither a text nor a whole number, true or false", as_typed(key));
    texts.push_back(whole ? value->dump() : value->get<std::string>());
  }
  return texts;
}

}  // namespace

Labelled read_json_lines(const LabelledSource& source) {
  std::deque<std::string> bytes;
  std::string& all = bytes.emplace_back(read_source(source.path, source.limits));
  Collector collector(source);
  std::vector<std::string> keys = {source.text};
  if (!source.label.empty()) keys.push_back(source.label);
  size_t begin = all.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (begin < all.size()) {
    const size_t end = std::min(all.find('\n', begin), all.size());
    const std::string_view line = std::string_view(all).substr(begin, end - begin);
    ++collector.line;
    if (!trimmed(line).empty()) {
      ++collector.row;
      const size_t most = 2 * source.limits.text_bytes;
      if (line.size() > most)
        collector.refuse(fmt::format("a line of {} bytes, allowed are {}", format_count(std::ssize(line)),
                                     format_count(int64_t(most))));
      std::vector<std::string> texts;
      try {
        texts = texts_in(line, keys);
      } catch (const JsonRejected& rejected) {
        collector.refuse(rejected.why);
      }
      const std::string& text = texts[0];
      RINGSIDE_CHECK(text.size() <= line.size(), "an escape is longer than the letter it stands for");
      std::ranges::copy(text, all.begin() + int64_t(begin));
      collector.add(line.substr(0, text.size()), texts.back());
    }
    begin = end + 1;
  }
  return collector.take(std::move(bytes));
}

}  // namespace ringside::inline data
