// `ringside plan zero`: the table of the ZeRO paper for any model and any number of ranks.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "commands.h"
#include "json_text.h"
#include "plan_page.h"
#include "plan_update.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/fields.h"
#include "ringside/planner/zero_plan.h"

namespace ringside {
namespace {

constexpr double kGiga = 1e9;  // the paper's GB

ZeroSetup setup_of(const Config& config, const PlanOptions& plan) {
  ZeroSetup setup;
  setup.parameters = config.real("parameters");
  setup.frozen = config.real("frozen");
  if (plan.config_file) {
    if (!config.is_default("parameters") || !config.is_default("frozen"))
      throw UsageError("--config has the parameters of a model: leave out --parameters and --frozen");
    setup.shapes = shapes_of(plan);
    setup.parameters = double(count_trainable(setup.shapes));
    setup.frozen = double(count_parameters(setup.shapes)) - setup.parameters;
  }
  setup.ranks = int(config.integer("ranks"));
  setup.optimizer.name = config.text("optimizer");
  read_fields<Distribution>(config, setup, {"stage"});  // which may be "all"
  if (setup.shapes.empty() && needs_shapes(setup.optimizer))
    throw UsageError(
        fmt::format("optimizer={} keeps rows and columns of matrices, so that its bytes follow from "
                    "their shapes: name a model, --config FILE",
                    setup.optimizer.name));
  return setup;
}

std::vector<PlanStage> chosen_stages(const Config& config, const ZeroSetup& setup) {
  std::vector<PlanStage> stages = plan_stages(setup);
  const std::string& stage = config.text("stage");
  if (stage != "all")
    std::erase_if(stages, [&](const auto& row) { return std::to_string(row.stage) != stage; });
  return stages;
}

double card_bytes(const Config& config) {
  return config.real("memory") > 0 ? config.real("memory") * kGiga : kCardBytes;
}

// How many parameters such a card holds.
double card_holds(const Config& config, const PlanStage& row) {
  return row.parameters_per_card * (card_bytes(config) / kCardBytes);
}

Json stage_json(const Config& config, const PlanStage& row) {
  return {{"stage", row.stage},
          {"state_bytes",
           {{"parameters", row.state.parameters},
            {"gradients", row.state.gradients},
            {"optimizer", row.state.optimizer},
            {"total", row.state.total()}}},
          {"state_formula", row.state_formula},
          {"sent_elements",
           {{"gradients", row.traffic.gradients},
            {"parameters", row.traffic.parameters},
            {"between", row.traffic.between},
            {"total", row.traffic.total()}}},
          {"sent_bytes", row.sent_bytes},
          {"sent_formula", row.traffic_formula},
          {"parameters_per_card", card_holds(config, row)}};
}

void plan_json(const Config& config, const ZeroSetup& setup, std::ostream& out) {
  Json plan = {{"schema", kJsonSchema},
               {"plan", "zero"},
               {"setup",
                {{"parameters", setup.parameters},
                 {"frozen", setup.frozen},
                 {"ranks", setup.ranks},
                 {"precision", config.text("precision")},
                 {"optimizer", setup.optimizer.name},
                 {"reduce", config.text("reduce")},
                 {"accumulate", setup.accumulate},
                 {"no_sync", setup.no_sync},
                 {"replicas", setup.replicas},
                 {"card_bytes", card_bytes(config)}}},
               {"stages", array_of(chosen_stages(config, setup),
                                   [&](const PlanStage& row) { return stage_json(config, row); })}};
  if (const Json update = update_json(setup); !update.is_null()) plan["update"] = update;
  write_json(plan, out);
}

struct ByteUnit {
  double bytes;
  const char* name;
};

// In which the largest of a column has a figure before the point; the paper's GB where it nearly has.
ByteUnit unit_of(double most) {
  if (most >= 0.1 * kGiga) return {kGiga, "GB"};
  for (const ByteUnit unit : {ByteUnit{1e6, "MB"}, ByteUnit{1e3, "kB"}})
    if (most >= unit.bytes) return unit;
  return {1, "B"};
}

// Three figures: 120, 31.4, 1.88, 0.234.
std::string in_unit(double bytes, const ByteUnit& unit) {
  const double value = bytes / unit.bytes;
  return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

std::string count_in_giga(double count) {
  constexpr double kMostFigures = 1e15;
  return count < kMostFigures ? fmt::format("{:.1f}e9", count / kGiga) : fmt::format("{:.1e}", count);
}

std::string in_words(const ZeroSetup& setup) {
  const bool bf16 = setup.precision == Precision::kBFloat16;
  const auto count = [](double parameters) { return format_count(int64_t(parameters)); };
  return fmt::format("Ψ {} {}{}   N {} {}   g {}   {}, {} (K={})", count(setup.parameters),
                     setup.parameters == 1 ? "parameter" : "parameters",
                     setup.frozen > 0 ? " and Ψ₀ " + count(setup.frozen) + " frozen" : "", setup.ranks,
                     setup.ranks == 1 ? "rank" : "ranks", setup.accumulate,
                     find_optimizer(setup.optimizer.name).title,
                     bf16 ? "bf16 with an fp32 master copy" : "fp32",
                     state_widths(setup.precision, setup.optimizer).optimizer);
}

void plan_text(const Config& config, const ZeroSetup& setup, PlanPage& out) {
  const std::vector<PlanStage> stages = chosen_stages(config, setup);
  double most_state = 0, most_sent = 0;
  for (const PlanStage& row : stages) {
    most_state = std::max(most_state, row.state.total());
    most_sent = std::max(most_sent, row.sent_bytes);
  }
  const ByteUnit unit = unit_of(most_state), sent = unit_of(most_sent);
  std::vector<std::vector<std::string>> rows;
  for (const PlanStage& row : stages)
    rows.push_back({std::to_string(row.stage), in_unit(row.state.total(), unit),
                    in_unit(row.state.parameters, unit), in_unit(row.state.gradients, unit),
                    in_unit(row.state.optimizer, unit), row.state_formula, row.traffic_formula,
                    in_unit(row.sent_bytes, sent), count_in_giga(card_holds(config, row))});
  out << wrap(in_words(setup), out.width, 0) << "\n\n       " << unit.name << " per rank\n";
  out.table({"stage", " state", " = parameters", " + gradients", " + optimizer", "formula", "sent, step",
             std::string(" ") + sent.name, fmt::format(" {:g} GB hold", card_bytes(config) / kGiga)},
            rows);
  const auto factor = [&](int64_t replicas) { return double(setup.ranks - replicas) / setup.ranks; };
  std::string notes = fmt::format("f = (N-1)/N = {:.4g}", factor(1));
  if (setup.replicas > 1)
    notes += fmt::format("; with M = {} replicas f = (N-M)/N = {:.4g} from stage 1 on", setup.replicas,
                         factor(setup.replicas));
  if (unit.bytes > 1)
    notes += fmt::format(", {} = {} bytes", unit.name,
                         unit.bytes >= kGiga ? "10^9" : format_count(int64_t(unit.bytes)));
  notes += ", state without activations; formulas: arXiv:1910.02054";
  out << '\n';
  out.line(notes);
  if (stages.front().state_formula.find('Z') != std::string::npos)
    out.line(
        "Z = bytes of rows, columns and vectors; a cut matrix' rows and columns are on each rank that has a "
        "part");
  update_text(setup, out.out);
}

}  // namespace

ExitCode plan_zero(const Options& options, std::ostream& out) {
  const Config config = Config::parse("plan zero", plan_parameters(), options.words);
  const ZeroSetup setup = setup_of(config, options.plan);
  PlanPage page{out, size_t(summary_width(options))};
  options.json ? plan_json(config, setup, out) : plan_text(config, setup, page);
  return ExitCode::kOk;
}

}  // namespace ringside
