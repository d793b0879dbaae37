#include "proof.h"

#include <fmt/format.h>

#include <cmath>

#include "attributes.h"
#include "ringside/base/error.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/train/booked.h"
#include "ringside/train/emulation.h"

namespace ringside::zero_lesson {
namespace {

constexpr int64_t kDefaultBucket = 2000;

TrainerConfig small_training(const ProofPlan& plan, int ranks, int64_t accumulate) {
  TrainerConfig config;
  const bool in_mesh = ranks == plan.ranks && !plan.mesh.empty();
  config.model.vocabulary = 259;
  config.model.hidden = 12;  // odd pieces everywhere, so that no shard is even
  config.model.heads = in_mesh ? 6 : 2;
  config.model.kv_heads = in_mesh ? 6 : 1;
  config.model.intermediate = 19;
  config.model.layers = 1;
  config.model.classes = 4;
  config.model.head_bias = true;
  config.max_tokens = 12;
  config.ranks = ranks;
  if (in_mesh)
    config.mesh = plan.mesh, config.sequence = plan.sequence;
  else
    config.optimizer = plan.optimizer;
  config.precision = Precision::kFloat32;
  config.clip_norm = 0.5;  // low enough to be at work in every step
  config.batch = 11;
  config.accumulate = accumulate;
  config.steps = plan.steps;
  config.evaluate_every = -1;
  config.seed = plan.seed;
  config.device = plan.device;
  return config;
}

Dataset small_data(uint64_t seed) {
  DataOptions options;
  options.max_tokens = 12;
  options.seed = seed;
  return make_synthetic(options);
}

constexpr int64_t kWholeModel = int64_t{1} << 30;

struct Case {
  ProofCase row;
  TrainerConfig config;
};

ProofSetting setting_of(const Case& one) {
  return {.label = one.row.label(),
          .bucket = one.config.bucket_elements == kWholeModel ? 0 : one.config.bucket_elements,
          .naive = one.config.naive,
          .overlap = one.config.overlap,
          .prefetch = one.config.prefetch,
          .accumulate = one.config.accumulate};
}

// Every gradient that a rank brought to a sum, in an order of sums.
class Contributions {
 public:
  ContributionObserver observer() {
    return [this](int64_t step, int64_t micro, int rank, const std::string& name, ConstView gradient) {
      const auto* data = static_cast<const float*>(gradient.data);
      values_[{step, name}][{micro, rank}].assign(data, data + gradient.count);
    };
  }
  void record(Recorder& recorder, const std::string& label, const Difference& at, bool at_end) const {
    const auto found = values_.find({at.step, at.tensor});
    if (found == values_.end()) return;
    for (const auto& [who, gradient] : found->second)
      record_row(recorder, Addend{.label = label,
                                  .at_end = at_end,
                                  .micro = who.first,
                                  .rank = who.second,
                                  .value = gradient[size_t(at.element)]});
  }

 private:
  std::map<std::pair<int64_t, std::string>, std::map<std::pair<int64_t, int>, std::vector<float>>> values_;
};

// Stages x buckets x overlap x prefetch, and naive data parallelism.
std::vector<Case> cases_of(const ProofPlan& plan, int ranks) {
  std::vector<Case> cases;
  TrainerConfig config = small_training(plan, ranks, 1);
  config.naive = true;
  cases.push_back({{.ranks = ranks, .setup = "naive data parallel"}, config});
  config.naive = false;
  const std::pair<const char*, int64_t> buckets[] = {
      {"one element", 1}, {"default", kDefaultBucket}, {"whole model", kWholeModel}};
  for (config.stage = 0; config.stage <= 3; ++config.stage) {
    for (const auto& [bucket, elements] : buckets) {
      for (const bool overlap : {true, false}) {
        for (const bool prefetch : {true, false}) {
          if (!prefetch && config.stage < 3) continue;
          config.bucket_elements = elements;
          config.overlap = overlap;
          config.prefetch = prefetch;
          std::string setup = fmt::format("bucket {} overlap {}", bucket, overlap ? "on" : "off");
          if (config.stage == 3) setup += prefetch ? " prefetch on" : " prefetch off";
          cases.push_back({{.ranks = ranks, .stage = stage_name(config.stage), .setup = setup}, config});
        }
      }
    }
  }
  return cases;
}

class Prover {
 public:
  Prover(const ProofPlan& plan, const RunContext& context, const std::function<void()>& done)
      : plan_(plan), context_(context), store_(context.store), done_(done), data_(small_data(plan.seed)) {}

  void matrix() {
    Recorder& recorder = *store_.add_section(kProofSection, {}, 1).front();
    for (const int ranks : plan_.worlds) {
      const BitReference reference = reference_bits(small_training(plan_, ranks, 1), data_);
      for (const Case& one : cases_of(plan_, ranks)) run(one, reference, recorder);
    }
    if (plan_.accumulate > 1) same_order(recorder);
    store_.set_attributes(kProofSection, {{"steps", plan_.steps}});
  }

