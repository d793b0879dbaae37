#include "plan_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "option_checks.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/fields.h"
#include "ringside/lesson/suggest.h"
#include "ringside/optim/optimizer.h"
#include "ringside/planner/distribution.h"

namespace ringside {
namespace {

constexpr const char* kPlanFooter = R"(
zero takes --parameters to --replicas, mesh --ranks, --stage and --gpu to --micro, buckets, explain and steps the
others; zero and mesh also a model's --config:
  ringside plan zero --parameters 7.5e9 --ranks 64
  ringside plan zero --config config.json --optimizer muon --ranks 64
  ringside plan mesh --config config.json --gpu h100 --ranks 1024 --batch 2048 --sequence 8192
  ringside plan mesh --published
  ringside plan buckets --config config.json --classes 251 --head-bias
  ringside plan explain 467019003 --config config.json
  ringside plan steps 56731 --config config.json --classes 251 --head-bias
schedule takes p=, m=, v=, order=, forward=, input=, weight= and message= behind a name or passes:
  ringside plan schedule interleaved p=4 m=8 v=2 message=0.1
  ringside plan schedule "F0 F1 B1 B0 / F0 B0 F1 B1"
)";

PlanKind kind_of(const std::string& what) {
  const std::vector<std::string> known = {"zero", "buckets", "explain", "steps", "mesh", "schedule"};
  for (size_t i = 0; i < known.size(); ++i)
    if (what == known[i]) return static_cast<PlanKind>(i);
  throw UsageError(
      "plan" + (what.empty() ? "" : " " + as_typed(what)) + suggestion(what, known) +
      ": there is a plan for zero, buckets, explain, steps, mesh and schedule: ringside plan zero "
      "--parameters 7.5e9");
}

int64_t read_in_range(const std::string& typed, const std::string& name, int64_t most) {
  const int64_t value = parse_count(typed, name);
  if (value < 1 || value > most)
    throw UsageError(name + "=" + as_typed(typed) + ": allowed are 1 to " + format_count(most));
  return value;
}

[[noreturn]] void reject(const PlanOptions& options, const std::string& given, const std::string& allowed) {
  throw UsageError("plan " + options.what + " takes no " + given + "; allowed are " + allowed);
}

// The first option that was given of those that plan zero does not take, or "". It takes a model.
std::string option_of_others(const PlanOptions& options) {
  if (options.bucket_size_typed) return "--bucket-size";
  if (options.order_typed) return "--order";
  if (options.groups_typed) return "--parameter-groups";
  if (options.destinations_typed) return "--destinations";
  if (options.config_file) return "";
  if (options.classes_typed) return "--classes";
  if (options.head_bias) return "--head-bias";
  if (options.lm_head) return "--lm-head";
  return options.freeze_vision ? "--freeze-vision" : "";
}

// The first value that was given and that is not one of these, or "".
std::string not_among(const std::vector<std::string>& given, const std::vector<ParameterSpec>& specs) {
  for (const std::string& name : given)
    if (std::ranges::find(specs, name, &ParameterSpec::name) == specs.end()) return "--" + name;
  return "";
}

void finish_valued(PlanOptions& options, const std::vector<std::string>& valued) {
  const bool zero = options.kind == PlanKind::kZero;
  std::string given = option_of_others(options);
  if (given.empty()) given = not_among(valued, zero ? plan_parameters() : mesh_parameters());
  if (given.empty()) return;
  reject(
      options, given,
      zero ? "--parameters, --frozen or a model's --config, --ranks, ...; see ringside plan --help"
           : "a model's --config or --hidden, --layers, ..., --gpu, --ranks, ...; see ringside plan --help");
}

void read_head(PlanOptions& options) {
  if (options.classes_typed) options.classes = read_in_range(*options.classes_typed, "classes", kMostClasses);
  if (options.lm_head && options.head_bias)
    throw UsageError("--lm-head and --head-bias: choose one; a language model's head has no bias");
  if (options.lm_head && options.classes)
    throw UsageError("--lm-head and --classes: choose one; a language model's head has its vocabulary");
  if (options.kind != PlanKind::kExplain && options.head_bias && !options.classes)
    throw UsageError("--head-bias: a head with a bias needs its --classes, 1 to " +
                     format_count(kMostClasses));
}

void read_order(PlanOptions& options) {
  if (!options.order_typed) return;
  if (options.kind == PlanKind::kExplain) throw UsageError("plan explain takes no --order: it tries both");
  if (*options.order_typed == "parameters")
    options.order = GradientOrder::kParameters;
  else if (*options.order_typed != "backward")
    throw UsageError("--order " + as_typed(*options.order_typed) + ": allowed are backward, parameters" +
                     suggestion(*options.order_typed, {"backward", "parameters"}));
}

// The rest is read by the command (plan_schedule.cpp).
void finish_schedule(const PlanOptions& options, const std::vector<std::string>& valued) {
  std::string given = valued.empty() ? option_of_others(options) : "--" + valued.front();
  if (given.empty() && options.published) given = "--published";
  if (given.empty() && options.config_file) given = "--config";
  if (!given.empty())
    reject(options, given, "p=, m=, v=, order=, forward=, input=, weight=, message=, --json");
}

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const OptimizerSpec& spec : optimizer_specs()) names.push_back(spec.name);
  return names;
}

}  // namespace

