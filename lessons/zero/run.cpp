#include "lesson.h"

#include <numeric>
#include "proof.h"
#include "ringside/base/clock.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/section_title.h"
#include "ringside/train/booked.h"
#include "ringside/train/in_turns.h"
#include "scenario.h"

namespace ringside::zero_lesson {
namespace {

constexpr int64_t kComparedSteps = 3;  // of every stage, before any is trained to its end
constexpr int64_t kProbeSteps = 1;     // of a set-up that only a claim asks for
constexpr int64_t kOverlapRounds = 9;  // their interval leaves out the lowest and the highest ratio

struct Section {
  std::string name;
  Part part;
  TrainerConfig config;
};

Section probe(const TrainerConfig& base, const Distribution& changed) {
  const char* how = changed.stage == 3 && !changed.reshard     ? " reshard=off"
                    : changed.reduce == ReduceMode::kAllReduce ? " all_reduce"
                                                               : "";
  Section section{fmt::format("probe stage {}{} g={}", changed.stage, how, changed.accumulate), Part::kProbe,
                  base};
  static_cast<Distribution&>(section.config) = changed;
  section.config.steps = std::min(base.steps, kProbeSteps);
  section.config.evaluate_every = -1;
  return section;
}

// FSDP's SHARD_GRAD_OP, with one micro-batch.
Distribution kept_after_forward(const TrainerConfig& base) {
  Distribution changed = base;
  changed.stage = 3;
  changed.reshard = false;
  changed.reduce = ReduceMode::kReduceScatter;
  changed.accumulate = 1;
  return changed;
}

// The first steps of the four stages, first what the scenario names: they measure every answer within
// seconds. Then what the scenario names, to its end; then every (stage, reduction, accumulation) that a claim
// compares and the scenario itself does not run.
std::vector<Section> sections_of(const Config& config, const TrainerConfig& base) {
  std::vector<Section> sections, whole;
  for (int stage = 0; stage <= 3; ++stage) {
    Section section{stage_name(stage), Part::kStage, base};
    section.config.stage = stage;
    if (runs_fully(config, stage)) whole.push_back({training_name(stage), Part::kTraining, section.config});
    section.config.hash_state = true;
    section.config.steps = std::min(base.steps, kComparedSteps);
    section.config.evaluate_every = -1;  // its peak is that of steps
    sections.push_back(section);
  }
  std::stable_partition(sections.begin(), sections.end(),
                        [&](const Section& section) { return runs_fully(config, section.config.stage); });
  sections.insert(sections.end(), whole.begin(), whole.end());
  const int64_t more = std::max<int64_t>(2, base.accumulate);
  for (const int64_t accumulate : {int64_t{1}, more}) {
    for (int stage = 0; stage <= 3; ++stage) {
      for (const ReduceMode reduce : {ReduceMode::kReduceScatter, ReduceMode::kAllReduce}) {
        const bool reduce_matters = stage == 1 || stage == 2;
        const bool is_the_scenario = accumulate == base.accumulate &&
                                     (reduce == base.reduce || !reduce_matters) &&
                                     (stage < 3 || base.reshard);
        if (is_the_scenario || (!reduce_matters && reduce == ReduceMode::kAllReduce)) continue;
        Distribution changed = base;
        changed.stage = stage;
        changed.reduce = reduce;
        changed.reshard = true;  // what the sources say is of stage 3 as the paper has it
        changed.accumulate = accumulate;
        sections.push_back(probe(base, changed));
      }
    }
  }
  if (base.reshard || base.accumulate > 1) sections.push_back(probe(base, kept_after_forward(base)));
  return sections;
}

std::string probe_title(const TrainerConfig& probe) {
  const std::string how = probe.stage == 3 && !probe.reshard       ? tr(", parameters kept after forward")
                          : probe.reduce == ReduceMode::kAllReduce ? tr(", reduced by all-reduce")
                                                                   : "";
  return probe.accumulate == 1
             ? tr("one step of stage {}{}", probe.stage, how)
             : tr("one step of stage {}{}, {} micro-batches", probe.stage, how, probe.accumulate);
}

// The scenario's stage with overlap and without, in turns.
std::vector<Turn> overlap_turns(const Config& config, const TrainerConfig& base) {
  const Attributes attributes = {{kPart, Part::kOverlap}};
  std::vector<Turn> turns = {{base, kOverlapOn, attributes}, {base, kOverlapOff, attributes}};
  for (Turn& turn : turns) {
    turn.config.stage = timed_stage(config);
    turn.config.overlap = turn.section == kOverlapOn;
    turn.config.evaluate_every = -1;
  }
  require_memory(config, base, {timed_stage(config), timed_stage(config)});
  return turns;
}

ProofPlan proof_plan(const Config& config) {
  ProofPlan plan;
  plan.ranks = int(config.integer("ranks"));
  plan.worlds = {plan.ranks};
  if (config.text("proof") == "full") {
    plan.steps = 20;
    for (const int ranks : {1, 2, 3, 4, 8})
      if (ranks != plan.ranks) plan.worlds.push_back(ranks);
  }
  if (config.text("proof") == "off") plan.worlds.clear();
  plan.accumulate = std::clamp<int64_t>(config.integer("accumulate"), 2, 8);
  plan.reshard = config.is_on("reshard");
  plan.optimizer = optimizer_of(config);
  plan.mesh = config.text("mesh"), plan.sequence = config.is_on("sequence");
  plan.seed = uint64_t(config.integer("seed"));
  plan.device = from_text<Device>(config.text("device")).value();
  return plan;
}

// Mean of the first, or last, tenth of the values; at least one.
double mean_of_tenth(const std::vector<double>& values, bool last) {
  const size_t count = std::max<size_t>(1, values.size() / 10);
  const auto begin = last ? values.end() - std::ptrdiff_t(count) : values.begin();
  return std::accumulate(begin, begin + std::ptrdiff_t(count), 0.0) / double(count);
}

struct Run {
  const Config& config;
  const RunContext& context;
  const Dataset dataset = load_data(config);
  const TrainerConfig base = trainer_config(config, dataset);
  const std::vector<Section> sections = sections_of(config, base);
  const std::vector<Turn> turns = overlap_turns(config, base);
  const int64_t rounds = std::min(base.steps, kOverlapRounds);
  const ProofPlan plan = proof_plan(config);
  TraceRows rows = {};
  int64_t done = 0, total = 0;

