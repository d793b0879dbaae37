#include "ringside/lesson/word_question.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>

#include "ringside/base/error.h"
#include "ringside/lesson/tr.h"

namespace ringside::inline kit {
namespace {

// "3" as 3; 0 for what is no number of a line.
size_t line_number(const std::string& word) {
  size_t line = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), line);
  return error == std::errc{} && end == word.data() + word.size() ? line : 0;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
// Letters, digits, and every byte beyond ASCII.
bool is_of_word(char c) { return (c & 0x80) != 0 || c == '_' || std::isalnum(static_cast<unsigned char>(c)); }

// Lower case, and no blanks but for one between two words.
std::string folded(const std::string& text) {
  std::string out;
  bool blank = false;
  for (const char c : text) {
    if (is_blank(c)) {
      blank = true;
      continue;
    }
    if (std::exchange(blank, false) && !out.empty() && is_of_word(out.back()) && is_of_word(c)) out += ' ';
    out += c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  }
  return out;
}

std::string without_margin(const std::string& line) {
  const size_t first = line.find_first_not_of(" \t");
  return first == std::string::npos ? "" : line.substr(first);
}

std::string joined(const Words& words, const char* between) {
  return fmt::format("{}", fmt::join(words, between));
}

bool has(const Words& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

bool asks_for_one(AnswerKind kind) {
  return kind == AnswerKind::kChoice || kind == AnswerKind::kLine || kind == AnswerKind::kText;
}

std::string why_no_line(const std::string& word, size_t lines) {
  const size_t line = line_number(word);
  if (line >= 1 && line <= lines) return "";
  return tr("'{}' is no line: they are numbered from 1 to {}", word, lines);
}

std::string contradiction_in_options(AnswerKind kind, const Words& options) {
  const bool is_line = kind == AnswerKind::kLine;
  if (kind == AnswerKind::kText) return options.empty() ? "" : "a question for text has no options";
  if (is_line && options.empty()) return "there is no line to choose";
  if (!is_line && options.size() < 2) return "there are fewer than two options";
  const size_t most = is_line ? kMostLines : kMostOptions;
  if (options.size() > most)
    return fmt::format("{} {}: there may be {}", options.size(), is_line ? "lines" : "options", most);
  std::set<std::string> seen;
  for (const std::string& option : options) {
    if (option.size() > kMostWordBytes)
      return fmt::format("'{}...' is longer than {} bytes", option.substr(0, 20), kMostWordBytes);
    if (is_line) continue;
    if (without_margin(option).empty()) return "an option is empty";
    if (!seen.insert(option).second) return fmt::format("option '{}' comes twice", option);
  }
  return "";
}

std::string contradiction_in_wrong(const WordQuestion& question, const Config& config) {
  if (!question.wrong) return "";
  const std::vector<WrongWords> all = question.wrong(config);
  if (all.size() > kMostWrongWords)
    return fmt::format("{} wrong answers: there may be {}", all.size(), kMostWrongWords);
  for (const WrongWords& wrong : all) {
    if (wrong.name.empty()) return fmt::format("wrong answer '{}' has no name", joined(wrong.answer, ", "));
    const std::string why = why_no_answer(question, config, wrong.answer);
    if (!why.empty()) return fmt::format("wrong answer \"{}\": {}", wrong.name, why);
    if (is_words_answer(question, config, wrong.answer))
      return fmt::format("wrong answer \"{}\" is the right one", wrong.name);
  }
  return "";
}

std::string contradiction_in_words(const WordQuestion& question, const Config& config) {
  if (question.kind < AnswerKind::kChoice) return "it asks for words, its kind is a number's";
  if (!question.right) return "there is no right answer";
  if (question.kind != AnswerKind::kText && !question.accepted.empty())
    return "accepted forms are of a question for text";
  if (std::string why = contradiction_in_options(question.kind, options_of(question, config)); !why.empty())
    return why;
  if (const std::string why = why_no_answer(question, config, question.right(config)); !why.empty())
    return "right answer: " + why;
  return contradiction_in_wrong(question, config);
}

}  // namespace

constexpr std::string_view kAnswerKindTexts[] = {"number",  "formula", "blocks", "choice",
                                                 "choices", "order",   "line",   "text"};
std::span<const std::string_view> texts(AnswerKind) { return kAnswerKindTexts; }

Words options_of(const WordQuestion& question, const Config& config) {
  return question.options ? question.options(config) : Words{};
}

std::string why_no_answer(const WordQuestion& question, const Config& config, const Words& answer) {
  if (answer.empty()) return tr("nothing is answered");
  if (asks_for_one(question.kind) && answer.size() > 1)
    return tr("one answer is wanted, there are {}", answer.size());
  if (question.kind == AnswerKind::kText) {
    if (folded(answer[0]).empty()) return tr("nothing is answered");
    return answer[0].size() > kMostWordBytes ? tr("it is longer than {} bytes", kMostWordBytes) : "";
  }
  const Words options = options_of(question, config);
  if (question.kind == AnswerKind::kLine) return why_no_line(answer[0], options.size());
  std::set<std::string> seen;
  for (const std::string& word : answer) {
    if (!has(options, word)) return tr("'{}' is none of: {}", word, joined(options, ", "));
    if (!seen.insert(word).second) return tr("'{}' comes twice", word);
  }
  if (question.kind == AnswerKind::kOrder && answer.size() < options.size())
    return tr("{} of {} are in order", answer.size(), options.size());
  return "";
}

bool same_words(AnswerKind kind, const Words& a, const Words& b) {
  if (kind == AnswerKind::kChoices) return std::set(a.begin(), a.end()) == std::set(b.begin(), b.end());
  if (!asks_for_one(kind) || a.size() != 1 || b.size() != 1) return a == b;
  if (kind == AnswerKind::kText) return folded(a[0]) == folded(b[0]);
  if (kind == AnswerKind::kLine) return line_number(a[0]) != 0 && line_number(a[0]) == line_number(b[0]);
  return a == b;
}

bool is_words_answer(const WordQuestion& question, const Config& config, const Words& answer) {
  if (same_words(question.kind, answer, question.right(config))) return true;
  return std::ranges::any_of(
      question.accepted, [&](const std::string& form) { return same_words(question.kind, answer, {form}); });
}

std::string in_words(const WordQuestion& question, const Config& config, const Words& answer) {
  if (question.kind == AnswerKind::kOrder) return joined(answer, " → ");
  if (question.kind == AnswerKind::kChoices) {
    Words chosen = options_of(question, config);
    std::erase_if(chosen, [&](const std::string& option) { return !has(answer, option); });
    return joined(chosen, ", ");
  }
  if (question.kind != AnswerKind::kLine || answer.size() != 1) return joined(answer, ", ");
  const Words lines = options_of(question, config);
  const size_t line = line_number(answer[0]);
  if (line < 1 || line > lines.size()) return tr("line {}", answer[0]);
  return tr("line {}: {}", line, without_margin(lines[line - 1]));
}

std::string contradiction_in(const PredictionSpec& prediction, const Config& config) {
  if (!prediction.words) return prediction.formula ? "" : "there is neither a formula nor words";
  if (prediction.formula || prediction.measured || !prediction.wrong.empty() || prediction.symbols ||
      prediction.blocks || !prediction.unit.empty())
    return "it asks for words and declares what belongs to a number";
  return contradiction_in_words(*prediction.words, config);
}

void check_predictions(const Lesson& lesson, const Config& config) {
  for (const PredictionSpec& prediction : lesson.predictions) {
    std::string why;
    try {
      why = contradiction_in(prediction, config);
    } catch (const std::exception& error) {
      why = error.what();
    }
    if (!why.empty())
      throw InvariantError("lesson '" + lesson.id + "', prediction '" + prediction.id + "': " + why);
  }
}

}  // namespace ringside::inline kit
