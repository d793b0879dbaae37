// `ringside plan buckets`: what a ZeRO-1/2 reducer sends in one backward pass of a released model.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "commands.h"
#include "plan_page.h"
#include "plan_words.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"

namespace ringside {
namespace {

constexpr size_t kInFull = 2;        // buckets written as sums
constexpr size_t kMostBriefly = 40;  // and then so many in a line each

ModelHead head_of(const PlanOptions& plan) {
  if (plan.classes) return {ModelHead::Kind::kClassifier, *plan.classes, plan.head_bias};
  return {ModelHead::Kind::kLanguageModel, 0, false};
}

Json bucket_json(const BucketPlan& plan, const ReducedBucket& bucket) {
  Json names = Json::array();
  for (size_t i = bucket.begin; i < bucket.end; ++i) names.push_back(plan.gradients[i].name);
  Json next = nullptr;
  if (bucket.next)
    next = tensor_json(plan.gradients[*bucket.next].name, plan.gradients[*bucket.next].elements);
  return {{"elements", bucket.elements},
          {"pieces", pieces_json(bucket.pieces)},
          {"next", next},
          {"parts", array_of(bucket.parts,
                             [](const DestinationPart& part) {
                               return Json{{"rank", part.rank}, {"elements", part.elements}};
                             })},
          {"parameters", names}};
}

void buckets_json(const PlanOptions& options, const ModelConfig& config, const BucketPlan& plan,
                  std::ostream& out) {
  write_json({{"schema", kJsonSchema},
              {"plan", "buckets"},
              {"setup",
               {{"config", config.source},
                {"model_type", to_string(config.family)},
                {"head", options.classes ? "classes" : "lm_head"},
                {"classes", or_null(options.classes)},
                {"head_bias", options.head_bias},
                {"freeze_vision", options.freeze_vision},
                {"order", to_string(plan.order)},
                {"parameter_groups", plan.parameter_groups},
                {"destinations", plan.destinations},
                {"bucket_size", plan.bucket_size}}},
              {"parameters", plan.parameters},
              {"trainable", plan.trainable},
              {"tensors", plan.tensors},
              {"buckets", array_of(plan.buckets,
                                   [&](const ReducedBucket& bucket) { return bucket_json(plan, bucket); })}},
             out);
}

std::string head_words(const PlanOptions& options, const ModelConfig& config) {
  if (!options.classes) return config.text.tied ? "lm_head, tied to the embedding" : "lm_head";
  return fmt::format("{} classes {} bias", format_count(*options.classes),
                     options.head_bias ? "with" : "without");
}

std::string why_closed(const BucketPlan& plan, const ReducedBucket& bucket) {
  if (!bucket.next) return "the end of the pass";
  const Gradient& next = plan.gradients[*bucket.next];
  return fmt::format("next, {} {}, would make {} > {}", tensor_words(next.name), format_count(next.elements),
                     format_count(bucket.elements + next.elements), format_count(plan.bucket_size));
}

// "to rank 1 350,038,397, to rank 0 116,980,606"
std::string parts_words(const ReducedBucket& bucket) {
  std::string words;
  for (size_t i = 0; i < bucket.parts.size() && i < kMostBriefly; ++i)
    words += fmt::format("{}rank {} {}", i == 0 ? "sent to " : ", ", bucket.parts[i].rank,
                         format_count(bucket.parts[i].elements));
  return words + (bucket.parts.size() > kMostBriefly ? ", ..." : "");
}

void buckets_text(const PlanOptions& options, const ModelConfig& config, const BucketPlan& plan,
                  PlanPage& out) {
  const std::string frozen =
      plan.trainable == plan.parameters ? "all trained" : format_count(plan.trainable) + " trained";
  const std::string model =
      fmt::format("{}   {} parameters in {} tensors, {}   head: {}", to_string(config.family),
                  format_count(plan.parameters), format_count(int64_t(plan.tensors)), frozen,
                  head_words(options, config));
  const std::string reducer =
      fmt::format("reduce_bucket_size {}, gradients in {} order{}: {} {}", format_count(plan.bucket_size),
                  to_string(plan.order), plan.parameter_groups == 2 ? ", 2 parameter groups" : "",
                  plan.buckets.size(), plan.buckets.size() == 1 ? "bucket" : "buckets");
  out.line(model);
  out.line(reducer);
  out << '\n';
  size_t digits = 0;
  for (const ReducedBucket& bucket : plan.buckets)
    digits = std::max(digits, format_count(bucket.elements).size());
  const size_t shown = std::min(plan.buckets.size(), kInFull + kMostBriefly);
  for (size_t i = 0; i < shown; ++i) {
    const ReducedBucket& bucket = plan.buckets[i];
    out << pad_left(std::to_string(i), 4) << "   " << pad_left(format_count(bucket.elements), digits);
    const size_t indent = 4 + 3 + digits + 3;
    if (i < kInFull)
      out << " = " << wrap(sum_words(bucket.pieces), out.width, indent) << '\n'
          << std::string(indent, ' ') << wrap(why_closed(plan, bucket), out.width, indent) << '\n';
    else
      out << "   " << wrap(piece_words(bucket.pieces), out.width, indent) << '\n';
    if (!bucket.parts.empty()) out.line(parts_words(bucket), indent);
  }
  if (shown < plan.buckets.size())
    out << "   and " << format_count(int64_t(plan.buckets.size() - shown)) << " more; --json has them all\n";
}

}  // namespace

std::vector<ParameterShape> shapes_of(const PlanOptions& typed) {
  return model_shapes(read_model_config(*typed.config_file), head_of(typed), typed.freeze_vision);
}

BucketPlan reducer_plan(const PlanOptions& typed) {
  return plan_buckets(shapes_of(typed),
                      {typed.bucket_size, typed.order, typed.parameter_groups, typed.destinations});
}

ExitCode plan_reducer(const Options& options, std::ostream& out) {
  const PlanOptions& typed = options.plan;
  const ModelConfig config = read_model_config(*typed.config_file);
  const BucketPlan plan = reducer_plan(typed);
  PlanPage page{out, size_t(summary_width(options))};
  options.json ? buckets_json(typed, config, plan, out) : buckets_text(typed, config, plan, page);
  return ExitCode::kOk;
}

}  // namespace ringside
