// The lesson's run: the acts that the scenario asks for, one after the other.
#include "lesson.h"
#include "ringside/base/clock.h"
#include "ringside/base/source_tree.h"
#include "ringside/faults/plan.h"
#include "ringside/ledger/ledger.h"
#include "ringside/train/booked.h"
#include "ringside/train/in_turns.h"
#include "ringside/train/watched.h"

namespace ringside::nccl_lesson {
namespace {

struct HangSetup {
  std::string section, act, kind, title;
  Training training = {};
  FaultPlan faults = {};
  Culprit culprit = {};
};

// Seconds of a training on a slow core; what hangs waits for its deadline too.
constexpr double kTrainingTime = 0.5;
double time_of(const HangSetup& setup) {
  return kTrainingTime +
         (setup.kind == "hang" ? std::chrono::duration<double>(setup.training.timeout).count() : 0);
}

// What is to be run: trainings that may hang, and trainings whose outputs are measured.
class Program {
 public:
  Program(const Config& config, const Training& base) : config_(config), base_(base) {
    const Culprit symptom = culprit_of_symptom(config);
    if (config.text("faults") != "none") add_own();
    if (runs_act(config, "1")) add_symptom(symptom);
    if (runs_act(config, "3")) add_outputs(symptom);
    if (runs_act(config, "4")) add(after, {"live", "4", "hang", "the autopsy, live"}, symptom);
    const std::string& which = config.text("case");
    const int all = which != "all" ? 0 : config.text("act") == "all" ? kCases : kCasesOfOneLine;
    for (int number = 1; runs_act(config, "5") && number <= kCases; ++number)
      if (number <= all || which == std::to_string(number))
        add_case(name_of_case(number), culprit_of_case(config, number));
  }
  std::vector<HangSetup> before, after;
  std::vector<OutputsSetup> outputs;  // between the two
  int64_t size() const { return std::ssize(before) + std::ssize(outputs) + std::ssize(after) + again(); }
  double time() const {
    double all = kTrainingTime * double(std::ssize(outputs) + again());
    for (const std::vector<HangSetup>* setups : {&before, &after})
      for (const HangSetup& setup : *setups) all += time_of(setup);
    return all;
  }

 private:
  // A fault of one's own that nothing notices is followed by the run without it.
  int64_t again() const { return config_.text("faults") != "none" ? 1 : 0; }

  HangSetup& add(std::vector<HangSetup>& to, HangSetup setup, const Culprit& culprit) {
    setup.training = base_;
    setup.culprit = culprit;
    if (!culprit.cause.empty()) setup.faults = plan(culprit, setup.training);
    return to.emplace_back(std::move(setup));
  }
  void add_mended(std::vector<HangSetup>& to, HangSetup setup, const Culprit& culprit) {
    HangSetup& fixed = add(to, std::move(setup), culprit);
    mend(culprit, fixed.training);
    fixed.faults.faults.clear();
  }

  void add_own() {
    HangSetup& own = add(before, {"own", "own", "hang", ""}, {});
    own.faults = read_fault_plan(asset("faults", config_.text("faults")));
    for (const Fault& fault : own.faults.faults)
      own.title += (own.title.empty() ? "" : "; ") + in_words(fault);
    own.training.check = config_.is_on("check");
  }

  void longer_timeout(std::vector<HangSetup>& to, const Culprit& culprit) {
    add(to, {"fix timeout", "1", "hang", tr("a timeout {} times as long", kLonger)}, culprit)
        .training.timeout *= kLonger;
    add_mended(to, {"late timeout", "1", "fixed", tr("the same, where a rank is late and comes")},
               {"saves", 0});
  }
  void no_hidden_states(std::vector<HangSetup>& to, const Culprit& culprit) {
    HangSetup& fix =
        add(to, {"fix outputs", "1", "hang", tr("no hidden states (V3, logits gathered)")}, culprit);
    fix.training.outputs = OutputVersion::kV3;
    fix.training.evaluation_gather = EvaluationGather::kLogits;
    add_mended(to, {"late outputs", "1", "fixed", tr("the same, where they made a rank late")},
               {"late_gather", 1});
  }

