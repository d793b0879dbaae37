#include "lesson.h"
#include "ringside/base/source_tree.h"
#include "ringside/comm/link_model.h"
#include "ringside/planner/explain.h"
#include "ringside/planner/sequence.h"

namespace ringside::nccl_lesson {
namespace {

constexpr size_t kPiecesPastTheBucket = 3;
constexpr double kBytesOfBFloat16 = 2;

// The three logs of the same program: qwen_classify, documents V1 (1881fe0), V2 (d8ea485) and an earlier one
// (176ecad). DeepSpeed's group has numbers of its own, from 1.
struct LoggedCall {
  const char* name;
  int64_t sequence, elements;
};
constexpr LoggedCall kLogs[] = {{"before V1", 56'731, 467'019'003},
                                {"after V1", 2'131, 467'019'003},
                                {"another data set", 87'131, 466'735'788}};

// "467,019,003 = head 899,835 + final norm 3,584 + layer 27 233,057,792 + layer 26 233,057,792"
std::string as_sum(const ReducedBucket& bucket) {
  std::string text;
  for (const BucketPiece& piece : bucket.pieces)
    text += fmt::format("{} {} {}", text.empty() ? " =" : " +", piece.group, format_count(piece.elements));
  return format_count(bucket.elements) + text;
}

Recorder& add_plan(TraceStore& store, const std::string& section, const std::string& model, int64_t hidden,
                   const BucketPlan& plan) {
  const ReducedBucket& first = plan.buckets.front();
  const Attributes attributes = {{kAct, section == kSource ? "2" : "4"},
                                 {kKind, "plan"},
                                 {kModel, model},
                                 {kLimit, plan.bucket_size},
                                 {"first_bucket", first.elements},
                                 {"hidden", hidden},
                                 {"sum", as_sum(first)}};
  Recorder& recorder = *store.add_section(section, attributes, 1).front();
  const size_t end = std::min(plan.gradients.size(), first.end + kPiecesPastTheBucket);
  for (size_t i = 0; i < end; ++i)
    record_row(recorder, Piece{plan.gradients[i].name, plan.gradients[i].group, plan.gradients[i].elements});
  return recorder;
}

class Numbers {
 public:
  Numbers(const Config& config, TraceRows& rows)
      : config_(config), model_(read_model_config(asset("models", config.text("model")))), rows_(rows) {}

  BucketPlan plan() const {
    const ModelHead head{ModelHead::Kind::kClassifier, config_.integer("classes"), config_.is_on("bias")};
    return plan_buckets(model_shapes(model_, head),
                        {.bucket_size = config_.integer("bucket"), .order = GradientOrder::kBackward});
  }

  void put_figures(const BucketPlan& plan) const {
    const int64_t logged = config_.integer("logged"), product = kBatch * kLength * kHidden;
    const ReducedBucket& first = plan.buckets.front();
    std::map<std::string, int64_t> figures = {{"logged", logged},
                                              {"hidden_size", hidden()},
                                              {"remainder", logged % hidden()},
                                              {"product", product},
                                              {"product_over_gpus", product * kRanksOfTheCase},
                                              {"claimed_product", kClaimedProduct},
                                              {"claimed_over_gpus", kClaimedOverGpus},
                                              {"first_bucket", first.elements},
                                              {"buckets", std::ssize(plan.buckets)}};
    rows_.outcome_text["first_bucket_sum"] = as_sum(first);
    if (first.next) figures["next_gradient"] = plan.gradients[*first.next].elements;
    if (first.next) rows_.outcome_text["next_gradient"] = plan.gradients[*first.next].name;
    for (const auto& [name, value] : figures) rows_.outcome["arithmetic_" + name] = double(value);
    for (const auto& [link, ms] : wire_ms(logged)) rows_.outcome["arithmetic_wire_ms_" + link] = ms;
    const Explanation why = explained(logged);
    rows_.outcome["explain_hits"] = double(why.hit_count);
    rows_.outcome["explain_allowed"] = double(why.flushed_count);
    for (const RunFamily& family : why.families) {
      rows_.outcome["explain_tried"] += family.candidates;
      rows_.outcome["explain_expected_by_chance"] += family.expected_hits;
      rows_.outcome["explain_allowed_by_chance"] += family.expected_flushed;
    }
    rows_.outcome["broadcasts"] = double(plan.tensors);
  }

  void record_logs(const BucketPlan& plan, Recorder& recorder) const {
    const SequenceRules rules{int64_t(plan.tensors), std::ssize(plan.buckets)};
    for (const LoggedCall& log : kLogs) {
      LogRow row{.log = log.name, .sequence = log.sequence, .elements = log.elements};
      row.rest = log.elements % hidden();
      const Explanation why = explained(log.elements);
      for (const RunHit& hit : why.hits)  // the one run of gradients that a reducer sends
        if (hit.flushed && why.flushed_count == 1) row.classes = hit.classes.value_or(0);
      for (const SequenceFit& fit : fit_sequence(log.sequence, rules))
        if (fit.fits()) row.accumulate = fit.accumulate, row.steps = fit.steps;
      record_row(recorder, row);
    }
  }

  int64_t hidden() const { return model_.text.hidden; }

 private:
  Explanation explained(int64_t number) const {
    ExplainOptions options;
    options.number = number;
    options.bucket_size = config_.integer("bucket");
    return explain_number(model_, options);
  }

  const Config& config_;
  const ModelConfig model_;
  TraceRows& rows_;
};

}  // namespace

std::map<std::string, double> wire_ms(int64_t elements) {
  std::map<std::string, double> times;
  const double ranks = kRanksOfTheCase;
  const double bytes = 2 * (ranks - 1) / ranks * double(elements) * kBytesOfBFloat16;
  for (const LinkModel& link : link_presets())
    if (link.simulated())
      times[link.name] = link.seconds(hops(Op::kAllReduce, kRanksOfTheCase), int64_t(bytes)) * 1e3;
  return times;
}

void record_numbers(const Config& config, TraceStore& store, TraceRows& rows) {
  const Numbers numbers(config, rows);
  const BucketPlan source = numbers.plan();
  const std::string model = fmt::format("{}, {} classes, bias {}", config.text("model"),
                                        config.integer("classes"), config.text("bias"));
  Recorder& recorder = add_plan(store, kSource, model, numbers.hidden(), source);
  numbers.put_figures(source);
  numbers.record_logs(source, recorder);
  const Training base = base_training(config);
  const BucketPlan here = plan_buckets(classifier_shapes(base.model), {.bucket_size = base.bucket_elements});
  add_plan(store, kHere, "the model that runs here", base.model.hidden, here);
  rows.outcome["first_bucket_here"] = double(here.buckets.front().elements);
  rows.outcome_text["first_bucket_sum_here"] = as_sum(here.buckets.front());
}

}  // namespace ringside::nccl_lesson
