#include "predictions.h"

#include <fmt/format.h>

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

// What a question asks for: by formula, and as a stage's section measured it.
struct Quantity {
  const char* id;
  const char* question;  // of stage "{}"
  const char* unit;
  double (*formula)(const Config&, int stage);
  double (*measured)(const Trace&, const SectionView&);
};

double state_bytes(const Config& config, int stage) {
  const ZeroSetup setup = planner_setup(config, stage);
  return zero_state(setup).total() / setup.parameters;
}
double measured_state_bytes(const Trace& trace, const SectionView& section) {
  return state_of(trace, section).total() / psi(section);
}
double sent_elements(const Config& config, int stage) {
  const ZeroSetup setup = planner_setup(config, stage);
  return zero_traffic(setup).total() / setup.parameters;
}

const Quantity kState{
    "state_stage_{}",
    "How many bytes of parameters, gradients and optimizer does a rank keep per parameter in stage {}?",
    "bytes per parameter", state_bytes, measured_state_bytes};
const Quantity kSent{
    "sent_stage_{}",
    "How many elements does a rank send in a step of stage {}, in multiples of the parameters Ψ?", "Ψ",
    sent_elements, sent_psi};

PredictionSpec ask(const Quantity& quantity, int stage, std::vector<WrongFormula> wrong) {
  PredictionSpec spec;
  spec.id = fmt::format(fmt::runtime(quantity.id), stage);
  spec.question = fmt::format(fmt::runtime(quantity.question), stage);
  spec.unit = quantity.unit;
  spec.formula = [=](const Config& config) { return quantity.formula(config, stage); };
  spec.wrong = std::move(wrong);
  spec.measured = [=](const Trace& trace) -> std::optional<double> {
    const SectionView* section = stage_section(trace, stage);
    if (section == nullptr) return std::nullopt;
    return quantity.measured(trace, *section);
  };
  return spec;
}

PredictionSpec state_question(int stage, std::vector<WrongFormula> wrong) {
  return ask(kState, stage, std::move(wrong));
}

// Three mistakes belong to every question about traffic: each turns the right answer into another.
PredictionSpec sent_question(int stage, std::vector<WrongFormula> own) {
  const auto turned = [&](std::string name, double (*turn)(double right, Symbols)) {
    own.push_back({std::move(name), [=](const Config& config) {
                     return turn(sent_elements(config, stage), symbols(config));
                   }});
  };
  turned("N taken as infinite: near, but a rank keeps its own share",
         [](double right, Symbols s) { return right / s.f; });
  turned("a naive broadcast to every other rank", [](double right, Symbols s) { return right * (s.N - 1); });
  turned("bytes, where elements were asked for",
         [](double right, Symbols s) { return right * (s.bf16 ? 2 : 4); });
  return ask(kSent, stage, std::move(own));
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
      sent_question(0, {wrong("counted once: an all-reduce is a reduce-scatter and an all-gather",
                              [](Symbols s) { return s.f; }),
                        wrong("reduced in every micro-batch", [](Symbols s) { return 2 * s.g * s.f; })}),
      sent_question(
          1, {wrong("an all-reduce, then a gather (DeepSpeed's default)", [](Symbols s) { return 3 * s.f; }),
              wrong("reduced in every micro-batch", [](Symbols s) { return (s.g + 1) * s.f; })}),
      sent_question(2, {wrong("reduced once a step: it cannot add to what it dropped",
                              [](Symbols s) { return 2 * s.f; }),
                        wrong("an all-reduce in every micro-batch (DeepSpeed's default)",
                              [](Symbols s) { return (2 * s.g + 1) * s.f; })}),
      sent_question(3,
                    {wrong("gathered once: backward needs the parameters again",
                           [](Symbols s) { return 2 * s.g * s.f; }),
                     wrong("gathered once a step, whatever g", [](Symbols s) { return (s.g + 2) * s.f; })}),
  };
}

}  // namespace ringside::zero_lesson
