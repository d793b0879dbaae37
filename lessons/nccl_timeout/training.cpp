#include "training.h"

#include <algorithm>

#include "ringside/trace/measure.h"

namespace ringside::nccl_lesson {

std::string_view to_string(OutputVersion version) {
  constexpr std::array<std::string_view, 4> kNames = {"original", "v1", "v2", "v3"};
  return kNames[size_t(version)];
}

TrainerConfig assembled(const Training& training) {
  TrainerConfig config = training;
  config.make_model = returning_classifier(
      training.model, training.max_tokens, [training](int, bool is_training) -> WantedOutputs {
        const bool everything =
            returns_everything(training.outputs, is_training || training.wrapper_mismatch);
        return {everything, everything && training.attentions};
      });
  if (training.evaluation_gather == EvaluationGather::kCounts) return config;
  GatheringOptions gathering;
  const bool others = training.gathers_outputs(),
             small = training.gather_transfer == GatherTransfer::kCompressed ||
                     training.precision == Precision::kBFloat16;
  gathering.expected = {true,
                        others,
                        others && training.attentions,
                        training.model,
                        training.evaluation_rows,
                        training.max_tokens,
                        small ? 2 : 4};
  gathering.all_outputs = training.evaluation_gather == EvaluationGather::kOutputs;
  gathering.transfer = training.gather_transfer;
  gathering.chunk = training.gather_chunk;
  if (training.swallows)
    gathering.leaves_out = [who = training.mistake.rank](int rank, int64_t batch) {
      return rank == who && batch == 0;
    };
  config.evaluation = gathering_evaluation(gathering);
  return config;
}

std::vector<int64_t> gathered_bytes(const Trace& trace, const SectionView& section) {
  std::vector<int64_t> bytes;
  for (const SpanEvent& span : spans_named(trace, section, "evaluate")) {
    bytes.push_back(0);
    for (const CollectiveEvent& event : section.collectives(0))
      if (event.op == Op::kAllGather && event.state == CollectiveState::kCompleted &&
          trace.name(event.tag).starts_with("evaluation") && is_within(event.time_completed_ns, span))
        bytes.back() += event.bytes_sent;
  }
  return bytes;
}

int64_t held_output_bytes(const Trace& trace, const SectionView& section) {
  int64_t most = 0;
  for (const SpanEvent& span : spans_named(trace, section, "backward")) {
    int64_t held = 0;
    for (const MemoryEvent& event : section.memory(0, Category::kActivations)) {
      const std::string& tensor = trace.name(event.tensor);
      if (is_within(event.time_ns, span) && (tensor == "hidden states" || tensor == "attentions"))
        held -= event.delta_bytes;
    }
    if (trace.name(span.unit) == "embedding") most = std::max(most, held);
  }
  return most;
}

int64_t kept_for_backward(const Trace& trace, const SectionView& section) {
  const auto backward = spans_named(trace, section, "backward");
  int64_t kept = 0;
  for (const MemoryEvent& event : section.memory(0, Category::kActivations))
    if (!backward.empty() && event.time_ns < backward[0].start_ns &&
        trace.name(event.tensor) == "hidden states")
      kept += event.delta_bytes;
  return kept;
}

int64_t first_bucket_after_evaluation(const Trace& trace, const SectionView& section) {
  const auto evaluations = spans_named(trace, section, "evaluate");
  for (const CollectiveEvent& event : section.collectives(0))
    if (!evaluations.empty() && event.time_created_ns > evaluations[0].end_ns &&
        trace.name(event.tag) == "gradients")
      return event.elements;
  return 0;
}

}  // namespace ringside::nccl_lesson
