#include "room_comparing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/units.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"

namespace ringside::gui {
namespace {

constexpr double kSame = 0.005;  // of the larger one

bool is_whole(const std::optional<double>& value) { return !value || *value == std::round(*value); }

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

}  // namespace

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

void Comparison::update(const View& view, uint64_t pins) {
  const std::string section = view.section == nullptr ? "" : view.section->name();
  refresh(mark_, view.trace, view.run);
  const InputMark mark{mark_, 0, section, 0};
  const Values& now = now_.get(mark, view.seconds, view.running, [&] {
    Values measured = measure(view.lesson, view.config, view.trace, view.section);
    of_section_ = depends_on_section(view, measured);
    return measured;
  });
  const std::string of = view.pinned == nullptr ? "" : fmt::format("{} {}", pins, view.pinned->section);
  if (of != pinned_of_) {
    pinned_ = view.pinned == nullptr ? Values{}
                                     : measure(view.lesson, *view.pinned->config, view.pinned->trace,
                                               view.pinned->trace.find(view.pinned->section));
    pinned_of_ = of;
  }
  rows_.clear();
  for (size_t i = 0; i < view.lesson.gauges.size(); ++i) {
    rows_.push_back({&view.lesson.gauges[i], i < pinned_.size() ? pinned_[i] : std::nullopt,
                     i < now.size() ? now[i] : std::nullopt});
  }
}

std::optional<Change> change_of(const GaugeRow& row) {
  if (!row.pinned || !row.now) return std::nullopt;
  const double larger = std::max(std::abs(*row.pinned), std::abs(*row.now));
  if (std::abs(*row.now - *row.pinned) <= kSame * larger) return Change::kSame;
  return *row.now > *row.pinned ? Change::kUp : Change::kDown;
}

std::string words_that_differ(const Config& from, const Config& to) {
  const std::vector<std::string> before = split_scenario(from.scenario(true));
  std::vector<std::string> words;
  for (const std::string& word : split_scenario(to.scenario(true)))
    if (std::ranges::find(before, word) == before.end()) words.push_back(word);
  return join(words, " ");
}

std::string gauge_text(const GaugeRow& row, const std::optional<double>& value) {
  if (!value) return "—";
  if (is_whole(row.pinned) && is_whole(row.now)) return format_count(std::llround(*value));
  return std::abs(*value) < 0.01 ? fmt::format("{:.2g}", *value) : fmt::format("{:.2f}", *value);
}

std::string gauge_with_unit(const GaugeRow& row, const std::optional<double>& value) {
  return gauge_text(row, value) + (row.gauge->unit.empty() || !value ? "" : " " + row.gauge->unit);
}

std::string change_in_words(const GaugeRow& row) {
  const std::string now = gauge_with_unit(row, row.now);
  if (change_of(row) == Change::kSame) return tr("{} stays {}", row.gauge->name, now);
  return tr("{} {} → {}", row.gauge->name, gauge_text(row, row.pinned), now);
}

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

}  // namespace ringside::gui