const std::vector<ParameterSpec>& plan_parameters() {
  constexpr double kMostParameters = 1e18;
  constexpr double kMostRanks = 1 << 20;
  using Kind = ParameterKind;
  static const std::vector<ParameterSpec> parameters = {
      {"parameters", "Ψ, trainable parameters", "", Kind::kReal, "7.5e9", 1, kMostParameters},
      {"frozen", "parameters without gradient and optimizer state", "", Kind::kReal, "0", 0, kMostParameters},
      {"ranks", "N, data-parallel ranks", "", Kind::kInteger, "64", 1, kMostRanks},
      spec_of_field<Distribution>("precision"),
      {"optimizer", "whose state is counted", "", Kind::kChoice, "adamw", 0, 0, optimizer_names()},
      {"stage", "ZeRO stage", "", Kind::kChoice, "all", 0, 0, {"all", "0", "1", "2", "3"}},
      spec_of_field<Distribution>("reduce"),
      spec_of_field<Distribution>("accumulate"),
      spec_of_field<Distribution>("no_sync"),
      spec_of_field<Distribution>("replicas"),
      {"memory", "of a GPU, GB; 0: zero 80, mesh as known", "", Kind::kReal, "0", 0, 1e6},
  };
  return parameters;
}

void add_plan_options(CLI::App& command, PlanOptions& options) {
  add_value(command, "what", options.what,
            "zero: its stages; mesh: of dp, tp, pp; buckets: a reducer's; explain: what a size is; "
            "steps: when a call was made; schedule: of a pipeline",
            "");
  add_value(command, "number", options.number_typed,
            "explain: elements, as NumelIn of a log; steps: SeqNum; schedule: its name or passes", "");
  add_value(command, "sizes", options.sizes, "schedule: p=4 m=8 v=1 and more, see below", "");
  const auto add = [&](const char* name, auto& value, const std::string& what, const char* type) {
    return add_value(command, name, value, what, type);
  };
  add("--config", options.config_file, "config.json of a qwen2, qwen2_vl, qwen2_5_vl or llama model", "FILE")
      ->check(is_name());
  add("--classes", options.classes_typed, "of a classification head; explain solves for it without", "N");
  command.add_flag("--head-bias", options.head_bias, "That head has a bias");
  command.add_flag("--lm-head", options.lm_head, "A language model's head: buckets without --classes");
  add("--bucket-size", options.bucket_size_typed, "reduce_bucket_size, elements; default 5e8", "ELEMENTS");
  add("--order", options.order_typed, "backward or parameters; default backward", "NAME");
  add("--parameter-groups", options.groups_typed,
      "of the optimizer, 2: with and without weight decay; default: buckets 1, steps 2", "N");
  add("--destinations", options.destinations_typed,
      "buckets: N ranks, each is sent its part (use_multi_rank_bucket_allreduce=false)", "N");
  command.add_flag("--freeze-vision", options.freeze_vision, "The vision tower is not trained");
  command.add_flag("--published", options.published,
                   "mesh: trainings that others have published, beside their plans");
  command.footer(kPlanFooter);
}

void finish_plan_options(PlanOptions& options, const std::vector<std::string>& valued) {
  options.kind = kind_of(options.what);
  if (options.kind == PlanKind::kSchedule) return finish_schedule(options, valued);
  if (!options.sizes.empty())
    reject(options, "'" + as_typed(options.sizes.front()) + "'", "options; see ringside plan --help");
  const bool numbered = options.kind == PlanKind::kExplain || options.kind == PlanKind::kSteps;
  if (!options.number_typed.empty() && !numbered)
    reject(options, "'" + as_typed(options.number_typed) + "'", "options; see ringside plan --help");
  if (options.published && options.kind != PlanKind::kMesh)
    reject(options, "--published", "options; see ringside plan --help");
  if (options.kind == PlanKind::kZero || options.kind == PlanKind::kMesh) {
    finish_valued(options, valued);
    read_head(options);
    return;
  }
  if (!valued.empty())
    reject(options, "--" + valued.front(),
           "--config, --classes, --head-bias, --lm-head, --bucket-size, --order, --freeze-vision, --json");
  if (options.kind == PlanKind::kExplain && (options.groups_typed || options.destinations_typed))
    throw UsageError("plan explain takes no --parameter-groups and no --destinations: it tries them");
  if (options.kind == PlanKind::kSteps && options.destinations_typed)
    reject(options, "--destinations", "--config, --classes, --head-bias, --lm-head, --bucket-size, --json");
  if (numbered) {
    if (options.number_typed.empty())
      throw UsageError(fmt::format("plan {}: which number? ringside plan {} --config config.json",
                                   options.what,
                                   options.kind == PlanKind::kSteps ? "steps 56731" : "explain 467019003"));
    options.number = read_in_range(options.number_typed, "number", kMostModelParameters);
  }
  if (!options.config_file)
    throw UsageError("plan " + options.what + ": --config is missing: the config.json of a model");
  read_head(options);
  if (options.bucket_size_typed)
    options.bucket_size = read_in_range(*options.bucket_size_typed, "bucket-size", kMostModelParameters);
  options.parameter_groups = options.kind == PlanKind::kSteps ? 2 : 1;
  if (options.groups_typed)
    options.parameter_groups = int(read_in_range(*options.groups_typed, "parameter-groups",
                                                 options.kind == PlanKind::kSteps ? kMostClasses : 2));
  if (options.destinations_typed)
    options.destinations = int(read_in_range(*options.destinations_typed, "destinations", kMostDestinations));
  read_order(options);
}

}  // namespace ringside
