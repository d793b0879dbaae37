#include "lesson.h"
#include "parts.h"
#include "ringside/train/booked.h"

namespace ringside::nccl_lesson {
namespace {

constexpr int64_t kMeasuredSteps = 6;
constexpr std::chrono::seconds kNothingHangs{60};

Attributes attributes_of(const OutputsSetup& setup) {
  return {
      {kAct, "3"}, {kKind, "outputs"}, {kTitle, setup.title}, {kReturns, to_string(setup.training.outputs)}};
}

bool gathered_hidden_states(const Trace& trace, const SectionView& section) {
  for (const CollectiveEvent& event : section.collectives(0))
    if (trace.name(event.tag) == "evaluation hidden states") return true;
  return false;
}

// Writes what the section measured as its attributes, and settles its ledger. trained: what the engine was
// given of the setup.
std::vector<LedgerRow> settle(const OutputsSetup& setup, const TrainerConfig& trained, const Dataset& dataset,
                              const TrainResult& result, const RunContext& context) {
  const Trace trace = context.store.snapshot();
  const SectionView& section = *trace.find(setup.section);
  const std::vector<int64_t> gathered = gathered_bytes(trace, section);
  const int64_t held = held_output_bytes(trace, section);
  context.store.set_attributes(setup.section,
                               {{kTrainingPeak, peak_bytes(trace, section, "step")},
                                {kEvaluationPeak, peak_bytes(trace, section, "evaluate")},
                                {kGathered, gathered.empty() ? 0 : gathered.front()},
                                {kStepMs, median(span_ms(trace, section, "step"))},
                                {kEvaluationMs, median(span_ms(trace, section, "evaluate"))},
                                {"held_in_training_bytes", held},
                                {"accuracy", result.accuracy},
                                {kKeptForBackward, kept_for_backward(trace, section)},
                                {kNextBucket, first_bucket_after_evaluation(trace, section)},
                                {kReturnedTraining, held > 0},
                                {kReturnedEvaluation, gathered_hidden_states(trace, section)}});
  return ledger_of(trace, setup.section, trained, dataset, result.interruption);
}

}  // namespace

std::vector<OutputsSetup> outputs_setups(const Training& base) {
  using V = OutputVersion;
  using T = GatherTransfer;
  struct Row {
    const char *section, *title;
    OutputVersion version;
    bool mismatch = false;
    GatherTransfer transfer = T::kWhole;
  };
  std::vector<OutputsSetup> setups;
  for (const Row& row : std::initializer_list<Row>{
           {"original", "original", V::kOriginal},
           {"V3", "V3: never", V::kV3},
           {"V1", "V1: self.training", V::kV1},
           {"V2", "V2: and self.model.training", V::kV2},
           {"V1 mismatch", "V1, if eval() missed the module", V::kV1, true},
           {"V2 mismatch", "V2, if eval() missed the module", V::kV2, true},
           {"chunked", "original, gathered in chunks", V::kOriginal, false, T::kChunked},
           {"compressed", "original, gathered as bf16", V::kOriginal, false, T::kCompressed}}) {
    setups.push_back({row.section, row.title, base});
    Training& training = setups.back().training;
    training.steps = kMeasuredSteps;
    training.evaluate_every = kMeasuredSteps / 2;
    training.timeout = kNothingHangs;
    training.outputs = row.version;
    training.wrapper_mismatch = row.mismatch;
    training.gather_transfer = row.transfer;
  }
  return setups;
}

std::vector<LedgerRow> run_outputs(const OutputsSetup& setup, const Dataset& dataset,
                                   const RunContext& context) {
  TrainerHooks hooks = hooks_of(context.control);
  hooks.attributes = attributes_of(setup);
  const TrainerConfig config = assembled(setup.training);
  const TrainResult result = train(config, dataset, context.store, setup.section, hooks);
  if (!result.complete) throw CancelledError();
  return settle(setup, config, dataset, result, context);
}

}  // namespace ringside::nccl_lesson
