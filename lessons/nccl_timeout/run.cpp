#include "run.h"

#include <fmt/format.h>

#include <algorithm>

#include "arithmetic.h"
#include "cases.h"
#include "evidence.h"
#include "hang.h"
#include "names.h"
#include "outputs.h"
#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/faults/words.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/tr.h"
#include "ringside/planner/model_config.h"
#include "scenario.h"
#include "sections.h"

namespace ringside::nccl_lesson {
namespace {

constexpr int kLonger = 3;  // times the deadline: what most people try first

// What is to be run: trainings that may hang, and trainings whose outputs are measured.
class Program {
 public:
  Program(const Config& config, const Training& base) : config_(config), base_(base) {
    const Culprit symptom = culprit_of_symptom(config);
    if (config.text("faults") != "none") add_own();
    if (runs_act(config, "1")) add_symptom(symptom);
    if (runs_act(config, "3")) add_outputs(symptom);
    if (runs_act(config, "4")) add(after, "live", "4", "hang", "the autopsy, live", symptom);
    for (int which = 1; runs_act(config, "5") && which <= kCases; ++which) {
      const bool all = config.text("case") == "all" && which <= kCasesOfOneLine;
      if (all || config.text("case") == std::to_string(which))
        add_case(fmt::format("case {}", which), culprit_of_case(config, which));
    }
  }
  std::vector<HangSetup> before, after;
  std::vector<OutputsSetup> outputs;  // between the two
  int64_t size() const {
    return std::ssize(before) + std::ssize(outputs) + std::ssize(after) + (outputs.empty() ? 0 : 1);
  }

 private:
  HangSetup& add(std::vector<HangSetup>& to, const std::string& section, const std::string& act,
                 const std::string& kind, const std::string& title, const Culprit& culprit) {
    HangSetup setup{section, act, kind, title, base_};
    setup.culprit = culprit;
    if (config_.text("dumps") != "none") setup.dumps = config_.text("dumps");
    if (!culprit.cause.empty()) nccl_lesson::plan(culprit, setup.training, setup.faults);
    return to.emplace_back(std::move(setup));
  }

  void add_own() {
    HangSetup& own = add(before, "own", "own", "hang", "", {});
    own.faults = read_fault_plan(asset("faults", config_.text("faults")));
    for (const Fault& fault : own.faults.faults)
      own.title += (own.title.empty() ? "" : "; ") + in_words(fault);
    own.training.check = config_.is_on("check");
  }

  bool tries(const std::string& fix) const {
    return config_.text("fix") == "all" || config_.text("fix") == fix;
  }
  void longer_timeout(std::vector<HangSetup>& to, const Culprit& culprit) {
    add(to, "fix timeout", "1", "hang", tr("a timeout {} times as long", kLonger), culprit)
        .training.timeout *= kLonger;
  }
  void no_hidden_states(std::vector<HangSetup>& to, const Culprit& culprit) {
    Training& training =
        add(to, "fix outputs", "1", "hang", tr("no hidden states (V3, logits gathered)"), culprit).training;
    training.outputs = OutputVersion::kV3;
    training.evaluation_gather = EvaluationGather::kLogits;
  }

  void add_symptom(const Culprit& culprit) {
    add(before, "symptom", "1", "hang", tr("the symptom"), culprit);
    if (tries("timeout")) longer_timeout(before, culprit);
    if (tries("outputs")) no_hidden_states(before, culprit);
    if (tries("barrier"))
      add(before, "fix barrier", "1", "hang", tr("a barrier after the evaluation"), culprit)
          .training.barrier_ahead = true;
    if (!tries("rank")) return;
    HangSetup& fixed =
        add(before, "fix rank", "1", "fixed", tr("the missing rank found and mended"), culprit);
    mend(culprit, fixed.training, fixed.faults);
  }

