#include "room_comparing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/units.h"
#include "ringside/lesson/section_title.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"

namespace ringside::gui {
namespace {

constexpr double kSame = 0.005;  // of the larger one
constexpr size_t kKeptRuns = 64;

bool is_whole(const std::optional<double>& value) { return !value || *value == std::round(*value); }

// Where the first figure is of one section alone: which one, unless the change names it ("stage=3").
std::string section_words(const SectionView* section, const std::string& change) {
  if (section == nullptr) return "";
  std::string as_word = title_of(*section);
  std::ranges::replace(as_word, ' ', '=');
  return change.find(as_word) == std::string::npos ? title_of(*section) + ", " : "";
}

// No run was cut within it.
bool is_whole(const Trace& trace, const std::string& section) {
  return trace.complete() || (trace.find(section) != nullptr && trace.sections().back().name() != section);
}

// "accumulate=8 stage=2": what the second scenario says otherwise than the first.
std::string words_that_differ(const Config& from, const Config& to) {
  const std::vector<std::string> before = split_scenario(from.scenario(true));
  std::vector<std::string> words;
  for (const std::string& word : split_scenario(to.scenario(true)))
    if (std::ranges::find(before, word) == before.end()) words.push_back(word);
  return join(words, " ");
}

std::string not_measured(const std::string& words, const Trace& trace, bool on_its_way) {
  if (on_its_way) return tr("{}: the run is on its way.", words);
  if (!trace.complete()) return tr("{}: stopped before it was measured: run it to its end (R).", words);
  return tr("{}: this run did not measure it.", words);
}

std::string gauge_text(const GaugeRow& row, const std::optional<double>& value) {
  if (!value) return "—";
  if (is_whole(row.pinned) && is_whole(row.now)) return format_count(std::llround(*value));
  return std::abs(*value) < 0.01 ? fmt::format("{:.2g}", *value) : fmt::format("{:.2f}", *value);
}

// "sent 2.25 → 1.50 Ψ", "peak stays 19.04 MiB".
std::string change_in_words(const GaugeRow& row) {
  const std::string now = gauge_with_unit(row, row.now);
  if (change_of(row) == Change::kSame) return tr("{} stays {}", row.gauge->name, now);
  return tr("{} {} → {}", row.gauge->name, gauge_text(row, row.pinned), now);
}

std::string judged(const GaugeRow& first, int guessed, const std::string& text) {
  const auto change = change_of(first);
  if (guessed == kNoGuess || !change) return text;
  if (int(*change) == guessed) return tr("{} As you said.", text);
  const std::string said = guessed < 0 ? tr("it goes down") : guessed > 0 ? tr("it goes up") : tr("it stays");
  const std::string was = *change == Change::kDown ? tr("it went down")
                          : *change == Change::kUp ? tr("it went up")
                                                   : tr("it stayed");
  return tr("{} You said {}: {}.", text, said, was);
}

// "accumulate=8: sent 1.50 → 6.75 Ψ, peak 19.04 → 21.11 MiB." Those that change, or that none does; what was
// guessed of the first one is judged. One of them at least is measured in both runs.
std::string difference_in_words(const std::string& words, const std::vector<GaugeRow>& rows, int guessed) {
  std::vector<std::string> changed, same;
  for (const GaugeRow& row : rows) {
    const auto change = change_of(row);
    if (change == Change::kSame) same.push_back(row.gauge->name);
    if (change && change != Change::kSame) changed.push_back(change_in_words(row));
  }
  // What was guessed stands first even where it stays.
  if (guessed != kNoGuess && change_of(rows.front()) == Change::kSame)
    changed.insert(changed.begin(), change_in_words(rows.front()));
  if (changed.empty()) return tr("{}: no difference in {}.", words, join(same));
  return judged(rows.front(), guessed, tr("{}: {}.", words, join(changed)));
}

}  // namespace

void Comparison::pin(std::optional<KeptRun> run, bool by_hand) {
  pinned_ = std::move(run);
  by_hand_ = by_hand && pinned_;
  ++pins_;
}

void Comparison::move_pinned(const Place& place, std::string_view step) {
  const SectionView* same = pinned_->trace.find(place.section);
  if (same == nullptr || place.section == pinned_->section) return;
  pinned_->section = place.section;
  pinned_->time_ns = instant_of(pinned_->trace, place, step).value_or(last_moment(*same));
}

void Comparison::keep(const Config& config, const Trace& trace) {
  KeptFigures figures{config.scenario(true), std::make_shared<Config>(config), trace.rows().outcome, {}};
  for (const PredictionRow& row : trace.rows().predictions)
    if (row.words.empty()) figures.measured[row.id] = row.answer;
  std::erase_if(kept_, [&](const KeptFigures& one) { return one.scenario == figures.scenario; });
  kept_.push_back(std::move(figures));
  if (kept_.size() > kKeptRuns) kept_.erase(kept_.begin());
}

std::optional<double> Comparison::measure(const Gauge& gauge, const Config& config, const Trace& trace,
                                          const SectionView* section) try {
  if (section == nullptr) return std::nullopt;
  const auto value = gauge.value({config, trace, section, last_moment(*section)});
  return value && std::isfinite(*value) ? value : std::nullopt;
} catch (const std::exception&) {
  return std::nullopt;  // of a trace that was cut short
}

Comparison::Values Comparison::measure(const Lesson& lesson, const Config& config, const Trace& trace,
                                       const SectionView* section) {
  Values values;
  for (const Gauge& gauge : lesson.gauges) values.push_back(measure(gauge, config, trace, section));
  return values;
}

bool Comparison::depends_on_section(const View& view, const Values& now) {
  if (view.section == nullptr || now.empty()) return false;
  return std::ranges::any_of(view.trace.sections(), [&](const SectionView& other) {
    return other.name() != view.section->name() &&
           measure(view.lesson.gauges.front(), view.config, view.trace, &other) != now.front();
  });
}

void Comparison::update(const View& view) {
  const std::string section = view.section == nullptr ? "" : view.section->name();
  refresh(mark_, view.trace, view.run);
  const InputMark mark{mark_, 0, section, 0};
  const Values& now = now_.get(mark, view.seconds, view.running, [&] {
    Values measured = measure(view.lesson, view.config, view.trace, view.section);
    of_section_ = depends_on_section(view, measured);
    return measured;
  });
  const std::string of = view.pinned == nullptr ? "" : fmt::format("{} {}", pins_, view.pinned->section);
  if (of != values_of_) {
    pinned_values_ = view.pinned == nullptr ? Values{}
                                            : measure(view.lesson, *view.pinned->config, view.pinned->trace,
                                                      view.pinned->trace.find(view.pinned->section));
    values_of_ = of;
  }
  rows_.clear();
  for (size_t i = 0; i < view.lesson.gauges.size(); ++i) {
    rows_.push_back({&view.lesson.gauges[i], i < pinned_values_.size() ? pinned_values_[i] : std::nullopt,
                     i < now.size() ? now[i] : std::nullopt});
  }
}

bool Comparison::compares_sections(const Trace& trace, const SectionView* section) const {
  if (!pinned_ || section == nullptr || section->name() == pinned_->section) return false;
  return pinned_->trace.find(section->name()) != nullptr || trace.find(pinned_->section) != nullptr;
}

std::string Comparison::difference(const Config& to, const Trace& trace, const SectionView* section,
                                   bool busy) const {
  if (!pinned_ || rows_.empty()) return "";
  const std::string changed = words_that_differ(*pinned_->config, to);
  if (changed.empty()) return "";
  if (!is_whole(pinned_->trace, pinned_->section))
    return tr("{}: the pinned run had not measured it.", changed);
  if ((section != nullptr && !is_whole(trace, section->name())) ||
      std::ranges::none_of(rows_, [](const GaugeRow& row) { return change_of(row).has_value(); }))
    return not_measured(changed, trace, busy || waiting());
  if (compares_sections(trace, section))
    return difference_in_words(
        tr("{} → {}, {}", title_of(*pinned_->trace.find(pinned_->section)), title_of(*section), changed),
        rows_, kNoGuess);
  return difference_in_words((of_section_ ? section_words(section, changed) : "") + changed, rows_,
                             guess.said);
}

std::optional<Change> change_of(const GaugeRow& row) {
  if (!row.pinned || !row.now) return std::nullopt;
  const double larger = std::max(std::abs(*row.pinned), std::abs(*row.now));
  if (std::abs(*row.now - *row.pinned) <= kSame * larger) return Change::kSame;
  return *row.now > *row.pinned ? Change::kUp : Change::kDown;
}

std::string gauge_with_unit(const GaugeRow& row, const std::optional<double>& value) {
  return gauge_text(row, value) + (row.gauge->unit.empty() || !value ? "" : " " + row.gauge->unit);
}

}  // namespace ringside::gui
