#include <fmt/ranges.h>

#include <ostream>
#include <regex>
#include <string>

#include "commands.h"
#include "ringside/base/text.h"
#include "ringside/lesson/called.h"
#include "ringside/lesson/tr.h"
#include "ringside/lesson/word_question.h"
#include "terminal.h"

namespace ringside {
namespace {

constexpr size_t kNameColumns = 17;
constexpr size_t kDefaultColumns = 16;

void show_parameters(const Lesson& lesson, size_t width, std::ostream& out) {
  out << "\nParameters, with their defaults\n";
  for (const ParameterSpec& spec : lesson.parameters) {
    const size_t indent = 2 + kNameColumns + 1 + kDefaultColumns + 1;
    const std::string kind = spec.kind == ParameterKind::kText ? "" : "; " + allowed_values(spec);
    out << "  " << pad(spec.name, kNameColumns) << ' ' << pad(spec.default_value, kDefaultColumns) << ' '
        << wrap(spec.meaning + kind, width, indent) << '\n';
  }
}

void show_claims(const Lesson& lesson, size_t width, std::ostream& out) {
  if (!lesson.claims.empty()) out << "\nClaims on trial\n";
  const std::string indent(2 + kNameColumns + 1, ' ');
  for (const ClaimSpec& claim : lesson.claims) {
    const bool fits = columns(claim.source) <= kNameColumns;  // else the statement has its own line
    out << "  "
        << (fits ? pad(claim.source, kNameColumns) + ' ' : wrap(claim.source, width, 2) + '\n' + indent)
        << wrap(claim.statement, width, indent.size()) << '\n';
  }
}

// What there is to choose, where it fits a paragraph: no listing.
std::string choices_of(const Lesson& lesson, const PredictionSpec& spec) {
  if (!spec.words || spec.words->kind == AnswerKind::kLine || spec.words->kind == AnswerKind::kText)
    return "";
  const Words options = options_of(*spec.words, Config::parse(lesson.id, lesson.parameters, {}));
  return fmt::format("{}", fmt::join(options, " | "));
}

// Without their answers.
void show_questions(const Lesson& lesson, size_t width, std::ostream& out) {
  if (!lesson.predictions.empty()) out << tr("\nQuestions that a run answers\n");
  constexpr size_t kIndent = 2 + kNameColumns + 1;
  for (const PredictionSpec& spec : lesson.predictions) {
    out << "  " << pad(spec.id, kNameColumns) << ' ' << wrap(spec.question, width, kIndent) << '\n';
    const std::string choices = choices_of(lesson, spec);
    if (!choices.empty()) out << std::string(kIndent, ' ') << wrap(choices, width, kIndent) << '\n';
  }
}

void show_figures(const Lesson& lesson, size_t width, std::ostream& out) {
  if (!lesson.figures.empty()) out << "\nFigures, for --figure\n";
  for (const FigureSpec& spec : lesson.figures)
    out << "  " << pad(spec.id, kNameColumns) << ' ' << wrap(spec.title, width, 2 + kNameColumns + 1) << '\n';
}

// "[Three ranks](<run:zero ranks=3>)" -> "Three ranks (./run zero ranks=3)": what the room clicks is typed
// here.
std::string with_run_lines(const std::string& text) {
  static const std::regex link("\\[([^\\]]*)\\]\\(<run:([^>]*)>\\)");
  return std::regex_replace(text, link, "$1 (./run $2)");
}

}  // namespace

ExitCode help_lesson(const Options& options, std::ostream& out) {
  const Lesson& lesson = find_lesson(options.lesson);
  const auto width = size_t(summary_width(options));
  out << lesson.id << "   " << lesson.title << '\n'
      << as_called("ringside run " + lesson.id) << " [name=value ...]\n";
  show_parameters(lesson, width, out);
  show_questions(lesson, width, out);
  show_claims(lesson, width, out);
  show_figures(lesson, width, out);
  out << '\n' << with_run_lines(lesson.text);
  if (!lesson.text.ends_with('\n')) out << '\n';
  return ExitCode::kOk;
}

}  // namespace ringside
