// Trains, counts and compares bits.
#include "parts.h"
#include "ringside/base/error.h"
#include "ringside/collectives/ring_group.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/tr.h"
#include "ringside/planner/replicas.h"
#include "ringside/train/bit_compare.h"
#include "ringside/train/emulation.h"
#include "ringside/train/trainer.h"

namespace ringside::hybrid_lesson {
namespace {

constexpr int64_t kClasses = 4, kVocabulary = 300;

struct Training {
  std::string section;
  TrainerConfig config;
  bool as_rings = false;
};

TrainerConfig base_config(const Config& config) {
  TrainerConfig base;
  base.model = {
      .vocabulary = kVocabulary, .hidden = 128, .intermediate = 512, .layers = 1, .classes = kClasses};
  base.max_tokens = 8;
  base.ranks = static_cast<int>(config.integer("ranks"));
  base.stage = 3;
  base.batch = base.ranks;
  base.steps = 1;
  base.evaluate_every = -1;
  return base;
}

std::vector<Training> trainings(const Config& config) {
  const TrainerConfig base = base_config(config);
  std::vector<Training> all;
  for (const bool as_rings : {false, true})
    for (const int64_t replicas : divisors(base.ranks)) {
      all.push_back({section_of(replicas, as_rings), base, as_rings});
      all.back().config.replicas = replicas;
    }
  for (const bool no_sync : {false, true}) {
    all.push_back({no_sync ? kNoSync : kSynced, base});
    all.back().config.accumulate = config.integer("accumulate");
    all.back().config.no_sync = no_sync;
  }
  return all;
}

TrainerConfig small_config(const Config& config) {
  TrainerConfig small = base_config(config);
  small.model = {.vocabulary = kVocabulary,
                 .hidden = 16,
                 .heads = 2,
                 .kv_heads = 1,
                 .intermediate = 24,
                 .layers = 1,
                 .classes = kClasses};
  small.precision = Precision::kFloat32;
  small.bucket_elements = 2000;
  small.steps = 5;
  return small;
}

// Small fp32 trainings, each compared with every parameter of one process after each step.
class Bits {
 public:
  Bits(Recorder& pen, const Dataset& data) : pen_(pen), data_(data) {}

  void set_reference(std::string added_last, const TrainerConfig& config) {
    last_ = std::move(added_last);
    reference_ = {};
    emulate(config, data_, SumOrder::kAccumulateThenReduce, reference_.recorder());
  }
  void compare(const std::string& name, const TrainerConfig& config) {
    BitReference::Comparison comparison(reference_);
    TrainerHooks hooks;
    hooks.observe = comparison.observer();
    train(config, data_, *TraceStore::create(name), name, hooks);
    const Difference first = comparison.first_difference().value_or(Difference());
    record_row(pen_, BitRow{name, last_, first.tensor, first.step, first.ulps});
  }

 private:
  Recorder& pen_;
  const Dataset& data_;
  std::string last_;
  BitReference reference_;
};

void compare_bits(const Config& config, const Dataset& data, Recorder& pen) {
  Bits bits(pen, data);
  TrainerConfig small = small_config(config);
  small.replicas = config.integer("replicas");
  bits.set_reference(tr("nodes"), small);
  bits.compare(section_of(small.replicas), small);
  small.replicas = 1;
  bits.compare(section_of(1), small);
  small.accumulate = config.integer("accumulate");
  bits.set_reference(tr("ranks"), small);
  bits.compare(tr("stage 3, g={}", small.accumulate), small);
  small.no_sync = true;
  for (small.stage = 0; small.stage <= 3; ++small.stage)
    bits.compare(tr("stage {}, g={}, no_sync", small.stage, small.accumulate), small);
}

}  // namespace

std::string section_of(int64_t replicas, bool as_rings) {
  const std::string name = replicas == 1 ? tr("stage 3") : tr("HSDP, {} replicas", replicas);
  return as_rings ? tr("{}, as rings", name) : name;
}

std::vector<int64_t> divisors(int64_t ranks) {
  std::vector<int64_t> all;
  for (int64_t one = 1; one <= ranks; ++one)
    if (ranks % one == 0) all.push_back(one);
  return all;
}

void run(const Config& config, const RunContext& context) {
  TrainerConfig of_scenario = base_config(config);
  of_scenario.replicas = config.integer("replicas");
  check_replicas(of_scenario.ranks, of_scenario);
  const Dataset data = load_dataset({.max_tokens = of_scenario.max_tokens, .synthetic_classes = kClasses});
  context.control.pass_step();
  compare_bits(config, data, *context.store.add_section(kBits, {{kNodes, of_scenario.replicas}}, 1).front());
  const std::vector<Training> all = trainings(config);
  TraceRows rows;
  int64_t done = 0, total = 0;
  for (const Training& one : all) total += one.config.steps * one.config.accumulate;
  for (const auto& [section, trained, as_rings] : all) {
    TrainerHooks hooks;
    hooks.control = &context.control;
    hooks.attributes = {{kNodes, of_scenario.replicas}};
    hooks.on_step = [&, phase = section, micro = trained.accumulate](int64_t) {
      context.progress({phase, done += micro, total});
    };
    if (as_rings)
      hooks.wrap_group = [](std::unique_ptr<ProcessGroup> group) {
        return std::make_unique<RingGroup>(std::move(group));
      };
    const TrainResult result = train(trained, data, context.store, section, hooks);
    if (!result.ranks_agree) rows.outcome["sections_with_disagreeing_ranks"] += 1;
    const Trace trace = context.store.snapshot();
    if (!as_rings)  // the planner has collectives; a ring's are sends
      for (LedgerRow& row : reconcile(predict_zero_run(planned_run(trained, data, result.interruption)),
                                      count_rows(trace, *trace.find(section))))
        rows.ledger.push_back(std::move(row));
    context.store.set_rows(rows);
    if (!result.complete) throw CancelledError();
  }
}

}  // namespace ringside::hybrid_lesson