  void run() {
    const int64_t start = now_ns();
    for (const Section& section : sections) total += section.config.steps * section.config.accumulate;
    total += int64_t(turns.size()) * (kWarmUpSteps + rounds) * base.accumulate;
    total += proof_runs(plan) * proof_run_cost();
    describe_data();
    try {
      for (const Section& section : sections) train_section(section);
      compare_overlap();
      if (!plan.worlds.empty()) {
        prove(plan, context, [&] { advance("proof", proof_run_cost()); });
      }
    } catch (const CancelledError&) {
      publish_rows();  // what there is so far
      throw;
    }
    rows.outcome["seconds"] = double(now_ns() - start) * 1e-9;
    publish_rows();
  }

  // In micro-batches of the lesson's model, roughly: one takes as long as ten steps of the proof's.
  int64_t proof_run_cost() const { return plan.steps / 10; }

  // The ledger reads from stage 0 to 3, whichever ran first.
  void publish_rows() {
    const auto place = [](const LedgerRow& row) {
      const int stage = stage_named(row.section);
      return stage < 0 ? 4 : stage;  // behind them the trainings and probes, as they ran
    };
    std::ranges::stable_sort(rows.ledger,
                             [&](const LedgerRow& a, const LedgerRow& b) { return place(a) < place(b); });
    context.store.set_rows(rows);
  }

  void advance(const std::string& phase, int64_t micro_batches) {
    done += micro_batches;
    if (context.progress) context.progress({phase, done, total});
  }

