// Trains, counts and compares bits.
#include "parts.h"
#include "ringside/collectives/ring_group.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/train/bit_compare.h"
#include "ringside/train/booked.h"
#include "ringside/train/emulation.h"

namespace ringside::lessons::hybrid {
namespace {

constexpr int64_t kClasses = 4, kVocabulary = 300;

TrainerConfig base_config(const Config& config) {
  TrainerConfig base;
  base.model = {
      .vocabulary = kVocabulary, .hidden = 128, .intermediate = 512, .layers = 1, .classes = kClasses};
  base.max_tokens = 8;
  base.ranks = int(config.integer("ranks"));
  base.stage = 3;
  base.batch = base.ranks;
  base.steps = 1;
  base.evaluate_every = -1;
  return base;
}

TrainerConfig small_config(const Config& config) {
  TrainerConfig small = base_config(config);
  small.model.hidden = 16;
  small.model.heads = 2;
  small.model.kv_heads = 1;
  small.model.intermediate = 24;
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

class Run {
 public:
  Run(const Config& config, const RunContext& context)
      : config_(config),
        context_(context),
        base_(base_config(config)),
        data_(load_dataset({.max_tokens = base_.max_tokens, .synthetic_classes = kClasses})) {}

  void run() {
    TrainerConfig of_scenario = base_;
    of_scenario.replicas = config_.integer("replicas");
    check_replicas(of_scenario.ranks, of_scenario);
    context_.control.pass_step();
    compare_bits(config_, data_, *context_.store.add_section(kBits, nodes(), 1).front());
    for (const bool as_rings : {false, true})
      for (const int64_t replicas : divisors()) {
        TrainerConfig config = base_;
        config.replicas = replicas;
        train_section(section_of(replicas, as_rings), config, as_rings);
      }
    for (const bool no_sync : {false, true}) {
      TrainerConfig config = base_;
      config.accumulate = config_.integer("accumulate");
      config.no_sync = no_sync;
      train_section(no_sync ? kNoSync : kSynced, config);
    }
  }

 private:
  Attributes nodes() const { return {{kNodes, config_.integer("replicas")}}; }
  std::vector<int64_t> divisors() const {
    std::vector<int64_t> all;
    for (int64_t one = 1; one <= base_.ranks; ++one)
      if (base_.ranks % one == 0) all.push_back(one);
    return all;
  }

  void train_section(const std::string& section, const TrainerConfig& config, bool as_rings = false) {
    const int64_t total = 2 * std::ssize(divisors()) + 2 * config_.integer("accumulate");  // micro-batches
    TrainerHooks hooks = hooks_of(context_.control, context_.process);
    hooks.attributes = nodes();
    hooks.on_step = [&](int64_t) { context_.progress({section, done_ += config.accumulate, total}); };
    if (as_rings)
      hooks.wrap_group = [](std::unique_ptr<ProcessGroup> group) {
        return std::make_unique<RingGroup>(std::move(group));
      };
    // The planner has collectives; a ring's are sends.
    const TrainResult result = as_rings
                                   ? train(config, data_, context_.store, section, hooks)
                                   : train_and_book(config, data_, context_.store, section, hooks, rows_);
    if (!result.ranks_agree) rows_.outcome["sections_with_disagreeing_ranks"] += 1;
    context_.store.set_rows(rows_);
    if (!result.complete) throw CancelledError();
  }

  const Config& config_;
  const RunContext& context_;
  const TrainerConfig base_;
  const Dataset data_;
  TraceRows rows_;
  int64_t done_ = 0;
};

}  // namespace

std::string section_of(int64_t replicas, bool as_rings) {
  const std::string name = replicas == 1 ? tr("stage 3") : tr("HSDP, {} replicas", replicas);
  return as_rings ? tr("{}, as rings", name) : name;
}

void run(const Config& config, const RunContext& context) { Run(config, context).run(); }

}  // namespace ringside::lessons::hybrid
