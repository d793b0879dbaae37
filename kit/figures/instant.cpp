#include "ringside/figures/instant.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "ringside/figures/in_time.h"

namespace ringside::inline kit {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

bool is_wait_span(const std::string& name) { return name.starts_with("wait"); }

// When the last step of a rank ended; none where it took none.
std::optional<int64_t> last_step_of(const Trace& trace, const SectionView& section, int rank) {
  const auto spans = section.spans(rank);
  for (size_t i = spans.size(); i > 0; --i)
    if (trace.name(spans[i - 1].name) == kStepSpan) return spans[i - 1].end_ns;
  return std::nullopt;
}

}  // namespace

TimeRange time_range(const SectionView& section) {
  TimeRange range{kNever, kNever};
  const bool broke = section.attributes().contains(kBroke);
  int64_t longest = 0;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    int64_t last = 0;
    const auto cover = [&](int64_t first_ns, int64_t last_ns) {
      range.first = std::min(range.first, first_ns);
      last = std::max(last, last_ns);
    };
    if (const auto spans = section.spans(rank); !spans.empty()) cover(spans[0].start_ns, spans.back().end_ns);
    if (const auto events = section.collectives(rank); !events.empty())
      cover(events[0].time_created_ns, time_of(events.back()));
    if (const auto notes = section.notes(rank); !notes.empty()) cover(notes[0].time_ns, notes.back().time_ns);
    // What is freed after the last of these is the end of the section, not a part of it.
    const bool only_tells = last == 0;
    bool holds = false;
    if (const auto scalars = section.scalars(rank); only_tells && !scalars.empty())
      cover(scalars[0].time_ns, scalars.back().time_ns);
    for (const Category category : kCategories) {
      const auto memory = section.memory(rank, category);
      holds = holds || !memory.empty();
      if (only_tells && !memory.empty()) cover(memory[0].time_ns, memory.back().time_ns);
    }
    // A rank that is done frees what it held while others still work: the section ends before that. One that
    // holds nothing, said that it has gone, or tells its memory and scalars alone, does not end the section.
    if (holds && !only_tells && !section.life(rank).ended_ns) range.last = std::min(range.last, last);
    longest = std::max(longest, last);
  }
  // Where one rank stopped, the others' wait for it is what there is to see.
  if ((broke || range.last == kNever) && longest > 0) range.last = longest;
  if (range.first == kNever) return {};
  range.last = std::max(range.first, range.last);
  return range;
}

Moment moment_at(const Trace& trace, const SectionView& section, int64_t time_ns, int rank,
                 std::string_view step) {
  Moment moment;
  if (rank >= section.ranks()) return moment;
  const auto spans = section.spans(rank);
  int64_t shortest = kNever;
  const size_t at = upper_bound(spans, time_ns - 1, end_of);
  for (size_t i = at; i < std::min(spans.size(), at + kNearby); ++i) {
    const SpanEvent& span = spans[i];
    if (span.start_ns > time_ns || span.end_ns < time_ns) continue;
    moment.step = std::max(moment.step, span.step);
    const std::string& name = trace.name(span.name);
    const int64_t length = span.end_ns - span.start_ns;
    if (name == step || is_wait_span(name) || length >= shortest) continue;
    shortest = length;
    moment.phase = name;
    moment.unit = trace.name(span.unit);
  }
  return moment;
}

int64_t last_moment(const SectionView& section) {
  int64_t last = 0;
  const auto reach = [&](const auto& events, auto time) {
    if (!events.empty()) last = std::max<int64_t>(last, time(events.back()));
  };
  const auto stamp = [](const auto& event) { return event.time_ns; };
  for (int rank = 0; rank < section.ranks(); ++rank) {
    reach(section.spans(rank), end_of);
    reach(section.collectives(rank), static_cast<int64_t (*)(const CollectiveEvent&)>(time_of));
    reach(section.notes(rank), stamp);
    reach(section.scalars(rank), stamp);
    reach(section.rows(rank), stamp);
    reach(section.messages(rank),
          [](const MessageEvent& m) { return std::max(m.time_sent_ns, m.time_received_ns); });
  }
  return last;
}

int64_t end_of_last_step(const Trace& trace, const SectionView& section) {
  std::optional<int64_t> first;
  for (int rank = 0; rank < section.ranks(); ++rank)
    if (const auto end = last_step_of(trace, section, rank)) first = std::min(first.value_or(*end), *end);
  return first.value_or(last_moment(section));
}

int64_t shown_end(const Trace& trace, const SectionView& section, bool of_last_step) {
  return of_last_step ? end_of_last_step(trace, section) : last_moment(section);
}

FigureInput default_input(const Config& config, const FigureSpec& spec, const Trace& trace) {
  const std::string name = spec.section_of ? spec.section_of(config) : spec.section;
  const SectionView* section = name.empty() ? nullptr : trace.find(name);
  if (section == nullptr && !trace.sections().empty()) section = &trace.sections().back();
  if (section == nullptr) return {config, trace};
  return {config, trace, section, shown_end(trace, *section, spec.of_last_step)};
}

}  // namespace ringside::inline kit
