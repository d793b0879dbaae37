#include "arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "names.h"
#include "ringside/base/units.h"
#include "ringside/comm/link_model.h"
#include "scenario.h"

namespace ringside::nccl_lesson {
namespace {

constexpr size_t kPiecesPastTheBucket = 3;
constexpr int kRanksOfTheCase = 8;
constexpr double kBytesOfBFloat16 = 2, kBytesOfFloat32 = 4;

ModelConfig model_of(const Config& config) {
  return read_model_config(asset("models", config.text("model")));
}

ModelHead head_of(const Config& config) {
  return {ModelHead::Kind::kClassifier, config.integer("classes"), config.is_on("bias")};
}

}  // namespace

BucketPlan planned_buckets(const Config& config) {
  return plan_buckets(model_shapes(model_of(config), head_of(config)),
                      {.bucket_size = config.integer("bucket"), .order = GradientOrder::kBackward});
}

Explanation explained(const Config& config) {
  ExplainOptions options;
  options.number = config.integer("logged");
  options.bucket_size = config.integer("bucket");
  return explain_number(model_of(config), options);
}

std::string as_sum(const BucketPlan& plan, const ReducedBucket& bucket) {
  std::string text = format_count(bucket.elements) + " =";
  for (size_t i = 0; i < bucket.pieces.size(); ++i)
    text += fmt::format("{} {} {}", i == 0 ? "" : " +", bucket.pieces[i].group,
                        format_count(bucket.pieces[i].elements));
  return text;
}

std::vector<WireTime> wire_times(int64_t elements, int ranks) {
  std::vector<WireTime> times;
  const double bytes = 2.0 * (ranks - 1) / ranks * static_cast<double>(elements) * kBytesOfBFloat16;
  for (const LinkModel& link : link_presets()) {
    if (!link.simulated()) continue;
    times.push_back({link.name, link.bytes_per_s,
                     link.seconds(hops(Op::kAllReduce, ranks), static_cast<int64_t>(bytes)) * 1e3});
  }
  return times;
}

void add_plan_section(TraceStore& store, const std::string& section, const std::string& model,
                      const BucketPlan& plan) {
  const ReducedBucket& first = plan.buckets.front();
  Recorder& recorder = *store
                            .add_section(section,
                                         {{kKind, "plan"},
                                          {kModel, model},
                                          {kLimit, plan.bucket_size},
                                          {kFirstBucket, first.elements},
                                          {"sum", as_sum(plan, first)}},
                                         1)
                            .front();
  const TablePtr pieces = store.declare({kPieces, {{"name"}, {"group"}, {"elements", ColumnKind::kInteger}}});
  const size_t end = std::min(plan.gradients.size(), first.end + kPiecesPastTheBucket);
  for (size_t i = 0; i < end; ++i) {
    const Gradient& gradient = plan.gradients[i];
    recorder.row(pieces, {gradient.name, gradient.group, gradient.elements});
  }
}

void add_arithmetic(const Config& config, TraceRows& rows) {
  const auto put = [&](const std::string& name, double value) { rows.outcome["arithmetic_" + name] = value; };
  const SourceArithmetic source;
  const ModelConfig model = model_of(config);
  const BucketPlan plan = planned_buckets(config);
  const int64_t logged = config.integer("logged"), hidden = model.text.hidden;
  const int64_t product = source.batch * source.length * source.hidden;
  put("logged", static_cast<double>(logged));
  put("hidden_size", static_cast<double>(hidden));
  put("remainder", static_cast<double>(logged % hidden));
  put("product", static_cast<double>(product));
  put("product_over_gpus", static_cast<double>(product * source.gpus));
  put("claimed_product", static_cast<double>(source.product));
  put("claimed_over_gpus", static_cast<double>(source.over_gpus));
  put("megabytes_of_claimed_product", static_cast<double>(source.product) * kBytesOfFloat32 * 1e-6);
  put("megabytes_bf16_all_layers",
      static_cast<double>(product) * kBytesOfBFloat16 * static_cast<double>(model.text.layers + 1) * 1e-6);
  put("first_bucket", static_cast<double>(plan.buckets.front().elements));
  put("buckets", static_cast<double>(plan.buckets.size()));
  for (const WireTime& time : wire_times(logged, kRanksOfTheCase)) put("wire_ms_" + time.link, time.ms);
  rows.outcome_text["first_bucket_sum"] = as_sum(plan, plan.buckets.front());
  if (const auto next = plan.buckets.front().next) {
    put("next_gradient", static_cast<double>(plan.gradients[*next].elements));
    rows.outcome_text["next_gradient"] = plan.gradients[*next].name;
  }
  const Explanation why = explained(config);
  rows.outcome["explain_hits"] = static_cast<double>(why.hit_count);
  rows.outcome["explain_allowed"] = static_cast<double>(why.flushed_count);
  double expected = 0, expected_allowed = 0, tried = 0;
  for (const RunFamily& family : why.families) {
    expected += family.expected_hits;
    expected_allowed += family.expected_flushed;
    tried += family.candidates;
  }
  rows.outcome["explain_tried"] = tried;
  rows.outcome["explain_expected_by_chance"] = expected;
  rows.outcome["explain_allowed_by_chance"] = expected_allowed;
}

}  // namespace ringside::nccl_lesson
