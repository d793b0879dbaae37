#include "predictions.h"

#include <limits>

#include "measure.h"
#include "scenario.h"

namespace ringside::zero_lesson {
namespace {

// A wrong formula that belongs to the other precision, or to accumulation only, names nobody here.
constexpr double kDoesNotApply = std::numeric_limits<double>::quiet_NaN();

struct Symbols {
  double N, f, g;
  bool bf16;
};
Symbols symbols(const Config& config) {
  const auto N = static_cast<double>(config.integer("ranks"));
  return {N, (N - 1) / N, static_cast<double>(config.integer("accumulate")),
          config.text("precision") == "bf16"};
}

template <typename Formula>
WrongFormula wrong(std::string name, Formula formula) {
  return {std::move(name), [formula](const Config& config) { return formula(symbols(config)); }};
}

PredictionSpec state_question(int stage, std::vector<WrongFormula> wrong) {
  PredictionSpec spec;
  spec.id = "state_stage_" + std::to_string(stage);
  spec.question =
      "How many bytes of parameters, gradients and optimizer does a rank keep per parameter in stage " +
      std::to_string(stage) + "?";
  spec.unit = "bytes per parameter";
  spec.formula = [stage](const Config& config) {
    const ZeroSetup setup = planner_setup(config, stage);
    return zero_state(setup).total() / setup.parameters;
  };
  spec.wrong = std::move(wrong);
  spec.measured = [stage](const Trace& trace) -> std::optional<double> {
    const SectionView* section = stage_section(trace, stage);
    if (section == nullptr) return std::nullopt;
    return state_of(trace, *section).total() / psi(*section);
  };
  return spec;
}

PredictionSpec sent_question(int stage, std::vector<WrongFormula> wrong) {
  PredictionSpec spec;
  spec.id = "sent_stage_" + std::to_string(stage);
  spec.question = "How many elements does a rank send in a step of stage " + std::to_string(stage) +
                  ", in multiples of the parameters Ψ?";
  spec.unit = "Ψ";
  spec.formula = [stage](const Config& config) {
    const ZeroSetup setup = planner_setup(config, stage);
    return zero_traffic(setup).total() / setup.parameters;
  };
  spec.wrong = std::move(wrong);
  spec.measured = [stage](const Trace& trace) -> std::optional<double> {
    const SectionView* section = stage_section(trace, stage);
    if (section == nullptr) return std::nullopt;
    return sent_psi(trace, *section);
  };
  return spec;
}

// Common to every question about traffic.
std::vector<WrongFormula> traffic_wrongs(double passes, std::vector<WrongFormula> own) {
  own.push_back(wrong("N taken as infinite: near, but a rank keeps its own share",
                      [=](Symbols s) { return passes * (s.g > 1 ? kDoesNotApply : 1); }));
  own.push_back(
      wrong("a naive broadcast to every other rank", [=](Symbols s) { return passes * s.f * (s.N - 1); }));
  own.push_back(wrong("bytes, where elements were asked for",
                      [=](Symbols s) { return passes * s.f * (s.bf16 ? 2 : 4); }));
  return own;
}

}  // namespace

std::vector<PredictionSpec> predictions() {
  const std::string no_master =
      "no fp32 master copy, or only one of Adam's moments: 4 bytes a parameter left out";
  const std::string a_master = "a master copy, which fp32 training does not have";
  const std::string no_optimizer = "the optimizer's state forgotten";
  return {
      state_question(1, {wrong(no_master, [](Symbols s) { return s.bf16 ? 4 + 8 / s.N : kDoesNotApply; }),
                         wrong("everything sharded: that is stage 3", [](Symbols s) { return 16 / s.N; }),
                         wrong("gradients sharded too: that is stage 2",
                               [](Symbols s) { return s.bf16 ? 2 + 14 / s.N : 4 + 12 / s.N; }),
                         wrong(a_master, [](Symbols s) { return s.bf16 ? kDoesNotApply : 8 + 12 / s.N; }),
                         wrong(no_optimizer, [](Symbols s) { return s.bf16 ? 4.0 : 8.0; })}),
      state_question(2, {wrong(no_master, [](Symbols s) { return s.bf16 ? 2 + 10 / s.N : kDoesNotApply; }),
                         wrong("the whole copy of the parameters forgotten",
                               [](Symbols s) { return (s.bf16 ? 14 : 12) / s.N; }),
                         wrong("everything sharded: that is stage 3", [](Symbols s) { return 16 / s.N; }),
                         wrong("gradients kept in fp32 (DeepSpeed counts 18 bytes: a real set-up too)",
                               [](Symbols s) { return s.bf16 ? 2 + 16 / s.N : kDoesNotApply; }),
                         wrong(a_master, [](Symbols s) { return s.bf16 ? kDoesNotApply : 4 + 16 / s.N; }),
                         wrong("gradients whole: that is stage 1",
                               [](Symbols s) { return s.bf16 ? 4 + 12 / s.N : 8 + 8 / s.N; })}),
      state_question(3, {wrong(no_master, [](Symbols s) { return s.bf16 ? 12 / s.N : kDoesNotApply; }),
                         wrong("parameters whole: that is stage 2",
                               [](Symbols s) { return s.bf16 ? 2 + 14 / s.N : 4 + 12 / s.N; }),
                         wrong(a_master, [](Symbols s) { return s.bf16 ? kDoesNotApply : 20 / s.N; }),
                         wrong(no_optimizer, [](Symbols s) { return (s.bf16 ? 4 : 8) / s.N; })}),
      sent_question(0,
                    traffic_wrongs(
                        2, {wrong("counted once: an all-reduce is a reduce-scatter and an all-gather",
                                  [](Symbols s) { return s.f; }),
                            wrong("reduced in every micro-batch", [](Symbols s) { return 2 * s.g * s.f; })})),
      sent_question(1, traffic_wrongs(2, {wrong("an all-reduce, then a gather (DeepSpeed's default)",
                                                [](Symbols s) { return 3 * s.f; }),
                                          wrong("reduced in every micro-batch",
                                                [](Symbols s) { return (s.g + 1) * s.f; })})),
      sent_question(2, traffic_wrongs(2, {wrong("reduced once a step: it cannot add to what it dropped",
                                                [](Symbols s) { return 2 * s.f; }),
                                          wrong("an all-reduce in every micro-batch (DeepSpeed's default)",
                                                [](Symbols s) { return (2 * s.g + 1) * s.f; })})),
      sent_question(3, traffic_wrongs(3, {wrong("gathered once: backward needs the parameters again",
                                                [](Symbols s) { return 2 * s.g * s.f; }),
                                          wrong("gathered once a step, whatever g",
                                                [](Symbols s) { return (s.g + 2) * s.f; })})),
  };
}

}  // namespace ringside::zero_lesson
