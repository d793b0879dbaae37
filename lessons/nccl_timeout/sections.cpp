#include "sections.h"

#include <algorithm>

namespace ringside::nccl_lesson {

std::string attribute(const Trace& trace, const std::string& section, const std::string& key) {
  const SectionView* view = trace.find(section);
  return view == nullptr ? "" : attribute(*view, key);
}

std::optional<double> figure(const Trace& trace, const std::string& section, const std::string& key) {
  const SectionView* view = trace.find(section);
  return view == nullptr ? std::nullopt : number_in(*view, key);
}

std::vector<double> span_ms(const Trace& trace, const SectionView& section, std::string_view span) {
  std::vector<double> ms;
  for (const SpanEvent& event : section.spans(0))
    if (trace.name(event.name) == span)
      ms.push_back(static_cast<double>(event.end_ns - event.start_ns) * 1e-6);
  return ms;
}

std::string underscored(std::string section) {
  std::replace(section.begin(), section.end(), ' ', '_');
  return section;
}

std::optional<double> outcome(const Trace& trace, const std::string& name) {
  const auto found = trace.rows().outcome.find(name);
  return found == trace.rows().outcome.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ringside::nccl_lesson
