#include "room_desk.h"

#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/lesson/front_matter.h"

namespace ringside::gui {
namespace {

struct Word {
  size_t at, size;
};

// As split_scenario() cuts them: at blanks that are not quoted.
std::vector<Word> words_of(const std::string& line) {
  std::vector<Word> words;
  char quote = 0;
  bool within = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool blank = quote == 0 && (line[i] == ' ' || line[i] == '\t');
    if (!blank && !within) words.push_back({i, 0});
    within = !blank;
    if (blank) continue;
    if (quote != 0 && line[i] == quote)
      quote = 0;
    else if (quote == 0 && (line[i] == '\'' || line[i] == '"'))
      quote = line[i];
    words.back().size = i + 1 - words.back().at;
  }
  return words;
}

bool is_refused(const std::string& id, const std::vector<std::string>& words) {
  try {
    parse_words(find_lesson(id), words);
    return false;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

bool is_lesson(const std::string& id) {
  const auto& lessons = lesson_catalogue();
  return std::ranges::any_of(lessons, [&](const auto& one) { return one.id == id; });
}

Desk::LineMistake mistake_in(const std::string& line, const std::string& why) {
  Desk::LineMistake mistake{line, why, 0, line.size()};
  std::vector<Word> words = words_of(line);
  const auto text = [&](const Word& word) { return line.substr(word.at, word.size); };
  while (!words.empty() && (text(words.front()) == "./run" || text(words.front()) == "ringside"))
    words.erase(words.begin());
  if (words.empty()) return mistake;
  const std::string id = text(words.front());
  size_t wrong = 0;
  if (is_lesson(id)) {
    // The first one with which the words up to it are refused.
    std::vector<std::string> taken;
    for (wrong = 1; wrong < words.size(); ++wrong) {
      taken.push_back(text(words[wrong]));
      if (is_refused(id, taken)) break;
    }
    // Each of them is allowed, and their run refuses them together: the first that it names.
    if (wrong == words.size()) {
      for (wrong = 1; wrong < words.size(); ++wrong)
        if (why.find(text(words[wrong])) != std::string::npos) break;
    }
  }
  if (wrong < words.size()) mistake.at = words[wrong].at, mistake.size = words[wrong].size;
  return mistake;
}

}  // namespace ringside::gui