  // How far the emulation whose sums are split is from the one of the whole model, and how far Adam can move
  // it: in a step by at most (1 - beta1) / sqrt(1 - beta2) lr (Kingma, Ba 2014, arXiv:1412.6980,
  // section 2.1).
  void against_whole() {
    std::map<std::pair<int64_t, size_t>, std::vector<float>> whole;
    TrainerConfig config = small_training(plan_, plan_.ranks, 1);
    const TrainerConfig split = config;
    config.ranks = mesh_of_run(split.ranks, split).size(data_dimensions());
    config.mesh = "", config.sequence = false;
    const auto values = [](ConstView view) {
      const auto* data = static_cast<const float*>(view.data);
      return std::vector<float>(data, data + view.count);
    };
    emulate(config, data_, SumOrder::kAccumulateThenReduce,
            [&](int64_t step, size_t p, const std::string&, ConstView view) {
              whole[{step, p}] = values(view);
            });
    double largest = 0;
    emulate(split, data_, SumOrder::kAccumulateThenReduce,
            [&](int64_t step, size_t p, const std::string&, ConstView view) {
              const std::vector<float> own = values(view), &other = whole.at({step, p});
              for (size_t i = 0; i < own.size(); ++i)
                largest = std::max(largest, double(std::abs(own[i] - other[i])));
            });
    const double a_step = 0.1 / std::sqrt(0.001) * split.learning_rate;  // AdamW's defaults
    store_.set_attributes(kProofSection,
                          {{kSplitDistance, largest}, {kSplitBound, 2 * double(plan_.steps) * a_step}});
  }

  // Stage 2 cannot wait with its reductions, so it adds in another order than stage 0.
  void other_order() {
    Recorder& recorder = *store_.add_section(kOrderSection, {}, 1).front();
    for (const int ranks : plan_.worlds) {
      for (const int stage : {2, 3})
        run(accumulating(ranks, stage), reference(ranks, SumOrder::kAccumulateThenReduce), recorder);
    }
  }

 private:
  Case accumulating(int ranks, int stage) const {
    Case one{{.ranks = ranks, .stage = stage_name(stage), .setup = fmt::format("g={}", plan_.accumulate)},
             small_training(plan_, ranks, plan_.accumulate)};
    one.config.stage = stage;
    one.config.bucket_elements = kDefaultBucket;
    return one;
  }

  const BitReference& reference(int ranks, SumOrder order) {
    const auto key = std::make_pair(ranks, order);
    if (!references_.contains(key)) {
      emulate(small_training(plan_, ranks, plan_.accumulate), data_, order, references_[key].recorder(),
              contributions_[key].observer());
    }
    return references_[key];
  }

  void same_order(Recorder& recorder) {
    for (const int ranks : plan_.worlds) {
      for (const int stage : {0, 1})
        run(accumulating(ranks, stage), reference(ranks, SumOrder::kAccumulateThenReduce), recorder);
      for (const int stage : {2, 3})
        run(accumulating(ranks, stage), reference(ranks, SumOrder::kReduceThenAccumulate), recorder);
    }
  }

  void run(const Case& one, const BitReference& reference, Recorder& recorder) {
    TrainerConfig config = one.config;
    config.reshard = plan_.reshard;
    // Other worlds are threads of each process.
    const auto difference = difference_from(
        reference, config, data_, hooks_of(context_.control, for_ranks(context_.process, config.ranks)));
    ProofCase row = one.row;
    if (difference) row.first_difference = difference->step;
    if (difference) row.where = to_string(*difference);
    record_row(recorder, row);
    record_row(recorder, setting_of(one));
    if (difference) record_parting(recorder, one, *difference);
    recorder.scalar(row.label(), plan_.accumulate, double(row.first_difference));
    done_();
  }

  void record_parting(Recorder& recorder, const Case& one, const Difference& at) const {
    const std::string label = one.row.label();
    record_row(recorder, PartedAt{label, one.row.stage, at.tensor, at.step, at.element, at.elements,
                                  at.of_elements, at.ulps, at.mine, at.reference});
    for (const SumOrder order : {SumOrder::kAccumulateThenReduce, SumOrder::kReduceThenAccumulate}) {
      const auto found = contributions_.find({int(one.row.ranks), order});
      if (found == contributions_.end()) continue;
      found->second.record(recorder, label, at, order == SumOrder::kAccumulateThenReduce);
    }
  }

  const ProofPlan& plan_;
  const RunContext& context_;
  TraceStore& store_;
  const std::function<void()>& done_;
  Dataset data_;
  std::map<std::pair<int, SumOrder>, BitReference> references_;
  std::map<std::pair<int, SumOrder>, Contributions> contributions_;  // with accumulation, of those references
};

}  // namespace

int64_t proof_runs(const ProofPlan& plan) {
  const auto matrix = int64_t(cases_of(plan, 1).size());
  return int64_t(plan.worlds.size()) * (matrix + (plan.accumulate > 1 ? 4 + 2 : 0));
}

void prove(const ProofPlan& plan, const RunContext& context, const std::function<void()>& done) {
  Prover prover(plan, context, done);
  prover.matrix();
  if (!plan.mesh.empty()) prover.against_whole();
  if (plan.accumulate > 1) prover.other_order();
}

}  // namespace ringside::zero_lesson
