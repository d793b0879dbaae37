#include "chinese_words.h"

#include <algorithm>
#include <map>

#include "ringside/base/error.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/lesson_text.h"

namespace ringside::inline kit {
namespace {

using Table = std::map<std::string, std::string, std::less<>>;

constexpr std::pair<std::string_view, std::string_view> kEveryday[] = {
#include "chinese_words.inc"
};

// "全归约（all-reduce）" and "训练模式，评估模式" without what stands in brackets, one by one.
void add_term(Table& all, const Term& term) {
  const std::string_view cell = term.chinese;
  const std::string_view whole = cell.substr(0, cell.find("（"));
  if (whole.empty() || whole.find("，") != whole.npos) return;
  all.emplace(whole, term.word);
}

Table all_words() {
  Table all;
  for (const auto& [chinese, english] : kEveryday) all.emplace(chinese, english);
  try {
    for (const FrontMatter& lesson : lesson_catalogue())
      for (const Term& term : terms_of(lesson.text)) add_term(all, term);
  } catch (const MissingError&) {  // no folder of lessons
  }
  return all;
}

}  // namespace

ChineseWord chinese_word_at(std::string_view text) {
  static const Table kWords = all_words();
  static const size_t kMostBytes =
      std::ranges::max_element(kWords, {}, [](const auto& word) { return word.first.size(); })->first.size();
  for (size_t bytes = std::min(kMostBytes, text.size()); bytes > 0; --bytes)
    if (const auto found = kWords.find(text.substr(0, bytes)); found != kWords.end())
      return {bytes, found->second};
  return {};
}

}  // namespace ringside::inline kit
