#include "sections.h"

#include <algorithm>

namespace ringside::nccl_lesson {
namespace {

bool is_within(int64_t time_ns, const SpanEvent& span) {
  return time_ns >= span.start_ns && time_ns <= span.end_ns;
}

}  // namespace

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

int64_t peak_bytes(const Trace& trace, const SectionView& section, std::string_view span_name) {
  int64_t peak = 0;
  for (const SpanEvent& span : section.spans(0)) {
    if (trace.name(span.name) != span_name) continue;
    for (const Category category : kCategories) {
      for (const MemoryEvent& event : section.memory(0, category))
        if (is_within(event.time_ns, span)) peak = std::max(peak, event.total_bytes);
    }
  }
  return peak;
}

std::vector<int64_t> gathered_bytes(const Trace& trace, const SectionView& section) {
  std::vector<int64_t> bytes;
  for (const SpanEvent& span : section.spans(0)) {
    if (trace.name(span.name) != "evaluate") continue;
    bytes.push_back(0);
    for (const CollectiveEvent& event : section.collectives(0)) {
      const bool carries_outputs =
          event.op == Op::kAllGather && trace.name(event.tag).starts_with("evaluation");
      if (carries_outputs && event.state == CollectiveState::kCompleted &&
          is_within(event.time_completed_ns, span))
        bytes.back() += event.bytes_sent;
    }
  }
  return bytes;
}

int64_t held_output_bytes(const Trace& trace, const SectionView& section) {
  int64_t most = 0;
  for (const SpanEvent& span : section.spans(0)) {
    if (trace.name(span.name) != "backward" || trace.name(span.unit) != "embedding") continue;
    int64_t held = 0;
    for (const MemoryEvent& event : section.memory(0, Category::kActivations)) {
      const std::string& tensor = trace.name(event.tensor);
      if (is_within(event.time_ns, span) && (tensor == "hidden states" || tensor == "attentions"))
        held -= event.delta_bytes;
    }
    most = std::max(most, held);
  }
  return most;
}

bool gathered_hidden_states(const Trace& trace, const SectionView& section) {
  for (const CollectiveEvent& event : section.collectives(0))
    if (trace.name(event.tag) == "evaluation hidden states") return true;
  return false;
}

int64_t first_bucket_after_evaluation(const Trace& trace, const SectionView& section) {
  std::optional<int64_t> evaluated;
  for (const SpanEvent& span : section.spans(0))
    if (trace.name(span.name) == "evaluate" && !evaluated) evaluated = span.end_ns;
  for (const CollectiveEvent& event : section.collectives(0))
    if (evaluated && event.time_created_ns > *evaluated && trace.name(event.tag) == "gradients")
      return event.elements;
  return 0;
}

}  // namespace ringside::nccl_lesson
