// JSON Lines. A text is written over its own line, so that the file's own memory is that of the texts.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "collector.h"
#include "ringside/base/check.h"
#include "ringside/base/json_texts.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"

namespace ringside::inline data {
namespace {}  // namespace

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
                                     format_count(static_cast<int64_t>(most))));
      JsonTexts object = json_texts(line, keys);
      if (!object.why.empty()) collector.refuse(object.why);
      const std::string& text = object.texts[0];
      RINGSIDE_CHECK(text.size() <= line.size(), "an escape is longer than the letter it stands for");
      std::ranges::copy(text, all.begin() + static_cast<int64_t>(begin));
      collector.add(line.substr(0, text.size()), object.texts.back());
    }
    begin = end + 1;
  }
  return collector.take(std::move(bytes));
}

}  // namespace ringside::inline data