  void add_symptom(const Culprit& culprit) {
    const auto tries = [&](const char* fix) {
      return config_.text("fix") == "all" || config_.text("fix") == fix;
    };
    add(before, {"symptom", "1", "hang", tr("the symptom")}, culprit);
    if (tries("timeout")) longer_timeout(before, culprit);
    if (tries("outputs")) no_hidden_states(before, culprit);
    if (tries("barrier"))
      add(before, {"fix barrier", "1", "hang", tr("a barrier after the evaluation")}, culprit)
          .training.mistake.barrier_ahead = true;
    if (tries("rank"))
      add_mended(before, {"fix rank", "1", "fixed", tr("the missing rank found, its cause removed")},
                 culprit);
  }

  void add_outputs(const Culprit& culprit) {
    outputs = outputs_setups(base_);
    if (runs_act(config_, "1")) return;
    longer_timeout(after, culprit);
    no_hidden_states(after, culprit);
  }

  void add_case(const std::string& name, const Culprit& culprit) {
    add(after, {name, "5", "hang", name}, culprit);
    if (config_.text("act") == "all")
      return;  // until somebody answers, there is nothing to show of the others
    add_mended(after, {name + " fixed", "5", "fixed", causes()[culprit.cause].text("fix")}, culprit);
    HangSetup& check = add(after, {name + " check", "5", "check", tr("{} with check=on", name)}, culprit);
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

struct Run {
  const Config& config;
  const RunContext& context;
  const Training base = base_training(config);
  const Dataset dataset = load_data(config);
  const Program program{config, base};
  RunParts parts{context, program.size(), program.time()};
  TraceRows rows = {};

  void run() {
    check_answer(config);
    const int64_t start = now_ns();
    if (runs_act(config, "2") || runs_act(config, "4")) record_numbers(config, context.store, rows);
    context.store.set_rows(rows);  // arithmetic: it can be looked at while the rest runs
    for (const HangSetup& setup : program.before) hang(setup);
    if (config.text("faults") != "none") compare_unnoticed(program.before.front());
    for (const OutputsSetup& setup : program.outputs) {
      parts.tell(setup.section, kTrainingTime);
      book(run_outputs(setup, dataset, context), {setup.section});
    }
    for (const HangSetup& setup : program.after) hang(setup);
    rows.outcome["seconds"] = double(now_ns() - start) * 1e-9;
    context.store.set_rows(rows);
  }

  void book(const std::vector<LedgerRow>& ledger, const std::vector<std::string>& sections) {
    append(rows.ledger, ledger);
    for (const std::string& section : sections) keep_figures(section);
  }

  // A fault that nothing noticed: did it change anything? The same run without it tells.
  void compare_unnoticed(const HangSetup& own) {
    if (attribute(context.store.snapshot(), own.section, kEnded) != "completed") return;
    rows.outcome_text["own_parameters_sha256"] = rows.outcome_text["parameters_sha256"];
    HangSetup without = own;
    without.section = "own without";
    without.kind = "fixed";
    without.title = "the same run without the fault";
    without.faults.faults.clear();
    hang(without);
    if (attribute(context.store.snapshot(), without.section, kEnded) == "completed")
      rows.outcome_text["own_without_parameters_sha256"] = rows.outcome_text["parameters_sha256"];
  }

  // What a section's attributes say, for readers of the JSON: "fix_timeout_ended_after_ms".
  std::string keep_figures(const std::string& section) {
    std::string name = section;
    std::ranges::replace(name, ' ', '_');
    const Trace trace = context.store.snapshot();
    for (const char* key : {kEndedMs, kDeadlineMs, kTrainingPeak, kEvaluationPeak, kGathered, kStepMs,
                            kEvaluationMs, kStuckElements})
      if (const auto value = number_in(trace, section, key)) rows.outcome[name + "_" + key] = *value;
    for (const char* key :
         {kEnded, kStuck, kMissing, kCulprit, kCause, kSuspects, kReturnedTraining, kReturnedEvaluation})
      if (const std::string text = attribute(trace, section, key); !text.empty())
        rows.outcome_text[name + "_" + key] = text;
    return name;
  }

  void hang(const HangSetup& setup) {
    parts.tell(setup.section, time_of(setup));
    WatchedSetup watched{assembled(setup.training), setup.faults, setup.training.mistake};
    const bool writes = watched.mistake.doing == "write hidden states";
    if (writes && !setup.training.gathers_outputs()) watched.mistake.kind = LoopMistake::Kind::kNone;
    if (!setup.culprit.cause.empty()) watched.attributes = truth(setup.culprit);
    watched.attributes.insert({{kAct, setup.act},
                               {kKind, setup.kind},
                               {kTitle, setup.title},
                               {kReturns, to_string(setup.training.outputs)}});
    if (config.text("dumps") != "none") watched.dumps = config.text("dumps");
    keep(setup, train_watched(watched, dataset, context.store, setup.section, context.control));
  }

  void keep(const HangSetup& setup, const Watched& result) {
    const std::string name = keep_figures(setup.section);
    if (result.ended == "completed") {
      rows.outcome["initial_loss"] = result.training.loss.front();
      rows.outcome["final_loss"] = result.training.loss.back();
      rows.outcome["accuracy"] = result.training.accuracy;
      rows.outcome["majority_accuracy"] = dataset.majority_accuracy();
      rows.outcome_text["parameters_sha256"] = result.training.parameters_sha256;
    }
    if (!result.report.cycle.empty()) rows.outcome_text[name + "_waits"] = in_words(result.report.cycle);
    if (setup.section == "own" && result.ended != "completed")
      rows.lines.push_back(report_text(result.report));
    if (setup.kind == "hang" && setup.section != "own")
      rows.outcome_text["report_" + name] = report_text(result.report);
  }
};

}  // namespace

void run(const Config& config, const RunContext& context) { Run{config, context}.run(); }

// A step of the training that the acts have in common, without a fault.
StepTimer step_timer(const Config& config) {
  if (config.text("faults") != "none")
    throw UsageError("faults=" + config.text("faults") + ": a step is timed without a fault; leave it out");
  struct Timed {
    const Dataset dataset;
    const std::shared_ptr<TraceStore> store = TraceStore::create("bench step");
    std::optional<SteppedTraining> training = {};
  };
  Training endless = base_training(config);
  endless.steps = kEndlessSteps;
  endless.evaluate_every = -1;
  endless.timeout = std::chrono::seconds(60);  // nothing hangs here
  const std::shared_ptr<Timed> timed(new Timed{load_data(config)});
  timed->training.emplace(assembled(endless), timed->dataset, *timed->store, "base");
  return {"a step of the training that the acts have in common", [timed] { return timed->training->step(); }};
}

std::string failed_check(const Trace& trace) {
  for (const SectionView& section : trace.sections()) {
    const auto of = [&](const char* key) { return attribute(section, key); };
    if (of(kEnded).empty() || of(kAct) == "own") continue;
    const bool completed = of(kEnded) == "completed";
    if (of(kKind) == "fixed" && !completed)
      return section.name() + " should have run to its end: " + of(kSentence);
    const bool is_hang = of(kCause) != "straggler";
    if (of(kKind) != "fixed" && completed && is_hang) return section.name() + " should have hung and did not";
    if (of(kKind) == "hang" && is_hang && of(kSuspects) != of(kCulprit))
      return section.name() + ": the report points at rank " + of(kSuspects) + ", the plan at rank " +
             of(kCulprit);
  }
  return "";
}

}  // namespace ringside::nccl_lesson
