#include "ringside/figures/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/source_tree.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/instant.h"
#include "ringside/figures/text.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/lesson_text.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/summary_text.h"
#include "ringside/lesson/tr.h"
#include "ringside/trace/training_rows.h"

namespace ringside::inline kit {
namespace {

constexpr size_t kMostMeasured = 8, kMostNotes = 3, kMostTrials = 3, kMostSentences = 3;  // on a bounded page
constexpr size_t kLeastClaims = 12, kLeastPicture = 8, kMostPicture = 40;                 // lines
constexpr size_t kWideAnswer = 24, kWideName = 34, kWideTrial = 66;                       // columns

std::string answer_of(const PredictionSpec& spec, const Config& config, const PredictionRow& row) {
  const std::string answer =
      spec.words ? in_words(*spec.words, config, row.words) : figure::value_text(row.answer, row.unit);
  return is_calculated(spec) ? tr("{} (calculated)", answer) : answer;
}

// Of a run's lines: several in one, laid out as they are.
bool is_report(const std::string& line) { return line.find('\n') != line.npos; }

// As many of its sentences as stand on a line; the first one in any case.
std::string beginning_of(const std::string& text) {
  std::string kept;
  for (const std::string& sentence : sentences_of(text)) {
    if (!kept.empty() && columns(kept) + 1 + columns(sentence) > kWideTrial) break;
    kept += (kept.empty() ? "" : " ") + sentence;
  }
  return kept;
}

class PageWriter {
 public:
  PageWriter(const Lesson& lesson, const Config& config, const Trace& trace, const PageOptions& options)
      : lesson_(lesson), config_(config), trace_(trace), options_(options), first_(first_figure()) {}

  std::string write() {
    SummaryText middle = part(), bottom = part();
    measured(middle);
    in_short(middle);
    answers(bottom);
    ledger(bottom);
    notes(bottom);
    next(bottom);
    SummaryText page = part();
    const size_t others = middle.lines() + bottom.lines() + 2;  // the first line, and a blank one
    picture(page, std::clamp(left(others + kLeastClaims), kLeastPicture, kMostPicture));
    page.block(middle.text());
    page.claims(trace_.rows().claims, left(page.lines() + bottom.lines()), !options_.all);
    page.block(bottom.text());
    return page.text();
  }

 private:
  SummaryText part() const { return SummaryText(options_.width, options_.colour); }
  size_t left(size_t used) const { return kPageLines - std::min(used, kPageLines); }

  // The result, then the picture.
  void picture(SummaryText& page, size_t most) {
    const std::string text = picture_text();
    const size_t end = text.find('\n');
    page.line(page.bold(wrap(text.substr(0, end), page.width(), 0)));
    if ((options_.with_picture || lesson_.summary) && end < text.size())
      page.block(text.substr(end + 1), options_.all ? text.size() : most);
    for (const std::string& report : trace_.rows().lines)
      if (is_report(report)) page.block(report + '\n', options_.all ? report.size() : most);
    page.line("");
  }

  std::string picture_text() const {
    const int width = int(part().width());
    if (lesson_.summary && trace_.complete()) return lesson_.summary(config_, trace_, width, options_.colour);
    if (lesson_.figures.empty()) return lesson_.title;
    return ringside::picture_text(lesson_, first_.id, "", config_, trace_, width, options_.colour);
  }

  // The first one that has something to show: a scenario may leave out what the others are about.
  FigureSpec first_figure() const {
    for (const FigureSpec& spec : lesson_.figures)
      if (!std::holds_alternative<figure::Nothing>(figure::compute(lesson_, spec, input_of(spec))))
        return spec;
    return lesson_.figures.empty() ? FigureSpec() : lesson_.figures.front();
  }

  // A figure of the configuration chooses no section.
  FigureInput input_of(const FigureSpec& spec) const {
    return spec.of_configuration ? FigureInput{config_, trace_} : default_input(config_, spec, trace_);
  }

  void measured(SummaryText& page) {
    const FigureInput input = input_of(first_);
    SummaryText::Pairs rows;
    for (const Readout& one : figure::readouts(lesson_, input)) rows.emplace_back(one.name, one.value);
    for (const Gauge& gauge : lesson_.gauges) {
      const auto value = lesson_.readouts ? std::nullopt : gauge.value(input);
      if (value) rows.emplace_back(gauge.name, figure::value_text(*value, gauge.unit));
    }
    if (!options_.all && rows.size() > kMostMeasured) rows.resize(kMostMeasured);
    page.pairs(tr("Measured"), rows, kWideName);
  }

  // The text is of the lesson's own scenario, and its figures are: another run says so.
  void in_short(SummaryText& page) {
    std::vector<std::string> sentences = sentences_of(in_short_of(lesson_.text));
    if (sentences.size() > kMostSentences) sentences.resize(kMostSentences);
    if (sentences.empty()) return;
    const std::string text = fmt::format("{}", fmt::join(sentences, " "));
    const bool is_default = config_.scenario().find(' ') == std::string::npos;
    page.labelled(tr("In short"), is_default ? text : tr("(of the default run) {}", text));
  }

