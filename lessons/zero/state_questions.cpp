// What does a rank keep? Answered in blocks, or as a formula in P, G, O or in Ψ.
#include <fmt/format.h>

#include "measure.h"
#include "predictions.h"
#include "ringside/lesson/tr.h"
#include "ringside/planner/zero_plan.h"
#include "scenario.h"

namespace ringside::zero_lesson {
namespace {

std::vector<Symbol> state_symbols(const Config& config) {
  const ZeroSetup setup = planner_setup(config, 0);
  const StateWidths width = state_widths(setup.precision, setup.optimizer);
  const auto bytes = [](const char* name, std::string meaning, int64_t value) {
    return Symbol{name, meaning, static_cast<double>(value)};
  };
  Symbol parameters = bytes("P", tr("bytes for a parameter"), width.parameter);
  parameters.read_as = "Ψ";
  Symbol optimizer = bytes("O", tr("bytes for its optimizer state"), width.optimizer);
  optimizer.aliases = {"K"};
  return {parameters, bytes("G", tr("bytes for its gradient"), width.gradient), optimizer,
          ranks_symbol(config), parameters_symbol()};
}

WrongFormula wrong(Mistake mistake, std::string bf16, std::string fp32) {
  const auto text = [bf16 = std::move(bf16), fp32 = std::move(fp32)](const Config& config) {
    return config.text("precision") == "bf16" ? bf16 : fp32;
  };
  return wrong_formula(std::move(mistake), text, state_symbols);
}

// One kind of state: what the planner says of it, and what the run measured.
struct StateKind {
  const char* letter;
  const char* meaning;
  Category category;
  double StateBytes::*predicted;
  double State::*measured;
};
constexpr StateKind kKinds[] = {
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
  if (setup.precision == Precision::kBFloat16) parts.emplace_back(tr("master copy (fp32)"), 4);
  for (const StateSpec& state : kept_state(setup.optimizer))
    parts.emplace_back(fmt::format("{} ({})", state.name, state.meaning), 4);
  return parts;
}

std::vector<Block> blocks(const Config& config, int stage) {
  const ZeroSetup setup = planner_setup(config, stage);
  const StateBytes whole = zero_state(planner_setup(config, 0)), kept = zero_state(setup);
  std::vector<Block> result;
  for (const StateKind& kind : kKinds) {
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

// What is said around it: before the answer, behind it, and behind a right one.
struct Said {
  std::string context, why, more, phase;
};

PredictionSpec question(int stage, Said words, std::vector<WrongFormula> wrong) {
  PredictionSpec spec;
  spec.name = tr("memory, stage {}", stage);
  spec.board = "memory";
  spec.context = std::move(words.context);
  spec.why = std::move(words.why);
  spec.more = std::move(words.more);
  spec.instant = stage_name(stage) + ":1:" + words.phase;
  spec.id = question_id("state", stage);
  spec.question =
      tr("How many bytes of parameters, gradients and optimizer state does a rank keep per parameter in "
         "stage {}?",
         stage);
  spec.unit = "bytes per parameter";
  spec.formula = [stage](const Config& config) {
    const ZeroSetup setup = planner_setup(config, stage);
    return zero_state(setup).total() / setup.parameters;
  };
  spec.wrong = std::move(wrong);
  spec.measured = [stage](const Trace& trace) { return measured_bytes(trace, stage, nullptr); };
  spec.symbols = state_symbols;
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
  const Mistake no_master = {tr("the fp32 master copy, or one of Adam's two moments, left out"),
                             tr("In bf16 the optimizer changes an fp32 copy of the parameters, 4 bytes each, "
                                "and keeps two moments of 4 "
                                "bytes each. Without that copy small updates would be lost in rounding.")};
  const Mistake a_master = {
      tr("a master copy, which fp32 training does not have"),
      tr("The parameters are in fp32 already, so the optimizer keeps its two moments and no copy of them.")};
  const Mistake no_optimizer = {tr("the optimizer's state forgotten"),
                                tr("Adam keeps two moments for each parameter, and in bf16 a master copy. To "
                                   "split them over the ranks makes "
                                   "them smaller; it does not remove them.")};
  const auto is_stage_3 = [](std::string why) {
    return Mistake{tr("everything split, as in stage 3"), std::move(why)};
  };
  return {
      question(1,
               {tr("Stage 1 splits the optimizer's state among the ranks."),
                tr("Stage 1 splits only O: Adam changes each parameter once a step, on one rank, and only "
                   "that rank "
                   "needs its state. P is needed whole in forward and backward, and G until it is summed."),
                tr("bf16 saves nothing here: P and G shrink to 2 bytes, and the master copy adds 4 to O. "
                   "Unsplit it "
                   "is 16 bytes in bf16 and in fp32."),
                "update"},
               {wrong(no_master, "4Ψ + 8Ψ/N", ""),
                wrong(is_stage_3(tr(
                          "Stage 1 splits the optimizer's state alone. Parameters and gradients stay whole "
                          "on every rank.")),
                      "16Ψ/N", "16Ψ/N"),
                wrong({tr("gradients split too, as in stage 2"),
                       tr("In stage 1 each rank keeps the gradients of its own batch whole. Only the "
                          "optimizer's state "
                          "is split.")},
                      "2Ψ + 14Ψ/N", "4Ψ + 12Ψ/N"),
                wrong(a_master, "", "8Ψ + 12Ψ/N"), wrong(no_optimizer, "4Ψ", "8Ψ")}),
      question(
          2,
          {tr("Stage 2 splits the gradients as well."),
           tr("A rank updates only its own share of the parameters, so it needs only that share of the "
              "summed "
              "gradients. P stays whole, because every rank computes with all of it."),
           tr("While backward runs, a rank also holds a bucket of gradients that are not summed yet. So its "
              "peak "
              "is higher than what it keeps."),
           "backward"},
          {wrong(no_master, "2Ψ + 10Ψ/N", ""),
           wrong({tr("the whole copy of the parameters forgotten"),
                  tr("Every rank computes forward and backward with all parameters: in stage 2 they stay "
                     "whole.")},
                 "14Ψ/N", "12Ψ/N"),
           wrong(
               is_stage_3(tr("Stage 2 leaves the parameters whole on every rank. Stage 3 splits them too.")),
               "16Ψ/N", "16Ψ/N"),
           wrong({tr("gradients counted in fp32"), tr("Gradients are bf16 here, 2 bytes. Set-ups with fp32 "
                                                      "gradients exist: DeepSpeed's estimator "
                                                      "for stage 2 counts 4Ψ + 16Ψ/N.")},
                 "2Ψ + 16Ψ/N", ""),
           wrong(a_master, "", "4Ψ + 16Ψ/N"),
           wrong({tr("gradients whole, as in stage 1"), tr("In stage 2 a rank keeps the sum of its own share "
                                                           "and drops the other gradients as soon as "
                                                           "they are summed.")},
                 "4Ψ + 12Ψ/N", "8Ψ + 8Ψ/N")}),
      question(
          3,
          {tr("Stage 3 splits the parameters too."),
           tr("A layer's parameters are needed whole only while that layer computes. They are gathered "
              "before it "
              "and dropped after it, so between two steps a rank keeps 1/N of everything."),
           tr("For a moment a gathered layer is whole on every rank. More ranks do not make that part "
              "smaller."),
           "forward"},
          {wrong(no_master, "12Ψ/N", ""),
           wrong({tr("parameters whole, as in stage 2"),
                  tr("Stage 3 drops a layer's parameters when the layer has computed. Each rank keeps 1/N of "
                     "them.")},
                 "2Ψ + 14Ψ/N", "4Ψ + 12Ψ/N"),
           wrong(a_master, "", "20Ψ/N"), wrong(no_optimizer, "4Ψ/N", "8Ψ/N")}),
  };
}

}  // namespace ringside::zero_lesson
