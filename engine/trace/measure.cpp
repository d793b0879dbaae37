#include "ringside/trace/measure.h"

#include <algorithm>

namespace ringside::inline trace {

std::string attribute(const SectionView& section, const std::string& key) {
  const Attribute* found = section.find(key);
  return found == nullptr ? "" : found->text();
}
std::string attribute(const Trace& trace, const std::string& section, const std::string& key) {
  const SectionView* view = trace.find(section);
  return view == nullptr ? "" : attribute(*view, key);
}

std::optional<double> number_in(const SectionView& section, const std::string& key) {
  const Attribute* found = section.find(key);
  return found == nullptr ? std::nullopt : found->number();
}
std::optional<double> number_in(const Trace& trace, const std::string& section, const std::string& key) {
  const SectionView* view = trace.find(section);
  return view == nullptr ? std::nullopt : number_in(*view, key);
}

bool is_yes(const SectionView& section, const std::string& key) {
  return section.has(key) && section.yes(key);
}

std::optional<double> outcome(const Trace& trace, const std::string& name) {
  const auto found = trace.rows().outcome.find(name);
  return found == trace.rows().outcome.end() ? std::nullopt : std::optional(found->second);
}
std::string outcome_text(const Trace& trace, const std::string& name) {
  const auto found = trace.rows().outcome_text.find(name);
  return found == trace.rows().outcome_text.end() ? "" : found->second;
}

std::vector<SpanEvent> spans_named(const Trace& trace, const SectionView& section, std::string_view span,
                                   int rank) {
  std::vector<SpanEvent> spans;
  for (int one = 0; one < section.ranks(); ++one) {
    if (rank != kAllRanks && one != rank) continue;
    for (const SpanEvent& event : section.spans(one))
      if (trace.name(event.name) == span) spans.push_back(event);
  }
  return spans;
}

bool is_within(int64_t time_ns, const SpanEvent& span) {
  return time_ns >= span.start_ns && time_ns <= span.end_ns;
}

std::vector<CollectiveEvent> completed_calls(const Trace& trace, const SectionView& section,
                                             std::string_view tag, int rank) {
  std::vector<CollectiveEvent> calls;
  for (int one = 0; one < section.ranks(); ++one) {
    if (rank != kAllRanks && one != rank) continue;
    for (const CollectiveEvent& event : section.collectives(one))
      if (event.state == CollectiveState::kCompleted && trace.name(event.tag) == tag) calls.push_back(event);
  }
  return calls;
}

std::vector<double> span_ms(const Trace& trace, const SectionView& section, std::string_view span) {
  std::vector<double> ms;
  for (const SpanEvent& event : spans_named(trace, section, span))
    ms.push_back(double(event.end_ns - event.start_ns) * 1e-6);
  return ms;
}

int64_t peak_bytes(const Trace& trace, const SectionView& section, std::string_view span) {
  int64_t peak = 0;
  for (const SpanEvent& within : spans_named(trace, section, span))
    for (const Category category : kCategories)
      for (const MemoryEvent& event : section.memory(0, category))
        if (is_within(event.time_ns, within)) peak = std::max(peak, event.total_bytes);
  return peak;
}

int64_t peak_bytes(const SectionView& section, Category category) {
  const auto events = section.memory(0, category);
  return events.empty() ? 0 : events[events.size() - 1].peak_bytes;
}

}  // namespace ringside::inline trace
