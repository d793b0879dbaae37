#include "outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ringside/base/error.h"
#include "ringside/base/median.h"
#include "ringside/ledger/ledger.h"
#include "ringside/nn/output_version.h"
#include "ringside/train/in_turns.h"
#include "sections.h"

namespace ringside::nccl_lesson {
namespace {

constexpr int64_t kMeasuredSteps = 6;
constexpr int64_t kRounds = 9;  // an interval that leaves out the lowest and the highest (base/ratio.h)
constexpr std::chrono::seconds kNothingHangs{60};

// The most bytes that were live on rank 0 within a span of this name.
int64_t peak_bytes(const Trace& trace, const SectionView& section, std::string_view span_name) {
  int64_t peak = 0;
  for (const SpanEvent& span : section.spans(0)) {
    if (trace.name(span.name) != span_name) continue;
    for (const Category category : kCategories) {
      for (const MemoryEvent& event : section.memory(0, category))
        if (event.time_ns >= span.start_ns && event.time_ns <= span.end_ns)
          peak = std::max(peak, event.total_bytes);
    }
  }
  return peak;
}

// Whether any rank gathered hidden states: what forward returned in evaluation.
bool gathered_hidden_states(const Trace& trace, const SectionView& section) {
  for (const CollectiveEvent& event : section.collectives(0))
    if (trace.name(event.tag) == "evaluation hidden states") return true;
  return false;
}

// As the documents write it: "V1".
std::string name_of(OutputVersion version) {
  std::string name(to_string(version));
  if (version != OutputVersion::kOriginal) name[0] = 'V';
  return name;
}

// The first collective that carried gradients after the first evaluation: what the log's line names.
int64_t first_bucket_after_evaluation(const Trace& trace, const SectionView& section) {
  std::optional<int64_t> evaluated;
  for (const SpanEvent& span : section.spans(0))
    if (trace.name(span.name) == "evaluate" && !evaluated) evaluated = span.end_ns;
  for (const CollectiveEvent& event : section.collectives(0))
    if (evaluated && event.time_created_ns > *evaluated && trace.name(event.tag) == "gradients")
      return event.elements;
  return 0;
}

Attributes attributes_of(const OutputsSetup& setup) {
  return {{kAct, "3"}, {kKind, "outputs"}, {kTitle, setup.title}};
}

// Writes what the section measured as its attributes, and settles its ledger.
std::vector<LedgerRow> settle(const OutputsSetup& setup, const Dataset& dataset, const TrainResult& result,
                              const RunContext& context) {
  const Trace trace = context.store.snapshot();
  const SectionView& section = *trace.find(setup.section);
  context.store.set_attributes(
      setup.section, {{"version", name_of(setup.training.outputs)},
                      {"mismatch", setup.training.wrapper_mismatch},
                      {kTrainingPeak, peak_bytes(trace, section, "step")},
                      {kEvaluationPeak, peak_bytes(trace, section, "evaluate")},
                      {kGathered, result.gathered_bytes.empty() ? 0 : result.gathered_bytes.front()},
                      {kStepMs, median(span_ms(trace, section, "step"))},
                      {kEvaluationMs, median(span_ms(trace, section, "evaluate"))},
                      {"held_in_training_bytes", result.held_output_bytes},
                      {"accuracy", result.accuracy},
                      {"first_bucket_after_evaluation", first_bucket_after_evaluation(trace, section)},
                      {kReturnedTraining, result.held_output_bytes > 0},
                      {kReturnedEvaluation, gathered_hidden_states(trace, section)}});
  return reconcile(predict_zero_run(planned_run(setup.training, dataset, result.interruption)),
                   count_rows(trace, section));
}

}  // namespace

std::vector<OutputsSetup> outputs_setups(const TrainerConfig& base) {
  std::vector<OutputsSetup> setups;
  const auto add = [&](const std::string& section, const std::string& title) -> TrainerConfig& {
    setups.push_back({section, title, base});
    setups.back().training.steps = kMeasuredSteps;
    setups.back().training.evaluate_every = kMeasuredSteps / 2;
    setups.back().training.timeout = kNothingHangs;
    return setups.back().training;
  };
  for (const bool mismatch : {false, true}) {
    for (const OutputVersion version :
         {OutputVersion::kOriginal, OutputVersion::kV3, OutputVersion::kV1, OutputVersion::kV2}) {
      const std::string name = name_of(version);
      TrainerConfig& training =
          add(name + (mismatch ? " mismatch" : ""), name + (mismatch ? ", flags disagree" : ", flags agree"));
      training.outputs = version;
      training.wrapper_mismatch = mismatch;
    }
  }
  add("chunked", "original, gathered in chunks").gather_transfer = GatherTransfer::kChunked;
  add("compressed", "original, gathered as bf16").gather_transfer = GatherTransfer::kCompressed;
  return setups;
}

std::vector<LedgerRow> run_outputs(const OutputsSetup& setup, const Dataset& dataset,
                                   const RunContext& context) {
  TrainerHooks hooks;
  hooks.control = &context.control;
  hooks.attributes = attributes_of(setup);
  const TrainResult result = train(setup.training, dataset, context.store, setup.section, hooks);
  if (!result.complete) throw CancelledError();
  return settle(setup, dataset, result, context);
}

std::vector<LedgerRow> run_in_turns(const TrainerConfig& base, const Dataset& dataset,
                                    const RunContext& context) {
  std::vector<OutputsSetup> setups = {{kOriginalInTurns, "original, in turns with V3", base},
                                      {kV3InTurns, "V3, in turns with the original", base}};
  setups.back().training.outputs = OutputVersion::kV3;
  std::vector<Turn> turns;
  for (OutputsSetup& setup : setups) {
    setup.training.evaluate_every = 1;
    setup.training.timeout = kNothingHangs;
    setup.training = config_in_turns(setup.training, kRounds);
    turns.push_back({setup.training, setup.section, attributes_of(setup)});
  }
  const auto results = train_in_turns(turns, kRounds, dataset, context.store, context.control, [] {});
  std::vector<LedgerRow> ledger;
  for (size_t i = 0; i < setups.size(); ++i) {
    const auto rows = settle(setups[i], dataset, results[i], context);
    ledger.insert(ledger.end(), rows.begin(), rows.end());
  }
  return ledger;
}

}  // namespace ringside::nccl_lesson