  void add_outputs(const Culprit& culprit) {
    outputs = outputs_setups(base_);
    if (!runs_act(config_, "1")) {
      longer_timeout(after, culprit);
      no_hidden_states(after, culprit);
    }
  }

  void add_case(const std::string& name, const Culprit& culprit) {
    const Cause& cause = cause_of(culprit.cause);
    add(after, name, "5", "hang", name, culprit);
    if (config_.text("act") == "all")
      return;  // until somebody answers, there is nothing to show of the others
    HangSetup& fixed = add(after, name + " fixed", "5", "fixed", cause.fix, culprit);
    mend(culprit, fixed.training, fixed.faults);
    HangSetup& check = add(after, name + " check", "5", "check", name + " with check=on", culprit);
    check.training.check = true;
    for (Fault& fault : check.faults.faults) fault.silent = false;  // its launcher watches
  }

  const Config& config_;
  const Training& base_;
};

// "3 in dp #45 for 0,1,2; 0,1,2 in default #10 for 3"
std::string in_words(const std::vector<Wait>& cycle) {
  std::string text;
  for (const Wait& wait : cycle)
    text += fmt::format("{}{} in {} #{} for {}", text.empty() ? "" : "; ", fmt::join(wait.from, ","),
                        wait.group, wait.seq, fmt::join(wait.on, ","));
  return text;
}

class Run {
 public:
  Run(const Config& config, const RunContext& context)
      : config_(config),
        context_(context),
        base_(base_training(config)),
        dataset_(load_data(config)),
        program_(config, base_) {
    looks_of(config);
    const std::string& culprit = config.text("culprit");
    if (culprit != "unsaid" && culprit != kNobody && std::stoll(culprit) >= config.integer("ranks"))
      throw UsageError("culprit=" + culprit + ": with ranks=" + config.text("ranks") + " allowed are 0 to " +
                       std::to_string(config.integer("ranks") - 1) + " and nobody");
  }

  void run() {
    const int64_t start = now_ns();
    if (runs_act(config_, "2") || runs_act(config_, "4")) plan();
    for (const HangSetup& setup : program_.before) hang(setup);
    if (config_.text("faults") != "none") compare_unnoticed(program_.before.front());
    for (const OutputsSetup& setup : program_.outputs) {
      begin(setup.section);
      book(run_outputs(setup, dataset_, context_));
      keep_figures(setup.section);
    }
    if (!program_.outputs.empty()) compare_times();
    for (const HangSetup& setup : program_.after) hang(setup);
    rows_.outcome["seconds"] = static_cast<double>(now_ns() - start) * 1e-9;
    context_.store.set_rows(rows_);
  }

 private:
  void plan() {
    const BucketPlan source = planned_buckets(config_);
    const int64_t hidden = read_model_config(asset("models", config_.text("model"))).text.hidden;
    Recorder& recorder = add_plan_section(context_.store, "plan 7B",
                                          fmt::format("{}, {} classes, bias {}", config_.text("model"),
                                                      config_.integer("classes"), config_.text("bias")),
                                          hidden, source);
    add_arithmetic(config_, source, recorder, rows_);
    const BucketPlan here =
        plan_buckets(classifier_shapes(base_.model), {.bucket_size = base_.bucket_elements});
    add_plan_section(context_.store, "plan here", "the model that runs here", base_.model.hidden, here);
    rows_.outcome["first_bucket_here"] = static_cast<double>(here.buckets.front().elements);
    rows_.outcome_text["first_bucket_sum_here"] = as_sum(here.buckets.front());
  }

  void begin(const std::string& section) {
    if (context_.progress) context_.progress({section, done_++, program_.size()});
  }

  void compare_times() {
    begin("original and V3 in turns");
    book(run_in_turns(base_, dataset_, context_));
    for (const char* section : {kOriginalInTurns, kV3InTurns}) keep_figures(section);
  }

  void book(const std::vector<LedgerRow>& ledger) {
    rows_.ledger.insert(rows_.ledger.end(), ledger.begin(), ledger.end());
  }

