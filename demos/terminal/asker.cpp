#include "asker.h"

#include <unistd.h>

#include "ringside/base/text.h"
#include "ringside/lesson/tr.h"
#include "ringside/lesson/word_question.h"

namespace ringside {

void Asker::question(const std::vector<std::string>& lines) {
  for (const std::string& one : lines) one.starts_with("    ") ? raw(one) : line(one);
}

void Asker::options(const AskedCard& asked) {
  if (!asked.spec.words) return;
  const Words options = options_of(*asked.spec.words, asked.config);
  const bool lines = asked.spec.words->kind == AnswerKind::kLine;
  for (size_t i = 0; i < options.size(); ++i)
    out() << "    " << (lines ? pad_left(std::to_string(i + 1), 2) : std::string(1, letter_of(i))) << "  "
          << options[i] << '\n';
  if (asked.spec.words->kind == AnswerKind::kOrder) line(tr("In which order? As: b a c"));
}

std::optional<std::string> Asker::read(const std::string& prompt) {
  out() << "  " << prompt << ' ' << std::flush;
  std::optional<std::string> typed = lines_.next();
  if (!typed) {
    out() << '\n';
    return std::nullopt;
  }
  typed->erase(typed->find_last_not_of(" \t\r") + 1);
  typed->erase(0, typed->find_first_not_of(" \t"));
  if (*typed == "q") return std::nullopt;
  if (isatty(STDIN_FILENO) == 0) out() << *typed << '\n';  // nothing echoes it
  return typed;
}

}  // namespace ringside
