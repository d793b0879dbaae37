// What does a rank keep? Answered in blocks, or as a formula in P, G, O or in Ψ.
#include <fmt/format.h>

#include "measure.h"
#include "predictions.h"
#include "ringside/planner/zero_plan.h"
#include "scenario.h"

namespace ringside::zero_lesson {
namespace {

std::vector<Symbol> symbols(const Config& config) {
  const ZeroSetup setup = planner_setup(config, 0);
  const StateWidths width = state_widths(setup.precision, setup.optimizer);
  const auto bytes = [](const char* name, const char* meaning, int64_t value) {
    return Symbol{name, std::string("bytes a parameter of all ") + meaning, static_cast<double>(value)};
  };
  Symbol parameters = bytes("P", "parameters", width.parameter);
  parameters.read_as = "Ψ";
  Symbol optimizer = bytes("O", "optimizer state", width.optimizer);
  optimizer.aliases = {"K"};
  return {parameters, bytes("G", "gradients", width.gradient), optimizer, ranks_symbol(config),
          parameters_symbol()};
}

WrongFormula wrong(std::string name, std::string bf16, std::string fp32) {
  const auto text = [bf16 = std::move(bf16), fp32 = std::move(fp32)](const Config& config) {
    return config.text("precision") == "bf16" ? bf16 : fp32;
  };
  return wrong_formula(std::move(name), text, symbols);
}

// One kind of state: what the planner says of it, and what the run measured.
struct Kind {
  const char* letter;
  const char* meaning;
  Category category;
  double StateBytes::*predicted;
  double State::*measured;
};
constexpr Kind kKinds[] = {
    {"P", "parameters", Category::kParameters, &StateBytes::parameters, &State::parameters},
    {"G", "gradients", Category::kGradients, &StateBytes::gradients, &State::gradients},
    {"O", "optimizer state", Category::kOptimizer, &StateBytes::optimizer, &State::optimizer},
};

std::optional<double> measured_bytes(const Trace& trace, int stage, double State::*kind) {
  const SectionView* section = stage_section(trace, stage);
  if (section == nullptr) return std::nullopt;
  const State state = state_of(trace, *section);
  return (kind == nullptr ? state.total() : state.*kind) / psi(*section);
}

std::vector<std::pair<std::string, double>> parts_of(Category category, const ZeroSetup& setup) {
  std::vector<std::pair<std::string, double>> parts;
  if (category != Category::kOptimizer) return parts;
  if (setup.precision == Precision::kBFloat16) parts.emplace_back("master", 4);
  for (const StateSpec& state : kept_state(setup.optimizer)) parts.emplace_back(state.name, 4);
  return parts;
}

std::vector<Block> blocks(const Config& config, int stage) {
  const ZeroSetup setup = planner_setup(config, stage);
  const StateBytes whole = zero_state(planner_setup(config, 0)), kept = zero_state(setup);
  std::vector<Block> result;
  for (const Kind& kind : kKinds) {
    Block block{kind.letter, kind.meaning, kind.category};
    block.whole = whole.*kind.predicted / setup.parameters;
    block.right = kept.*kind.predicted / setup.parameters;
    block.parts = parts_of(kind.category, setup);
    block.measured = [stage, &kind](const Trace& trace) {
      return measured_bytes(trace, stage, kind.measured);
    };
    result.push_back(std::move(block));
  }
  return result;
}

PredictionSpec question(int stage, std::vector<WrongFormula> wrong) {
  PredictionSpec spec;
  spec.id = fmt::format("state_stage_{}", stage);
  spec.question = fmt::format(
      "How many bytes of parameters, gradients and optimizer does a rank keep per parameter in stage {}?",
      stage);
  spec.unit = "bytes per parameter";
  spec.formula = [stage](const Config& config) {
    const ZeroSetup setup = planner_setup(config, stage);
    return zero_state(setup).total() / setup.parameters;
  };
  spec.wrong = std::move(wrong);
  spec.measured = [stage](const Trace& trace) { return measured_bytes(trace, stage, nullptr); };
  spec.symbols = symbols;
  spec.formula_text = [stage](const Config& config) {
    return plan_stages(planner_setup(config, stage))[static_cast<size_t>(stage)].state_formula;
  };
  spec.blocks = [stage](const Config& config) { return blocks(config, stage); };
  spec.section = stage_name(stage);
  spec.again = {"ranks=8", "precision=fp32", "ranks=2", "ranks=3"};
  spec.answered_by = AnswerKind::kBlocks;
  spec.at_scale = {"At 7.5 billion parameters on 64 ranks", {{"N", 64}}, 7.5, "GB a rank"};
  return spec;
}

}  // namespace

std::vector<PredictionSpec> state_questions() {
  const std::string no_master =
      "no fp32 master copy, or only one of Adam's moments: 4 bytes a parameter left out";
  const std::string a_master = "a master copy, which fp32 training does not have";
  const std::string no_optimizer = "the optimizer's state forgotten";
  const std::string is_stage_3 = "everything sharded: that is stage 3";
  return {
      question(1, {wrong(no_master, "4Ψ + 8Ψ/N", ""), wrong(is_stage_3, "16Ψ/N", "16Ψ/N"),
                   wrong("gradients sharded too: that is stage 2", "2Ψ + 14Ψ/N", "4Ψ + 12Ψ/N"),
                   wrong(a_master, "", "8Ψ + 12Ψ/N"), wrong(no_optimizer, "4Ψ", "8Ψ")}),
      question(2, {wrong(no_master, "2Ψ + 10Ψ/N", ""),
                   wrong("the whole copy of the parameters forgotten", "14Ψ/N", "12Ψ/N"),
                   wrong(is_stage_3, "16Ψ/N", "16Ψ/N"),
                   wrong("gradients kept in fp32 (DeepSpeed counts 18 bytes: a real set-up too)",
                         "2Ψ + 16Ψ/N", ""),
                   wrong(a_master, "", "4Ψ + 16Ψ/N"),
                   wrong("gradients whole: that is stage 1", "4Ψ + 12Ψ/N", "8Ψ + 8Ψ/N")}),
      question(3, {wrong(no_master, "12Ψ/N", ""),
                   wrong("parameters whole: that is stage 2", "2Ψ + 14Ψ/N", "4Ψ + 12Ψ/N"),
                   wrong(a_master, "", "20Ψ/N"), wrong(no_optimizer, "4Ψ/N", "8Ψ/N")}),
  };
}

}  // namespace ringside::zero_lesson
