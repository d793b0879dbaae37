// What does a rank send? In multiples of Ψ elements: a few times Ψ(N-1)/N, and the times are the question.
#include <fmt/format.h>

#include "measure.h"
#include "predictions.h"
#include "scenario.h"

namespace ringside::zero_lesson {
namespace {

std::vector<Symbol> symbols(const Config& config) {
  const Symbol N = ranks_symbol(config);
  return {parameters_symbol(),
          N,
          {"g", "accumulation steps", static_cast<double>(config.integer("accumulate"))},
          {"f", "(N-1)/N", (N.value - 1) / N.value}};
}

bool reduces_all(const Config& config) { return config.text("reduce") == "all_reduce"; }
// A mistake that shows only over several micro-batches.
std::string accumulating(const Config& config, const char* times) {
  return config.integer("accumulate") > 1 ? times : "";
}

// How often a rank sends Ψ(N-1)/N elements in a step.
std::string right_times(const Config& config, int stage) {
  switch (stage) {
    case 0:
      return "2";
    case 1:
      return reduces_all(config) ? "3" : "2";
    case 2:
      return reduces_all(config) ? "(2g+1)" : "(g+1)";
    default:
      return config.is_on("reshard") ? "3g" : "2g";
  }
}

std::string sent(const std::string& times) {
  return times.empty() ? "" : (times == "1" ? "" : times) + "Ψ(N-1)/N";
}

// `times` gives "" where nobody can be caught: the mistake makes no difference at that scenario.
WrongFormula wrong(std::string name, std::string (*times)(const Config&)) {
  return wrong_formula(
      std::move(name), [times](const Config& config) { return sent(times(config)); }, symbols);
}

// Three mistakes belong to every question about traffic: each turns the right answer into another.
void add_common(int stage, std::vector<WrongFormula>& wrong) {
  const auto turned = [&](std::string name, std::string (*text)(const Config&, const std::string& times)) {
    const auto turn = [=](const Config& config) { return text(config, right_times(config, stage)); };
    wrong.push_back(wrong_formula(std::move(name), turn, symbols));
  };
  turned("N taken as infinite: near, but a rank keeps its own share",
         [](const Config&, const std::string& times) { return times + "Ψ"; });
  turned("a naive broadcast to every other rank",
         [](const Config&, const std::string& times) { return sent(times) + "×(N-1)"; });
  turned("bytes, where elements were asked for", [](const Config& config, const std::string& times) {
    return (config.text("precision") == "bf16" ? "2×" : "4×") + sent(times);
  });
}

PredictionSpec question(int stage, std::vector<WrongFormula> wrong, std::vector<std::string> again) {
  add_common(stage, wrong);
  PredictionSpec spec;
  spec.id = fmt::format("sent_stage_{}", stage);
  spec.question = fmt::format(
      "How many elements does a rank send in a step of stage {}, in multiples of the parameters Ψ?", stage);
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
  spec.symbols = symbols;
  spec.formula_text = [stage](const Config& config) { return sent(right_times(config, stage)); };
  spec.section = stage_name(stage);
  spec.again = std::move(again);
  spec.answered_by = AnswerKind::kFormula;
  return spec;
}

}  // namespace

std::vector<PredictionSpec> sent_questions() {
  const WrongFormula once = wrong("counted once: an all-reduce is a reduce-scatter and an all-gather",
                                  [](const Config&) { return std::string("1"); });
  const char* every_time = "reduced in every micro-batch";
  return {
      question(0, {once, wrong(every_time, [](const Config& c) { return accumulating(c, "2g"); })},
               {"ranks=8", "ranks=3", "accumulate=8"}),
      question(1,
               {wrong("an all-reduce, then a gather (DeepSpeed's default)",
                      [](const Config& c) { return std::string(reduces_all(c) ? "" : "3"); }),
                wrong("a reduce-scatter: this scenario asks for all_reduce",
                      [](const Config& c) { return std::string(reduces_all(c) ? "2" : ""); }),
                wrong(every_time,
                      [](const Config& c) { return accumulating(c, reduces_all(c) ? "(2g+1)" : "(g+1)"); })},
               {"ranks=8", "accumulate=8", "reduce=all_reduce"}),
      question(2,
               {wrong("reduced once a step: it cannot add to what it dropped",
                      [](const Config& c) { return accumulating(c, reduces_all(c) ? "3" : "2"); }),
                wrong("an all-reduce in every micro-batch (DeepSpeed's default)",
                      [](const Config& c) { return std::string(reduces_all(c) ? "" : "(2g+1)"); }),
                wrong("a reduce-scatter: this scenario asks for all_reduce",
                      [](const Config& c) { return std::string(reduces_all(c) ? "(g+1)" : ""); })},
               {"ranks=8", "accumulate=8", "reduce=all_reduce"}),
      question(
          3,
          {wrong("gathered once: backward needs the parameters again",
                 [](const Config& c) { return std::string(c.is_on("reshard") ? "2g" : ""); }),
           wrong("gathered again for backward: with reshard=off they are still there",
                 [](const Config& c) { return std::string(c.is_on("reshard") ? "" : "3g"); }),
           wrong("gathered once a step, whatever g",
                 [](const Config& c) { return accumulating(c, c.is_on("reshard") ? "(g+2)" : "(g+1)"); })},
          {"ranks=8", "accumulate=8", "reshard=off"}),
  };
}

}  // namespace ringside::zero_lesson
