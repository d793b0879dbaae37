#include "ringside/lesson/lesson_text.h"

#include <algorithm>
#include <cctype>

#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline kit {
namespace {

bool begins_sentence(std::string_view text) {
  if (text.empty()) return false;
  const auto first = static_cast<unsigned char>(text[0]);
  return std::isupper(first) != 0 || std::isdigit(first) != 0 || first >= 0x80;
}

// "```" or "~~~", at most three blanks before it.
std::string_view fence_of(std::string_view line) {
  const size_t first = line.find_first_not_of(' ');
  if (first == line.npos || first > 3 || (line[first] != '`' && line[first] != '~')) return {};
  const size_t end = std::min(line.find_first_not_of(line[first], first), line.size());
  return end - first >= 3 ? line.substr(first, end - first) : std::string_view{};
}

std::vector<std::string> cells_of(std::string_view row) {
  row = trimmed(row);
  row.remove_prefix(1);  // the first |
  if (row.ends_with('|')) row.remove_suffix(1);
  std::vector<std::string> cells;
  for (size_t end = 0; end != row.npos; row.remove_prefix(end == row.npos ? row.size() : end + 1)) {
    end = row.find('|');
    cells.emplace_back(trimmed(row.substr(0, end)));
  }
  return cells;
}

}  // namespace

std::vector<TextPart> parts_of(std::string_view text) {
  std::vector<TextPart> parts(1);
  std::string_view fence;
  while (!text.empty()) {
    const std::string_view line = next_line(text), words = trimmed(line);
    const std::string_view mark = fence_of(words.empty() ? words : line);
    if (!fence.empty()) {
      if (mark.starts_with(fence)) fence = {};
    } else if (!mark.empty()) {
      fence = mark;
    } else if (line.starts_with("##") && !line.starts_with("###") && (words == "##" || words[2] == ' ')) {
      std::string_view title = trimmed(words.substr(2));
      const size_t last = title.find_last_not_of('#');  // "## title ##"
      if (last == title.npos || title[last] == ' ') title = trimmed(title.substr(0, last + 1));
      parts.push_back({std::string(title), {}});
      continue;
    }
    parts.back().body += line;
  }
  return parts;
}

std::string part_of(std::string_view text, std::string_view title) {
  for (TextPart& part : parts_of(text))
    if (part.title == title) return std::move(part.body);
  return "";
}

std::vector<std::string> items_of(std::string_view body) {
  std::vector<std::string> items;
  while (!body.empty()) {
    const std::string_view line = next_line(body), words = trimmed(line);
    if (line.starts_with("- ")) {
      items.emplace_back(trimmed(line.substr(2)));
    } else if (!items.empty() && words.empty()) {
      continue;
    } else if (!items.empty() && line.starts_with(" ")) {
      items.back().append(" ").append(words);
    } else if (!items.empty()) {
      break;
    }
  }
  return items;
}

// "**Why?** Because." and "Why? Because.": how long the question is, with its marks; npos: no answer follows.
static size_t end_of_question(std::string_view item) {
  const size_t plain = item.find("? "), bold = item.starts_with("**") ? item.find("?** ") : item.npos;
  return bold < plain ? bold + 3 : plain == item.npos ? plain : plain + 1;
}

std::vector<FollowUp> follow_ups_of(std::string_view text) {
  std::vector<FollowUp> all;
  for (const std::string& item : items_of(part_of(text, kAskedNextPart))) {
    const size_t end = end_of_question(item);
    if (end == item.npos) {
      all.push_back({item, ""});
      continue;
    }
    const bool bold = item.starts_with("**") && item.substr(0, end).ends_with("**");
    all.push_back({bold ? item.substr(2, end - 4) : item.substr(0, end), item.substr(end + 1)});
  }
  return all;
}

std::string in_short_of(std::string_view text) {
  constexpr std::string_view kInShort = "**In short.**";
  const std::string answers = part_of(text, kSayItPart);
  const size_t at = answers.find(kInShort);
  if (at == answers.npos) return "";
  const size_t first = at + kInShort.size(), end = std::min(answers.find("\n\n", first), answers.size());
  std::string line = without_marks(trimmed(std::string_view(answers).substr(first, end - first)));
  std::ranges::replace(line, '\n', ' ');
  return line;
}

std::vector<std::string> sentences_of(std::string_view text) {
  std::vector<std::string> all;
  size_t from = text.find_first_not_of(" \n");
  for (size_t i = from; i < text.size(); ++i) {
    const bool is_end = text[i] == '.' || text[i] == '?' || text[i] == '!';
    const bool last = text.find_first_not_of(" \n", i + 1) == text.npos;
    if (!last && !(is_end && text[i + 1] == ' ' && begins_sentence(text.substr(i + 2)))) continue;
    all.emplace_back(text.substr(from, i + 1 - from));
    if (last) break;
    from = i + 2;
  }
  return all;
}

std::vector<Trial> trials_of(std::string_view text) {
  constexpr std::string_view kRun = "](<run:", kEnd = ">)";
  std::vector<Trial> all;
  for (const std::string& item : items_of(part_of(text, kBreakItPart))) {
    const size_t link = item.find(kRun), end = item.find(kEnd, link);
    if (link == item.npos || end == item.npos) continue;
    const size_t first = link + kRun.size();
    const std::string behind = item.substr(end + kEnd.size());
    // The link's words are a part of the sentence, or stand before it.
    const bool apart = item.starts_with('[') && behind.starts_with(' ') && begins_sentence(behind.substr(1));
    all.push_back({item.substr(first, end - first), without_marks(trimmed(apart ? behind : item))});
  }
  return all;
}

std::vector<Term> terms_of(std::string_view text) {
  const std::string body = part_of(text, kWordsPart);
  std::vector<Term> terms;
  int rows = 0;
  for (std::string_view rest = body; !rest.empty();) {
    const std::string_view line = next_line(rest);
    if (!trimmed(line).starts_with('|')) continue;
    if (++rows <= 2) continue;  // the head, and the line below it
    std::vector<std::string> cells = cells_of(line);
    if (cells.size() != 3 || cells[0].empty() || cells[2].empty())
      throw InputError("lesson.md, '" + std::string(kWordsPart) + "': the row '" +
                       std::string(trimmed(line)) + "' must be | word | 中文 | sentence |");
    terms.push_back({cells[0], cells[1], cells[2]});
  }
  return terms;
}

std::string without_marks(std::string_view markdown) {
  std::string words;
  for (size_t i = 0; i < markdown.size(); ++i) {
    const char letter = markdown[i];
    if (letter == '`' || letter == '*') continue;
    if (letter == '[') continue;
    if (letter == ']' && markdown.substr(i + 1).starts_with('(')) {
      const bool pointed = markdown.substr(i + 2).starts_with('<');
      const size_t end = markdown.find(pointed ? ">)" : ")", i);
      if (end == markdown.npos) break;
      i = end + (pointed ? 1 : 0);
      continue;
    }
    words += letter;
  }
  return words;
}

}  // namespace ringside::inline kit
