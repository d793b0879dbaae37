// What does a rank send? In multiples of Ψ elements: a few times Ψ(N-1)/N, and the times are the question.
#include <fmt/format.h>

#include "measure.h"
#include "predictions.h"
#include "ringside/lesson/tr.h"
#include "scenario.h"

namespace ringside::zero_lesson {
namespace {

std::vector<Symbol> sent_symbols(const Config& config) {
  return {parameters_symbol(),
          ranks_symbol(config),
          {"g", tr("micro-batches a step"), static_cast<double>(config.integer("accumulate"))}};
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
WrongFormula wrong(Mistake mistake, std::string (*times)(const Config&)) {
  return wrong_formula(
      std::move(mistake), [times](const Config& config) { return sent(times(config)); }, sent_symbols);
}

// Three mistakes belong to every question about traffic: each turns the right answer into another.
void add_common(int stage, std::vector<WrongFormula>& wrong) {
  const auto turned = [&](Mistake mistake, std::string (*text)(const Config&, const std::string& times)) {
    const auto turn = [=](const Config& config) { return text(config, right_times(config, stage)); };
    wrong.push_back(wrong_formula(std::move(mistake), turn, sent_symbols));
  };
  turned({tr("N taken as infinite"), tr("That is near where N is large. A rank never sends its own share to "
                                        "itself, so it is (N-1)/N of it.")},
         [](const Config&, const std::string& times) { return times + "Ψ"; });
  turned(
      {tr("a naive broadcast to every other rank"),
       tr("In a ring a rank sends each part once, to its neighbour. So what it sends hardly grows with N.")},
      [](const Config&, const std::string& times) { return sent(times) + "×(N-1)"; });
  turned({tr("bytes, where elements were asked for"),
          tr("The unit is elements. In bytes it is twice as many in bf16, four times in fp32.")},
         [](const Config& config, const std::string& times) {
           return (config.text("precision") == "bf16" ? "2×" : "4×") + sent(times);
         });
}

// What is said behind the answer, and behind a right one.
struct Reason {
  std::string why, more, phase;
};

PredictionSpec question(int stage, Reason reason, std::vector<WrongFormula> wrong,
                        std::vector<std::string> again) {
  add_common(stage, wrong);
  PredictionSpec spec;
  spec.id = question_id("sent", stage);
  spec.name = tr("traffic, stage {}", stage);
  spec.board = "traffic";
  spec.question = tr(
      "How many elements does a rank send in a step of stage {}, in multiples of the parameters Ψ?", stage);
  if (stage == 0)
    spec.context = tr(
        "Gradients and parameters are counted. The unit is Ψ: as many elements as the model has parameters.");
  spec.why = std::move(reason.why);
  spec.more = std::move(reason.more);
  spec.instant = stage_name(stage) + ":1:" + reason.phase;
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
  spec.symbols = sent_symbols;
  spec.formula_text = [stage](const Config& config) { return sent(right_times(config, stage)); };
  spec.section = stage_name(stage);
  spec.again = std::move(again);
  spec.answered_by = AnswerKind::kFormula;
  return spec;
}

}  // namespace

std::vector<PredictionSpec> sent_questions() {
  const WrongFormula once =
      wrong({tr("half of the all-reduce counted"),
             tr("An all-reduce has two halves: the parts are summed, then the sums are handed "
                "round. A rank sends Ψ(N-1)/N in each.")},
            [](const Config&) { return std::string("1"); });
  const Mistake every_time = {
      tr("reduced in every micro-batch"),
      tr("Stages 0 and 1 keep their gradients whole. So they add up all micro-batches on the "
         "rank, and reduce once a step.")};
  const Mistake scattered = {
      tr("a reduce-scatter, where this scenario asks for all_reduce"),
      tr("With reduce=all_reduce every rank receives the whole sum and drops what it does not "
         "need: Ψ(N-1)/N more.")};
  return {
      question(0,
               {tr("A ring all-reduce is a reduce-scatter and an all-gather. In each half a rank sends all "
                   "parts but "
                   "one, Ψ(N-1)/N: together 2Ψ(N-1)/N."),
                tr("With more ranks that comes near 2Ψ and never reaches it. A reduction once a step also "
                   "serves any "
                   "number of micro-batches."),
                "backward"},
               {once, wrong(every_time, [](const Config& c) { return accumulating(c, "2g"); })},
               {"ranks=8", "ranks=3", "accumulate=8"}),
      question(
          1,
          {tr("The reduce-scatter gives each rank the sum of its own share. Adam changes that share, and an "
              "all-gather brings the new parameters to all: the two halves of an all-reduce, with Adam "
              "between "
              "them."),
           tr("With reduce=all_reduce, DeepSpeed's default, a rank receives the whole sum first. Then it is "
              "3 "
              "times Ψ(N-1)/N."),
           "update"},
          {wrong({tr("an all-reduce, then a gather (DeepSpeed's default)"),
                  tr("DeepSpeed's default sends that much: every rank receives the whole sum, then the "
                     "parameters. Here a rank receives only the sum of its own share.")},
                 [](const Config& c) { return std::string(reduces_all(c) ? "" : "3"); }),
           wrong(scattered, [](const Config& c) { return std::string(reduces_all(c) ? "2" : ""); }),
           wrong(every_time,
                 [](const Config& c) { return accumulating(c, reduces_all(c) ? "(2g+1)" : "(g+1)"); })},
          {"ranks=8", "accumulate=8", "reduce=all_reduce"}),
      question(
          2,
          {tr("Each bucket of gradients is reduce-scattered as soon as backward has filled it, and the "
              "updated "
              "parameters are gathered once: with one micro-batch the same bytes as stage 1. A rank keeps "
              "only "
              "its share of the sum, so with g micro-batches it reduces g times."),
           tr("The reduction of one bucket runs while backward computes the next one. The all-gather comes "
              "after "
              "the update, where nothing hides it."),
           "backward"},
          {wrong({tr("reduced once a step"), tr("A rank has dropped the gradients outside its share, so it "
                                                "cannot add the next micro-batch "
                                                "to them: it reduces after each.")},
                 [](const Config& c) { return accumulating(c, reduces_all(c) ? "3" : "2"); }),
           wrong({tr("an all-reduce in every micro-batch (DeepSpeed's default)"),
                  tr("DeepSpeed's default sends that much. A reduce-scatter, as here, sends half of it.")},
                 [](const Config& c) { return std::string(reduces_all(c) ? "" : "(2g+1)"); }),
           wrong(scattered, [](const Config& c) { return std::string(reduces_all(c) ? "(g+1)" : ""); })},
          {"ranks=8", "accumulate=8", "reduce=all_reduce"}),
      question(
          3,
          {tr("Parameters are gathered for forward, dropped, and gathered again for backward; gradients are "
              "reduce-scattered. Each of the three costs Ψ(N-1)/N, in every micro-batch."),
           tr("With reshard=off they stay until backward has used them. That is one gather less, paid with "
              "memory."),
           "backward"},
          {wrong({tr("the parameters gathered once"), tr("Forward drops a layer when it has computed. So "
                                                         "backward has to gather its parameters a second "
                                                         "time.")},
                 [](const Config& c) { return std::string(c.is_on("reshard") ? "2g" : ""); }),
           wrong({tr("gathered again for backward, where reshard=off keeps them"),
                  tr("With reshard=off the parameters that forward gathered are still there.")},
                 [](const Config& c) { return std::string(c.is_on("reshard") ? "" : "3g"); }),
           wrong({tr("gathered once a step, whatever g"),
                  tr("The parameters are dropped after every micro-batch, so each gathers them anew.")},
                 [](const Config& c) { return accumulating(c, c.is_on("reshard") ? "(g+2)" : "(g+1)"); })},
          {"ranks=8", "accumulate=8", "reshard=off"}),
  };
}

}  // namespace ringside::zero_lesson
