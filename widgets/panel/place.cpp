#include "ringside/panel/place.h"

#include <algorithm>

namespace ringside {
namespace {

void cover(std::optional<TimeRange>& range, const SpanEvent& span) {
  if (!range) range = TimeRange{span.start_ns, span.end_ns};
  range->first = std::min(range->first, span.start_ns);
  range->last = std::max(range->last, span.end_ns);
}

// Of all spans of a step by that name, and of those of the unit where it has one.
std::optional<TimeRange> range_of_phase(const Trace& trace, const SectionView& section, const Place& place) {
  std::optional<TimeRange> phase, unit;
  for (const SpanEvent& span : section.spans(0)) {
    if (span.step != place.step || trace.name(span.name) != place.phase) continue;
    cover(phase, span);
    if (!place.unit.empty() && trace.name(span.unit) == place.unit) cover(unit, span);
  }
  return unit ? unit : phase;
}

double part_of(const TimeRange& range, int64_t time_ns) {
  if (range.length() <= 0) return 0;
  const double part = double(time_ns - range.first) / double(range.length());
  return std::clamp(part, 0.0, 1.0);
}

int64_t at_part(const TimeRange& range, double part) {
  return range.first + int64_t(part * double(range.length()));
}

}  // namespace

std::optional<TimeRange> range_of_step(const Trace& trace, const SectionView& section, int64_t number,
                                       std::string_view step) {
  std::optional<TimeRange> range;
  if (section.ranks() == 0) return range;
  for (const SpanEvent& span : section.spans(0))
    if (span.step == number && trace.name(span.name) == step) cover(range, span);
  return range;
}

int64_t last_step(const Trace& trace, const SectionView& section, std::string_view step,
                  int64_t began_by_ns) {
  int64_t last = -1;
  if (section.ranks() == 0) return last;
  for (const SpanEvent& span : section.spans(0))
    if (span.start_ns <= began_by_ns && trace.name(span.name) == step) last = std::max(last, span.step);
  return last;
}

Place place_of(const Trace& trace, const SectionView& section, int64_t time_ns, std::string_view step) {
  Place place{section.name()};
  const Moment moment = moment_at(trace, section, time_ns, 0, step);
  const auto whole = moment.step < 0 ? std::nullopt : range_of_step(trace, section, moment.step, step);
  if (!whole) {
    place.part = part_of(time_range(section), time_ns);
    return place;
  }
  place.step = moment.step;
  place.phase = moment.phase;
  place.unit = moment.unit;
  const auto phase = place.phase.empty() ? std::nullopt : range_of_phase(trace, section, place);
  place.part = part_of(phase.value_or(*whole), time_ns);
  return place;
}

std::optional<int64_t> instant_of(const Trace& trace, const Place& place, std::string_view step) {
  const SectionView* section = trace.find(place.section);
  if (section == nullptr) return std::nullopt;
  if (place.step < 0) {
    const TimeRange range = time_range(*section);
    return range.length() > 0 ? std::optional(at_part(range, place.part)) : std::nullopt;
  }
  const auto whole = range_of_step(trace, *section, place.step, step);
  if (!whole) return std::nullopt;
  const auto phase = place.phase.empty() ? std::nullopt : range_of_phase(trace, *section, place);
  return at_part(phase.value_or(*whole), place.part);
}

}  // namespace ringside
