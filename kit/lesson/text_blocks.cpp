#include "ringside/lesson/text_blocks.h"

#include <algorithm>
#include <sstream>

#include "ringside/base/check.h"
#include "ringside/base/text.h"
#include "ringside/lesson/tr.h"

namespace ringside::inline kit {

std::string TextBlock::text(std::string_view field) const {
  const std::vector<std::string> found = all(field);
  return found.empty() ? "" : found.front();
}
std::vector<std::string> TextBlock::all(std::string_view field) const {
  std::vector<std::string> found;
  for (const auto& [name, value] : fields)
    if (name == field) found.emplace_back(translated(value));
  return found;
}
std::vector<std::string> TextBlock::words(std::string_view field) const {
  std::vector<std::string> found;
  std::istringstream in(text(field));
  for (std::string word; in >> word;) found.push_back(word);
  return found;
}
bool TextBlock::has(std::string_view field) const { return !all(field).empty(); }

TextBlocks::TextBlocks(std::string_view text) {
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    if (line.starts_with('[')) {
      const std::string heading = line.substr(1, line.find(']') - 1);
      const size_t kind = heading.find(' ');
      blocks_.push_back({kind == heading.npos ? "" : heading.substr(0, kind),
                         kind == heading.npos ? heading : heading.substr(kind + 1),
                         {}});
      continue;
    }
    RINGSIDE_CHECK(!blocks_.empty(), "a field without a block: " << line);
    auto& fields = blocks_.back().fields;
    if (line.starts_with(' ')) {
      RINGSIDE_CHECK(!fields.empty(), "a line that goes on, and nothing before it: " << line);
      fields.back().second.append(" ").append(trimmed(line));
      continue;
    }
    const size_t end = std::min(line.find(' '), line.size());
    fields.emplace_back(line.substr(0, end), trimmed(std::string_view(line).substr(end)));
  }
}

const TextBlock& TextBlocks::operator[](std::string_view id) const {
  const auto found = std::ranges::find_if(blocks_, [&](auto& one) { return one.id == id; });
  RINGSIDE_CHECK(found != blocks_.end(), "there is no block '" << id << "'");
  return *found;
}

std::vector<std::string> parted(std::string_view text, char by) {
  std::vector<std::string> parts;
  std::istringstream in{std::string(text)};
  for (std::string part; std::getline(in, part, by);) parts.emplace_back(trimmed(part));
  return parts;
}

std::string filled(std::string text, const std::function<std::string(const std::string&)>& value) {
  for (size_t at = text.find('{'); at != text.npos; at = text.find('{', at)) {
    const size_t end = text.find('}', at);
    RINGSIDE_CHECK(end != text.npos, "'" << text << "': a { without a }");
    const std::string here = value(text.substr(at + 1, end - at - 1));
    text.replace(at, end + 1 - at, here);
    at += here.size();
  }
  return text;
}

std::string cut_behind(std::string& text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == text.npos) return "";
  const std::string behind = text.substr(at + mark.size());
  text.erase(at);
  return behind;
}

}  // namespace ringside::inline kit
