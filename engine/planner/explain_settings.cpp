// Where the head is known a reducer's plan can be made, so any settings can be tried.
#include "ringside/planner/explain.h"

namespace ringside::inline planner {
namespace {

struct Tried {
  const ExplainOptions& options;
  std::vector<SentOtherwise> found{};
};

// What of this plan has the number of elements.
void find_in(const BucketPlan& plan, bool bias, Tried& tried) {
  for (const ReducedBucket& bucket : plan.buckets) {
    const auto found = [&](int rank) {
      tried.found.push_back(
          {plan.order, plan.parameter_groups, plan.destinations, rank, bias, bucket.elements, bucket.pieces});
    };
    const int64_t number = tried.options.number;
    if (plan.destinations == 0 && bucket.elements == number) found(0);
    for (const DestinationPart& part : bucket.parts)
      if (part.elements == number && number < bucket.elements) found(part.rank);
  }
}

void try_settings(const std::vector<ParameterShape>& shapes, bool bias, Tried& tried) {
  const int64_t size = tried.options.bucket_size;
  find_in(plan_buckets(shapes, {size, GradientOrder::kParameters, 2}), bias, tried);
  for (const GradientOrder order : {GradientOrder::kBackward, GradientOrder::kParameters})
    for (const int groups : {1, 2})
      for (int ranks = 2; ranks <= kMostDestinationsTried; ranks *= 2)
        find_in(plan_buckets(shapes, {size, order, groups, ranks}), bias, tried);
}

}  // namespace

std::vector<SentOtherwise> sent_otherwise(const std::vector<ParameterShape>& body, int64_t hidden,
                                          const ExplainOptions& options) {
  Tried tried{options};
  if (options.head != ModelHead::Kind::kClassifier) try_settings(body, false, tried);
  if (options.head != ModelHead::Kind::kClassifier || !options.classes) return tried.found;
  for (const bool bias : {false, true}) {
    if (options.bias.value_or(bias) != bias) continue;
    std::vector<ParameterShape> shapes = body;
    shapes.push_back({.name = "score.weight", .shape = {*options.classes, hidden}});
    if (bias) shapes.push_back({.name = "score.bias", .shape = {*options.classes}});
    try_settings(shapes, bias, tried);
  }
  return tried.found;
}

}  // namespace ringside::inline planner
