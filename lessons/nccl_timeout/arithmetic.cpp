#include "arithmetic.h"

#include <fmt/format.h>

#include <algorithm>

#include "ringside/base/units.h"
#include "ringside/comm/link_model.h"
#include "ringside/planner/sequence.h"
#include "scenario.h"

namespace ringside::nccl_lesson {
namespace {

constexpr size_t kPiecesPastTheBucket = 3;
constexpr int kRanksOfTheCase = 8;
constexpr double kBytesOfBFloat16 = 2;

ModelConfig model_of(const Config& config) {
  return read_model_config(asset("models", config.text("model")));
}

// The class count of the one run of gradients that a reducer sends; 0 where there is none, or more.
int64_t classes_of(const Explanation& why) {
  int64_t classes = 0;
  for (const RunHit& hit : why.hits)
    if (hit.flushed && why.flushed_count == 1) classes = hit.classes.value_or(0);
  return classes;
}

void record_logs(const Config& config, const BucketPlan& plan, int64_t hidden, Recorder& recorder) {
  const SequenceRules rules{static_cast<int64_t>(plan.tensors), std::ssize(plan.buckets)};
  for (const LoggedCall& log : kLogs) {
    LogRow row{.log = log.name, .sequence = log.sequence, .elements = log.elements};
    row.rest = log.elements % hidden;
    row.classes = classes_of(explained(config, log.elements));
    for (const SequenceFit& fit : fit_sequence(log.sequence, rules))
      if (fit.fits()) row.accumulate = fit.accumulate, row.steps = fit.steps;
    record_row(recorder, row);
  }
}

}  // namespace

BucketPlan planned_buckets(const Config& config) {
  const ModelHead head{ModelHead::Kind::kClassifier, config.integer("classes"), config.is_on("bias")};
  return plan_buckets(model_shapes(model_of(config), head),
                      {.bucket_size = config.integer("bucket"), .order = GradientOrder::kBackward});
}

Explanation explained(const Config& config, int64_t number) {
  ExplainOptions options;
  options.number = number;
  options.bucket_size = config.integer("bucket");
  return explain_number(model_of(config), options);
}

std::string as_sum(const ReducedBucket& bucket) {
  std::string text = format_count(bucket.elements) + " =";
  for (size_t i = 0; i < bucket.pieces.size(); ++i)
    text += fmt::format("{} {} {}", i == 0 ? "" : " +", bucket.pieces[i].group,
                        format_count(bucket.pieces[i].elements));
  return text;
}

std::vector<WireTime> wire_times(int64_t elements, int ranks) {
  std::vector<WireTime> times;
  const double bytes = 2.0 * (ranks - 1) / ranks * static_cast<double>(elements) * kBytesOfBFloat16;
  for (const LinkModel& link : link_presets())
    if (link.simulated())
      times.push_back(
          {link.name, link.seconds(hops(Op::kAllReduce, ranks), static_cast<int64_t>(bytes)) * 1e3});
  return times;
}

Recorder& add_plan_section(TraceStore& store, const std::string& section, const std::string& model,
                           int64_t hidden, const BucketPlan& plan) {
  const ReducedBucket& first = plan.buckets.front();
  Recorder& recorder = *store
                            .add_section(section,
                                         {{kAct, section == "plan 7B" ? "2" : "4"},
                                          {kKind, "plan"},
                                          {kModel, model},
                                          {kLimit, plan.bucket_size},
                                          {kFirstBucket, first.elements},
                                          {"hidden", hidden},
                                          {"sum", as_sum(first)}},
                                         1)
                            .front();
  const size_t end = std::min(plan.gradients.size(), first.end + kPiecesPastTheBucket);
  for (size_t i = 0; i < end; ++i)
    record_row(recorder, Piece{plan.gradients[i].name, plan.gradients[i].group, plan.gradients[i].elements});
  return recorder;
}

void add_arithmetic(const Config& config, const BucketPlan& plan, Recorder& recorder, TraceRows& rows) {
  const auto put = [&](const std::string& name, auto value) {
    rows.outcome["arithmetic_" + name] = static_cast<double>(value);
  };
  const SourceArithmetic source;
  const int64_t logged = config.integer("logged"), hidden = model_of(config).text.hidden;
  const int64_t product = source.batch * source.length * source.hidden;
  put("logged", logged);
  put("hidden_size", hidden);
  put("remainder", logged % hidden);
  put("product", product);
  put("product_over_gpus", product * source.gpus);
  put("claimed_product", source.product);
  put("claimed_over_gpus", source.over_gpus);
  put("first_bucket", plan.buckets.front().elements);
  put("buckets", plan.buckets.size());
  for (const WireTime& time : wire_times(logged, kRanksOfTheCase)) put("wire_ms_" + time.link, time.ms);
  rows.outcome_text["first_bucket_sum"] = as_sum(plan.buckets.front());
  if (const auto next = plan.buckets.front().next) {
    put("next_gradient", plan.gradients[*next].elements);
    rows.outcome_text["next_gradient"] = plan.gradients[*next].name;
  }
  const Explanation why = explained(config, logged);
  rows.outcome["explain_hits"] = static_cast<double>(why.hit_count);
  rows.outcome["explain_allowed"] = static_cast<double>(why.flushed_count);
  for (const RunFamily& family : why.families) {
    rows.outcome["explain_tried"] += family.candidates;
    rows.outcome["explain_expected_by_chance"] += family.expected_hits;
    rows.outcome["explain_allowed_by_chance"] += family.expected_flushed;
  }
  rows.outcome["broadcasts"] = static_cast<double>(plan.tensors);
  record_logs(config, plan, hidden, recorder);
}

}  // namespace ringside::nccl_lesson
