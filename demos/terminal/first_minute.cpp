#include "first_minute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "commands.h"
#include "folders.h"
#include "interrupt.h"
#include "kept_pictures.h"
#include "refuted.h"
#include "ringside/base/text.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/page.h"
#include "ringside/figures/text.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"
#include "terminal.h"

namespace ringside {
namespace {

constexpr size_t kMostShownLines = 40;  // of a listing

double patience_s() {
  const char* seconds = std::getenv("RINGSIDE_ASK_SECONDS");
  return seconds == nullptr ? 120 : std::atof(seconds);
}

bool may_ask(const Options& options) {
  return can_ask() && patience_s() > 0 && !options.json && !options.quiet && options.figures.ids.empty();
}

// It has an answer at this scenario, and fits the screen.
bool fits(const PredictionSpec& spec, const Config& config) {
  if (!askable(spec, config)) return false;
  if (!spec.words) return std::isfinite(spec.formula(config));
  return options_of(*spec.words, config).size() <= kMostShownLines;
}

std::string how_to_answer(const PredictionSpec& spec, const Config& config) {
  if (spec.words) {
    if (spec.words->kind == AnswerKind::kChoices) return tr("Several letters: a, b.");
    if (spec.words->kind == AnswerKind::kOrder) return tr("All letters in their order: b, a, c.");
    if (spec.words->kind == AnswerKind::kLine) return tr("The number of a line.");
    return "";
  }
  if (!spec.symbols) return "";
  std::vector<std::string> names;
  for (const Symbol& symbol : spec.symbols(config))
    names.push_back(tr("{} ({})", symbol.name, symbol.meaning));
  return names.empty() ? "" : tr("A number, or a formula in {}.", join(names));
}

std::string prompt_of(const PredictionSpec& spec) {
  if (spec.words) return tr("  Your answer (Enter skips): ");
  return spec.unit.empty() ? tr("  Your guess (Enter skips): ")
                           : tr("  Your guess, in {} (Enter skips): ", spec.unit);
}

}  // namespace

FirstMinute::FirstMinute(const Lesson& lesson, const Config& config, const Options& options,
                         std::ostream& out)
    : lesson_(lesson),
      config_(config),
      out_(out),
      width_(size_t(page_width(options))),
      colour_(wants_color(options)),
      data_(may_ask(options) ? home_folders().data : std::filesystem::path()),
      record_(data_) {
  if (!may_ask(options) || take_over()) return;
  spec_ = next_question();
  if (spec_ == nullptr) return;
  print_question();
  open_ = true;
}

// The first that was never answered, or is due again.
const PredictionSpec* FirstMinute::next_question() const {
  const std::vector<Redo> redo = record_.to_redo(lesson_.id);
  for (const PredictionSpec& spec : lesson_.predictions) {
    const auto of_spec = [&](const auto& one) { return one.prediction == spec.id; };
    const auto answered = [&](const Attempt& one) { return one.lesson == lesson_.id && of_spec(one); };
    const auto again = std::ranges::find_if(redo, of_spec);
    const bool due = again != redo.end() && again->due;
    if (!due && std::any_of(record_.attempts().begin(), record_.attempts().end(), answered)) continue;
    if (fits(spec, config_) && !needs_picture(lesson_, spec, config_)) return &spec;
  }
  return nullptr;
}

// True where the question was asked before: it is not asked twice.
bool FirstMinute::take_over() {
  const char* handed = std::getenv(kAskedVariable);
  if (handed == nullptr) return false;
  const std::string text = handed, id = text.substr(0, text.find(' '));
  unsetenv(kAskedVariable);
  for (const PredictionSpec& spec : lesson_.predictions) {
    if (spec.id == id && id.size() < text.size()) {
      spec_ = &spec;
      answer_ = read_typed(spec, config_, text.substr(id.size() + 1));
    }
  }
  return true;
}

std::string FirstMinute::paragraph(const std::string& text) const {
  return text.empty() ? "" : "  " + wrap(text, width_, 2) + '\n';
}

void FirstMinute::print_question() {
  const std::string title = lesson_.id + "   " + tr("One question, while it runs");
  out_ << figure::bold(title, colour_) << '\n';
  if (spec_ == &lesson_.predictions.front() && lesson_.opening)
    for (const std::string& line : lesson_.opening(config_)) out_ << paragraph(line);
  print_picture();
  out_ << paragraph(spec_->question);
  out_ << paragraph(spec_->context);
  if (spec_->words) print_options();
  out_ << paragraph(how_to_answer(*spec_, config_)) << std::flush;
}

// What the question is about, where it is known before the run. Lines to choose from are printed as options.
void FirstMinute::print_picture() {
  const FigureSpec* figure = figure_beside(lesson_, *spec_);
  if (figure == nullptr || (spec_->words && spec_->words->kind == AnswerKind::kLine)) return;
  const std::vector<std::string> open = {spec_->id};
  const Trace nothing;
  const FigureInput input{config_, nothing, nullptr, 0, open};
  out_ << figure::to_text(figure::compute(lesson_, *figure, input), int(width_), colour_) << '\n';
}

// Options have letters: many are numbers themselves.
void FirstMinute::print_options() {
  const Words options = options_of(*spec_->words, config_);
  const bool listing = spec_->words->kind == AnswerKind::kLine;
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string mark = listing ? fmt::format("{:>5}  ", i + 1) : fmt::format("    {}  ", letter_of(i));
    out_ << mark << (listing ? printable(options[i]) : wrap(options[i], width_, mark.size())) << '\n';
  }
}

