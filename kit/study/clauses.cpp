#include "clauses.h"

#include <algorithm>
#include <cctype>

#include "chinese_words.h"
#include "ringside/base/text.h"

namespace ringside::inline kit {
namespace {

constexpr std::string_view kSmallWords[] = {
    "that",  "this",   "with",  "from",  "what",    "which", "each",  "than",  "then",    "they",   "them",
    "when",  "where",  "does",  "have",  "more",    "most",  "into",  "only",  "also",    "such",   "same",
    "other", "others", "their", "there", "between", "were",  "will",  "would", "because", "itself", "every",
    "after", "before", "until", "still", "over",    "under", "about", "while"};
constexpr size_t kLeastLetters = 4, kStem = 5;
constexpr std::string_view kNegations[] = {"not",     "no",     "never",   "none",      "cannot",
                                           "without", "nobody", "nothing", "invariant", "independent"};
constexpr std::string_view kComparisons[] = {" more", " less", " fewer"};  // "no more than" denies nothing
constexpr std::string_view kJoining[] = {"but",   "and",     "while",  "without",
                                         "since", "because", "unless", "so"};
constexpr std::string_view kEnds[] = {".", ",", ";", ":", "!", "?", "。", "，", "；", "：", "！", "？"};

bool is_word_letter(char c) { return c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_number_letter(char c) {
  return c == '.' || c == ',' || std::isdigit(static_cast<unsigned char>(c)) != 0;
}
template <size_t N>
bool is_in(const std::string_view (&all)[N], std::string_view one) {
  return std::ranges::find(all, one) != std::end(all);
}
bool denies(std::string_view word, std::string_view behind) {
  const auto comes = [&](std::string_view next) { return behind.starts_with(next); };
  if (word == "no" && std::ranges::any_of(kComparisons, comes)) return false;
  const bool short_not = word.ends_with('n') && (comes("'t") || comes("’t"));
  return short_not || is_in(kNegations, word);
}

class Reader {
 public:
  void read(std::string_view text) {
    for (size_t i = 0; i < text.size();) {
      size_t end = i;
      if (is_word_letter(text[i])) {
        while (end < text.size() && is_word_letter(text[end])) ++end;
        add_word(std::string(text.substr(i, end - i)), text.substr(end));
      } else if (std::isdigit(static_cast<unsigned char>(text[i])) != 0) {
        while (end < text.size() && is_number_letter(text[end])) ++end;
        end = text.find_last_not_of(".,", end - 1) + 1;
        clauses.back().words.emplace(text.substr(i, end - i));
      } else {
        end += add_symbol(text.substr(i));
      }
      i = end;
    }
  }
  Clauses clauses{1};

 private:
  void add_word(std::string word, std::string_view behind) {
    for (char& c : word) c = char(std::tolower(static_cast<unsigned char>(c)));
    if (is_in(kJoining, word)) clauses.emplace_back();
    if (denies(word, behind)) clauses.back().negated = true;
    if (word.size() < kLeastLetters || is_in(kSmallWords, word)) return;
    if (word.size() > kLeastLetters && word.back() == 's') word.pop_back();
    clauses.back().words.insert(word.substr(0, kStem));
  }

  // How many bytes it read.
  size_t add_symbol(std::string_view text) {
    if (const ChineseWord known = chinese_word_at(text); known.bytes > 0) {
      read(known.english);
      return known.bytes;
    }
    const std::string_view symbol = text.substr(0, first_letter(text).bytes);
    if (is_in({"Ψ", "ψ", "√", "²"}, symbol)) clauses.back().words.emplace(symbol);
    if (is_in(kEnds, symbol)) clauses.emplace_back();
    return symbol.size();
  }
};

}  // namespace

Clauses clauses_of(std::string_view text) {
  Reader reader;
  reader.read(text);
  return reader.clauses;
}

std::set<std::string> words_of(const Clauses& clauses) {
  std::set<std::string> words;
  for (const Clause& clause : clauses) words.insert(clause.words.begin(), clause.words.end());
  return words;
}

}  // namespace ringside::inline kit