  // A fault that nothing noticed: did it change anything? The same run without it tells.
  void compare_unnoticed(const HangSetup& own) {
    if (attribute(context_.store.snapshot(), own.section, kEnded) != "completed") return;
    const std::string with_fault = rows_.outcome_text["parameters_sha256"];
    HangSetup without = own;
    without.section = "own without";
    without.kind = "fixed";
    without.title = "the same run without the fault";
    without.faults.faults.clear();
    hang(without);
    rows_.outcome_text["own_parameters_sha256"] = with_fault;
    rows_.outcome_text["own_without_parameters_sha256"] = rows_.outcome_text["parameters_sha256"];
  }

  // Of a run that came to its end.
  void learned(const TrainResult& result) {
    rows_.outcome["initial_loss"] = result.loss.front();
    rows_.outcome["final_loss"] = result.loss.back();
    rows_.outcome["accuracy"] = result.accuracy;
    rows_.outcome["majority_accuracy"] = dataset_.majority_accuracy();
    rows_.outcome_text["parameters_sha256"] = result.parameters_sha256;
  }

  // What a section's attributes say, for readers of the JSON: "fix_timeout_ended_after_ms".
  void keep_figures(const std::string& section) {
    const std::string prefix = underscored(section) + "_";
    const Trace trace = context_.store.snapshot();
    for (const char* key : {kEndedMs, kDeadlineMs, kTrainingPeak, kEvaluationPeak, kGathered, kStepMs,
                            kEvaluationMs, "stuck_elements"})
      if (const auto value = figure(trace, section, key)) rows_.outcome[prefix + key] = *value;
    for (const char* key :
         {kEnded, kStuck, kMissing, kCulprit, kCause, "suspects", kReturnedTraining, kReturnedEvaluation})
      if (const std::string text = attribute(trace, section, key); !text.empty())
        rows_.outcome_text[prefix + key] = text;
  }

  void hang(const HangSetup& setup) {
    begin(setup.section);
    const HangResult result = run_hang(setup, dataset_, context_);
    if (result.ended == "completed") learned(result.training);
    keep_figures(setup.section);
    if (!result.report.cycle.empty())
      rows_.outcome_text[underscored(setup.section) + "_waits"] = in_words(result.report.cycle);
    if (setup.section == "own" && result.ended != "completed")
      rows_.lines.push_back(report_text(result.report));
    if (setup.kind == "hang" && setup.section != "own")
      rows_.outcome_text["report_" + underscored(setup.section)] = report_text(result.report);
  }

  const Config& config_;
  const RunContext& context_;
  const Training base_;
  const Dataset dataset_;
  const Program program_;
  TraceRows rows_;
  int64_t done_ = 0;
};

}  // namespace

void run(const Config& config, const RunContext& context) { Run(config, context).run(); }

std::string failed_check(const Trace& trace) {
  if (const int64_t bytes = unexplained_bytes(trace.rows().ledger); bytes != 0)
    return std::to_string(bytes) + " bytes are unexplained; see the ledger rows whose unexplained is not 0";
  for (const SectionView& section : trace.sections()) {
    const auto of = [&](const char* key) { return attribute(trace, section.name(), key); };
    if (of(kEnded).empty() || of(kAct) == "own") continue;
    const bool completed = of(kEnded) == "completed";
    if (of(kKind) == "fixed" && !completed)
      return section.name() + " should have run to its end: " + of(kSentence);
    const bool is_hang = of(kCause) != "straggler";
    if (of(kKind) != "fixed" && completed && is_hang) return section.name() + " should have hung and did not";
    if (of(kKind) == "hang" && is_hang && of("suspects") != of(kCulprit))
      return section.name() + ": the report points at rank " + of("suspects") + ", the plan at rank " +
             of(kCulprit);
  }
  return "";
}

}  // namespace ringside::nccl_lesson
