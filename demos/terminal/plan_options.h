// The words behind `ringside plan`.
#pragma once

#include <optional>
#include <string>

#include "ringside/lesson/config.h"
#include "ringside/planner/explain.h"
#include "ringside/planner/reducer.h"

namespace CLI {
class App;
}

namespace ringside {

enum class PlanKind { kZero, kBuckets, kExplain, kSteps, kMesh, kSchedule };

struct PlanOptions {
  PlanKind kind = PlanKind::kZero;
  std::string what, number_typed;  // as typed
  std::optional<std::string> config_file, classes_typed, bucket_size_typed, order_typed, groups_typed,
      destinations_typed;
  bool head_bias = false, lm_head = false, freeze_vision = false;
  bool published = false;          // kMesh: the runs that others have published
  std::vector<std::string> sizes;  // kSchedule: "p=4"; `number_typed` is its name or its passes
  // What they mean, once finish_plan_options() has read them.
  int64_t number = 0;        // kExplain, kSteps
  int parameter_groups = 1;  // kBuckets, kSteps; there 2 where none is given
  int destinations = 0;      // kBuckets
  std::optional<int64_t> classes;
  int64_t bucket_size = kDefaultReduceBucket;
  GradientOrder order = GradientOrder::kBackward;
};

// What `ringside plan zero` and `ringside plan mesh` take: declared and checked like a lesson's parameters.
const std::vector<ParameterSpec>& plan_parameters();
const std::vector<ParameterSpec>& mesh_parameters();
// Of both, each name once: the options of the command line.
std::vector<ParameterSpec> valued_plan_options();

// Adds the options of the others to the command `plan`, and makes of them what they mean once they are read.
void add_plan_options(CLI::App& command, PlanOptions& options);
// valued: those of valued_plan_options() that were given. UsageError for what does not go together.
void finish_plan_options(PlanOptions& options, const std::vector<std::string>& valued);

// Of the model and head that the options name. InputError for a model that cannot be read.
std::vector<ParameterShape> shapes_of(const PlanOptions& options);
// Of the model, head and bucket that the options name. InputError for a model that cannot be read.
BucketPlan reducer_plan(const PlanOptions& options);

}  // namespace ringside