  // Of the questions that somebody answered; the next run asks another one.
  void answers(SummaryText& page) {
    SummaryText::Pairs rows;
    size_t unanswered = 0, asked_here = 0;
    for (const PredictionSpec& spec : lesson_.predictions) {
      const auto& measured = trace_.rows().predictions;
      const auto row = std::ranges::find(measured, spec.id, &PredictionRow::id);
      if (row == measured.end() || !trace_.complete()) continue;
      if (options_.answered.contains(spec.id))
        rows.emplace_back(answer_of(spec, config_, *row), spec.question);
      else
        ++unanswered, asked_here += !needs_picture(lesson_, spec, config_);
    }
    page.pairs(tr("Answers"), rows, kWideAnswer);
    if (unanswered == 0) return;
    const std::string here = asked_here == 0 ? "" : tr("{} in a terminal, or ", run_line(lesson_.id));
    page.labelled(tr("Questions"), tr("{} more: {}{}", unanswered, here, run_line("gui " + lesson_.id)));
  }

  void ledger(SummaryText& page) {
    const auto& rows = trace_.rows().ledger;
    if (rows.empty()) return;
    int64_t unexplained = 0;
    std::set<std::string> kinds, reasons;
    for (const LedgerRow& row : rows) {
      unexplained += std::abs(row.unexplained());
      kinds.insert(row.what);
      for (const LedgerReason& reason : row.reasons)
        if (reason.bytes != 0) reasons.insert(reason.name);
    }
    const std::string because =
        reasons.empty() ? "" : tr(" ({})", fmt::format("{}", fmt::join(reasons, ", ")));
    page.labelled(tr("Ledger"),
                  unexplained == 0
                      ? tr("every byte explained, {}, {} rows{}",
                           fmt::format("{}", fmt::join(kinds, " and ")), rows.size(), because)
                      : tr("{} unexplained: see the rows of --json", format_bytes(double(unexplained))));
  }

  // What the trainings say of themselves; one that several say, once.
  void notes(SummaryText& page) {
    std::vector<std::string> texts = trace_.rows().lines;
    std::erase_if(texts, is_report);
    for (const SectionView& section : trace_.sections())
      for (const TrainingRemark& remark : rows_as<TrainingRemark>(section))
        if (std::ranges::find(texts, remark.text) == texts.end()) texts.push_back(remark.text);
    const size_t shown = options_.all ? texts.size() : std::min(texts.size(), kMostNotes);
    for (size_t i = 0; i < shown; ++i) page.labelled(i == 0 ? tr("Note") : "", texts[i]);
    if (shown < texts.size())
      page.labelled("", shown + 1 == texts.size() ? tr("1 more note: --all")
                                                  : tr("{} more notes: --all", texts.size() - shown));
  }

  void next(SummaryText& page) {
    SummaryText::Pairs steps;
    for (const Trial& trial : trials_of(lesson_.text))
      if (steps.size() < kMostTrials && trial.scenario != config_.scenario())
        steps.emplace_back(run_line(trial.scenario), beginning_of(trial.says));
    const auto& all = lesson_catalogue();
    const auto here = std::ranges::find_if(all, [&](const auto& one) { return one.id == lesson_.id; });
    if (here != all.end()) {
      const FrontMatter& following = here + 1 == all.end() ? all.front() : *(here + 1);
      if (following.id != lesson_.id) steps.emplace_back(run_line(following.id), following.title);
    }
    page.next(steps);
  }

  const Lesson& lesson_;
  const Config& config_;
  const Trace& trace_;
  const PageOptions& options_;
  const FigureSpec first_;  // what first_figure() finds
};

}  // namespace

std::string page_text(const Lesson& lesson, const Config& config, const Trace& trace,
                      const PageOptions& options) {
  return PageWriter(lesson, config, trace, options).write();
}

const FigureSpec* figure_beside(const Lesson& lesson, const PredictionSpec& question) {
  for (const FigureSpec& spec : lesson.figures) {
    const bool tells = std::ranges::find(spec.answers, question.id) != spec.answers.end();
    if (spec.id == question.figure && spec.of_configuration && !tells) return &spec;
  }
  return nullptr;
}

bool needs_picture(const Lesson& lesson, const PredictionSpec& question, const Config& config) {
  if (question.figure.empty() || !question.words || figure_beside(lesson, question) != nullptr) return false;
  const Words options = options_of(*question.words, config);
  return !options.empty() && question.words->kind != AnswerKind::kLine &&
         std::ranges::all_of(options, [](const std::string& one) { return columns(one) == 1; });
}

std::string picture_text(const Lesson& lesson, const std::string& figure, const std::string& section,
                         const Config& config, const Trace& trace, int width, bool colour) {
  const auto spec = std::ranges::find(lesson.figures, figure, &FigureSpec::id);
  if (spec == lesson.figures.end()) return lesson.title + '\n';
  const SectionView* chosen = section.empty() ? nullptr : trace.find(section);
  const FigureInput input = chosen == nullptr ? default_input(config, *spec, trace)
                                              : FigureInput{config, trace, chosen, time_range(*chosen).last};
  const std::string sentence = figure::sentence(lesson, *spec, input);
  const std::string title = sentence == spec->title ? "" : spec->title + '\n';
  return sentence + '\n' + title + figure::to_text(figure::compute(lesson, *spec, input), width, colour);
}

}  // namespace ringside::inline kit