  void describe_data() {
    rows.outcome_text["data"] = dataset.description;
    rows.outcome_text["data_sha256"] = dataset.sha256;
    rows.outcome["majority_accuracy"] = dataset.majority_accuracy();
    rows.outcome["classes"] = double(dataset.classes.size());
    rows.outcome["training_samples"] = double(dataset.train.size());
    rows.outcome["held_out_samples"] = double(dataset.test.size());
    rows.lines = dataset.notes;
  }

  void train_section(const Section& section) {
    TrainerHooks hooks = hooks_of(context.control, context.process);
    hooks.attributes = {{kPart, section.part}};
    if (section.part == Part::kProbe) hooks.attributes[kSectionTitle] = probe_title(section.config);
    hooks.on_step = [&](int64_t) { advance(section.name, section.config.accumulate); };
    const TrainResult result = train(section.config, dataset, context.store, section.name, hooks);
    book(section, result);
    if (!result.complete) throw CancelledError();
  }

  void compare_overlap() {
    const auto results = train_in_turns(
        turns, rounds, dataset, context.store, context.control, rows,
        [&] { advance("overlap on and off", base.accumulate); }, context.process);
    for (const TrainResult& result : results)
      if (!result.ranks_agree) rows.outcome["sections_with_disagreeing_ranks"] += 1;
  }

  void book(const Section& section, const TrainResult& result) {
    append(rows.ledger,
           ledger_of(context.store.snapshot(), section.name, section.config, dataset, result.interruption));
    if (!result.ranks_agree) rows.outcome["sections_with_disagreeing_ranks"] += 1;
    if (result.steps == 0) return;
    if (section.part == Part::kStage) compared(section, result);
    if (section.part == Part::kTraining || ends_with(section)) trained(section.config.stage, result);
  }

  // The first steps of a stage are all of it.
  bool ends_with(const Section& section) const {
    return section.part == Part::kStage && !runs_fully(config, section.config.stage);
  }

  void compared(const Section& section, const TrainResult& result) {
    const Trace trace = context.store.snapshot();
    const SectionView& view = *trace.find(section.name);
    const std::string key = fmt::format("stage_{}_", section.config.stage);
    rows.outcome[key + "state_bytes_per_parameter"] = state_of(trace, view).total() / psi(view);
    rows.outcome[key + "sent_psi_per_step"] = sent_psi(trace, view);
    rows.outcome[key + "peak_bytes"] = double(figure::peak_bytes(trace, view));
    rows.outcome_text[key + "compared_sha256"] = result.parameters_sha256;
  }

  void trained(int stage, const TrainResult& result) {
    const std::string key = fmt::format("stage_{}_", stage);
    rows.outcome[key + "step_ms"] = median(result.step_ms);
    rows.outcome_text[key + "parameters_sha256"] = result.parameters_sha256;
    if (runs_fully(config, stage)) outcome_of(result);
  }

  void outcome_of(const TrainResult& result) {
    rows.outcome["initial_loss"] = result.loss.front();
    rows.outcome["final_loss"] = result.loss.back();
    rows.outcome["first_tenth_loss"] = mean_of_tenth(result.loss, false);
    rows.outcome["last_tenth_loss"] = mean_of_tenth(result.loss, true);
    rows.outcome["evaluation_loss"] = result.evaluation_loss;
    rows.outcome["accuracy"] = result.accuracy;
    rows.outcome["evaluated_samples"] = double(result.evaluated);
    rows.outcome["step_ms"] = median(result.step_ms);
    rows.outcome_text["parameters_sha256"] = result.parameters_sha256;
  }
};

}  // namespace

void run(const Config& config, const RunContext& context) { Run{config, context}.run(); }

std::string failed_check(const Trace& trace) {
  for (const ProofCase& one : needed(proof_of(trace)).equal_expected)
    if (one.first_difference != 0)
      return "bits that should agree do not: " + one.label() + ", first at " + one.where;
  return "";
}

}  // namespace ringside::zero_lesson
