#include "run.h"

#include <fmt/format.h>

#include <algorithm>

#include "arithmetic.h"
#include "causes.h"
#include "hang.h"
#include "look.h"
#include "names.h"
#include "outputs.h"
#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/faults/words.h"
#include "ringside/ledger/ledger.h"
#include "scenario.h"
#include "sections.h"

namespace ringside::nccl_lesson {
namespace {

constexpr int kCases = 4;
constexpr int kLonger = 3;  // times the deadline: what most people try first

// What is to be run: trainings that may hang, and trainings whose outputs are measured.
class Program {
 public:
  Program(const Config& config, const Training& base) : config_(config), base_(base) {
    if (config.text("faults") != "none") add_own();
    if (runs_act(config, "1")) add_symptom();
    if (runs_act(config, "3")) add_outputs();
    if (runs_act(config, "4")) add_live();
    if (runs_act(config, "5")) add_cases();
  }
  const std::vector<HangSetup>& before_outputs() const { return before_; }
  const std::vector<OutputsSetup>& outputs() const { return outputs_; }
  const std::vector<HangSetup>& after_outputs() const { return after_; }
  bool takes_turns() const { return !outputs_.empty(); }
  int64_t size() const {
    return static_cast<int64_t>(before_.size() + outputs_.size() + after_.size()) + (takes_turns() ? 1 : 0);
  }

 private:
  HangSetup hang(const std::string& section, const std::string& act, const std::string& title,
                 const Culprit& culprit) const {
    HangSetup setup;
    setup.section = section;
    setup.act = act;
    setup.kind = "hang";
    setup.title = title;
    setup.training = base_;
    setup.faults = plan_of(culprit, base_);
    setup.culprit = culprit;
    if (config_.text("dumps") != "none") setup.dumps = config_.text("dumps");
    return setup;
  }

  void add_own() {
    HangSetup setup = hang("own", "own", "", {"", -1});
    setup.faults = read_fault_plan(asset("faults", config_.text("faults")));
    for (const Fault& fault : setup.faults.faults)
      setup.title += (setup.title.empty() ? "" : "; ") + in_words(fault);
    setup.training.check = config_.is_on("check");
    before_.push_back(setup);
  }

  bool tries(const std::string& fix) const {
    return config_.text("fix") == "all" || config_.text("fix") == fix;
  }

  HangSetup longer_timeout() const {
    HangSetup setup = hang("fix timeout", "1", fmt::format("a timeout {} times as long", kLonger),
                           culprit_of_symptom(config_));
    setup.training.timeout *= kLonger;
    return setup;
  }
  HangSetup no_hidden_states() const {
    HangSetup setup =
        hang("fix outputs", "1", "no hidden states (V3, logits gathered)", culprit_of_symptom(config_));
    setup.training.outputs = OutputVersion::kV3;
    setup.training.evaluation_gather = EvaluationGather::kLogits;
    return setup;
  }

  void add_symptom() {
    const Culprit culprit = culprit_of_symptom(config_);
    before_.push_back(hang("symptom", "1", "the symptom", culprit));
    if (tries("timeout")) before_.push_back(longer_timeout());
    if (tries("outputs")) before_.push_back(no_hidden_states());
    if (tries("rank")) {
      before_.push_back(hang("fix rank", "1", "the missing rank found and mended", culprit));
      before_.back().kind = "fixed";
      before_.back().faults.faults.clear();
    }
  }

  void add_outputs() {
    outputs_ = outputs_setups(base_);
    const Culprit culprit = culprit_of_symptom(config_);
    if (!runs_act(config_, "1")) after_ = {longer_timeout(), no_hidden_states()};
    for (const auto& [name, transfer] : {std::pair{"chunked", GatherTransfer::kChunked},
                                         std::pair{"compressed", GatherTransfer::kCompressed}}) {
      after_.push_back(
          hang(std::string("hang ") + name, "3", std::string(name) + " transfer, same fault", culprit));
      after_.back().training.gather_transfer = transfer;
    }
  }

  void add_live() { after_.push_back(hang("live", "4", "the autopsy, live", culprit_of_symptom(config_))); }

  void add_cases() {
    for (int which = 1; which <= kCases; ++which) {
      if (config_.text("case") != "all" && config_.text("case") != std::to_string(which)) continue;
      const Culprit culprit = culprit_of_case(config_, which);
      const std::string name = fmt::format("case {}", which);
      after_.push_back(hang(name, "5", name, culprit));
      after_.push_back(hang(name + " fixed", "5", fix_of(culprit.cause), culprit));
      after_.back().kind = "fixed";
      apply_fix(culprit, after_.back().training, after_.back().faults);
      after_.push_back(hang(name + " check", "5", name + " with check=on", culprit));
      after_.back().kind = "check";
      after_.back().training.check = true;
      for (Fault& fault : after_.back().faults.faults) fault.silent = false;  // its launcher watches
    }
  }

  const Config& config_;
  const Training& base_;
  std::vector<HangSetup> before_, after_;
  std::vector<OutputsSetup> outputs_;
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
    check_looks(config);
    if (config.integer("culprit") >= config.integer("ranks"))
      throw UsageError("culprit=" + config.text("culprit") + ": with ranks=" + config.text("ranks") +
                       " allowed are -1 (none named) to " + std::to_string(config.integer("ranks") - 1));
  }

  void run() {
    const int64_t start = now_ns();
    if (runs_act(config_, "2") || runs_act(config_, "4")) plan();
    for (const HangSetup& setup : program_.before_outputs()) hang(setup);
    if (config_.text("faults") != "none") compare_unnoticed(program_.before_outputs().front());
    for (const OutputsSetup& setup : program_.outputs()) {
      begin(setup.section);
      book(run_outputs(setup, dataset_, context_));
      keep_figures(setup.section);
    }
    if (program_.takes_turns()) compare_times();
    for (const HangSetup& setup : program_.after_outputs()) hang(setup);
    rows_.outcome["seconds"] = static_cast<double>(now_ns() - start) * 1e-9;
    context_.store.set_rows(rows_);
  }

 private:
  void plan() {
    add_arithmetic(config_, rows_);
    add_plan_section(context_.store, "plan 7B",
                     fmt::format("{}, {} classes, bias {}", config_.text("model"), config_.integer("classes"),
                                 config_.text("bias")),
                     planned_buckets(config_));
    context_.store.set_attributes("plan 7B",
                                  {{kAct, "2"}, {"hidden", rows_.outcome["arithmetic_hidden_size"]}});
    const BucketPlan here =
        plan_buckets(classifier_shapes(base_.model), {.bucket_size = base_.bucket_elements});
    add_plan_section(context_.store, "plan here", "the model that runs here", here);
    context_.store.set_attributes("plan here", {{kAct, "4"}, {"hidden", base_.model.hidden}});
    rows_.outcome["first_bucket_here"] = static_cast<double>(here.buckets.front().elements);
    rows_.outcome_text["first_bucket_sum_here"] = as_sum(here, here.buckets.front());
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
    if (of(kKind) != "fixed" && completed) return section.name() + " should have hung and did not";
    if (of(kKind) == "hang" && of("suspects") != of(kCulprit))
      return section.name() + ": the report points at rank " + of("suspects") + ", the plan at rank " +
             of(kCulprit);
  }
  return "";
}

}  // namespace ringside::nccl_lesson