void FirstMinute::look(std::chrono::milliseconds at_most, const std::string& meanwhile) {
  if (!open_) return;
  if (!prompt_) prompt_.emplace(out_);
  prompt_->draw(prompt_of(*spec_), meanwhile);
  const PromptLine::Came came = prompt_->wait(at_most);
  if (came == PromptLine::Came::kLine) read(prompt_->take());
  if (came == PromptLine::Came::kEnd) give_up();
  if (!open_ || !through_) return;
  const std::chrono::duration<double> idle = SteadyClock::now() - std::max(*through_, prompt_->last_key());
  if (idle.count() > patience_s()) give_up();
}

void FirstMinute::run_is_through() {
  if (!through_) through_ = SteadyClock::now();
}

void FirstMinute::read(const std::string& line) {
  answer_ = read_typed(*spec_, config_, line);
  if (answer_.is_answer() || answer_.typed.empty()) return give_up();
  prompt_->clear();
  out_ << paragraph(answer_.mistake.empty() ? tr("'{}' has no value.", printable(answer_.typed))
                                            : answer_.mistake);
}

void FirstMinute::give_up() {
  if (!open_) return;
  open_ = false;
  if (!prompt_) return;
  prompt_->clear();
  prompt_.reset();
  if (answer_.is_answer())
    out_ << paragraph(tr("You said {}. The run's answer stands at the end.", said(*spec_, config_, answer_)));
  out_ << '\n' << std::flush;
}

void FirstMinute::keep(const Trace& trace) {
  if (trace.complete()) {
    keep_refuted(data_, lesson_.id, refuted_by(lesson_, config_, trace));
    keep_pictures(data_, lesson_, config_, trace);
  }
  if (!answer_.is_answer()) return;
  record_.add(judged(lesson_, *spec_, config_, answer_, trace));
  if (!record_.message().empty()) std::cerr << "ringside: " << record_.message() << '\n';
}

std::set<std::string> FirstMinute::answered() const {
  std::set<std::string> ids;
  for (const Attempt& attempt : record_.attempts())
    if (attempt.lesson == lesson_.id) ids.insert(attempt.prediction);
  if (answer_.is_answer()) ids.insert(spec_->id);
  return ids;
}

std::string FirstMinute::to_hand_over() const {
  return answer_.is_answer() ? spec_->id + " " + answer_.typed : "";
}

std::string FirstMinute::closing(const Trace& trace) const {
  if (!answer_.is_answer() || !trace.complete()) return "";
  return "\n" + figure::bold(wrap(spec_->question, width_, 0), colour_) + "\n" +
         paragraph(beside_measured(*spec_, config_, answer_, trace));
}

// Alone, without a run: the answer goes into a file.
ExitCode ask_lesson(const Options& options, std::ostream& out) {
  const Lesson& lesson = find_lesson(options.lesson);
  const Config config = Config::parse(lesson.id, lesson.parameters, options.words);
  const InterruptScope interrupt;
  FirstMinute first(lesson, config, options, out);
  first.run_is_through();  // there is none: who is away does not hold up what comes after the build
  while (first.asking() && !interrupt.interrupted())
    first.look(std::chrono::milliseconds(50), tr("it builds"));
  first.give_up();
  if (interrupt.interrupted()) return ExitCode::kInterrupted;
  std::ofstream(options.answer_file) << first.to_hand_over() << '\n';
  return ExitCode::kOk;
}

}  // namespace ringside
