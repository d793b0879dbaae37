// Which stage would you take, and what do others call it? Answered in words, measured by one step of each
// set-up that the run probes.
#include <fmt/format.h>

#include <cmath>

#include "measure.h"
#include "predictions.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::zero_lesson {
namespace {

bool same(double a, double b) { return std::abs(a - b) <= 0.03 * b; }  // but for padding

std::string beside(const std::string& sent, const std::string& kept) {
  return tr("sends as {}, keeps between steps as {}", sent, kept);
}

// Of the stages that send no more than stage 0 over several micro-batches, the one that keeps least.
std::optional<Words> least_that_sends_no_more(const Trace& trace) {
  const auto sent = sent_times(trace, "reduce_scatter", most_accumulation(trace));
  if (!sent || most_accumulation(trace) == 1) return std::nullopt;
  int best = 0;
  double least = 0;
  for (int stage = 0; stage < kStages; ++stage) {
    const SectionView* section = stage_section(trace, stage);
    if (section == nullptr) return std::nullopt;
    const double kept = state_of(trace, *section).total();
    if ((*sent)[static_cast<size_t>(stage)] > 1.01 * (*sent)[0] || (stage > 0 && kept >= least)) continue;
    best = stage;
    least = kept;
  }
  return Words{stage_name(best)};
}

// The line through one micro-batch and several: "2g + 1".
std::optional<Words> default_of_stage_2(const Trace& trace) {
  const int64_t g = most_accumulation(trace);
  const auto once = sent_times(trace, "all_reduce", 1), often = sent_times(trace, "all_reduce", g);
  if (!once || !often || g == 1) return std::nullopt;
  const double times = ((*often)[2] - (*once)[2]) / static_cast<double>(g - 1);
  const double rest = (*once)[2] - times;
  if (std::abs(times) < 0.01) return Words{fmt::format("{:.0f}", rest)};
  const std::string slope = same(times, 1) ? "g" : fmt::format("{:.0f}g", times);
  return Words{std::abs(rest) < 0.02 ? slope : fmt::format("{} + {:.0f}", slope, rest)};
}

// One micro-batch of stage 3 with reshard=off, beside one of stages 2 and 3.
std::optional<Words> kept_after_forward(const Trace& trace) {
  const SectionView* kept = nullptr;
  for (const SectionView& section : trace.sections()) {
    const auto part = part_of(section);
    if ((part == Part::kStage || part == Part::kProbe) && section.has("steps") &&
        section.integer("stage") == 3 && section.integer("accumulate") == 1 && keeps_gathered(section))
      kept = &section;
  }
  const SectionView *two = find_run(trace, 2, "reduce_scatter", 1),
                    *three = find_run(trace, 3, "reduce_scatter", 1);
  if (kept == nullptr || two == nullptr || three == nullptr || kept->ranks() == 1) return std::nullopt;
  const auto like = [&](const auto& figure) {
    const double mine = figure(*kept);
    return same(mine, figure(*two)) ? "2" : same(mine, figure(*three)) ? "3" : "";
  };
  const std::string sent = like([&](const SectionView& one) { return sent_psi(trace, one); });
  const std::string state = like([&](const SectionView& one) { return state_of(trace, one).total(); });
  if (sent.empty() || state.empty()) return std::nullopt;
  return Words{beside(stage_name(sent), stage_name(state))};
}

PredictionSpec question(const char* id, std::string asked, AskedWords words, std::string more,
                        const char* instant) {
  words.around.board = "choice";
  PredictionSpec spec = ask(id, std::move(asked), std::move(words));
  spec.more = std::move(more);
  spec.instant = instant;
  spec.section = std::string(instant).substr(0, std::string("stage 0").size());
  spec.again = {"ranks=8", "accumulate=8"};
  return spec;
}

PredictionSpec why_stage_1() {
  return question(
      "least_bytes_sent",
      tr("A step has several micro-batches, summed by reduce-scatter. Of the stages that send no more than "
         "stage 0, which keeps least?"),
      {.right = {"stage 1"},
       .options = {"stage 0", "stage 1", "stage 2", "stage 3"},
       .wrong =
           {{tr("stages 1 and 2 send the same, whatever g"),
             {"stage 2"},
             tr("That is so with one micro-batch. Stage 2 keeps 1/N of the gradients, so it reduces after "
                "every micro-batch: g + 1 times Ψ(N-1)/N, not 2.")},
            {tr("the stage that keeps least, whatever it sends"),
             {"stage 3"},
             tr("Stage 3 gathers the parameters twice in every micro-batch: 3g times Ψ(N-1)/N.")},
            {tr("every stage above 0 sends more"),
             {"stage 0"},
             tr("Stage 1 keeps whole gradients and adds the micro-batches up on the rank. It reduces once "
                "and gathers once, as many bytes as one ring all-reduce.")}},
       .measured = least_that_sends_no_more,
       .around =
           {tr("several micro-batches"),
            tr("Stage 1 keeps the gradients whole, so a rank adds up its micro-batches and reduces once a "
               "step: 2Ψ(N-1)/N for any g. Stage 2 sends (g+1)Ψ(N-1)/N, stage 3 sends 3gΨ(N-1)/N.")}},
      tr("That is why pipeline parallelism, which needs many micro-batches, is usually run with stage 1."),
      "stage 1:1:backward");
}

PredictionSpec default_of_deepspeed() {
  return question(
      "sent_by_default",
      tr("What does a rank send in stage 2 as DeepSpeed does it by default (all_reduce), with g "
         "micro-batches, "
         "in units of Ψ(N-1)/N?"),
      {.right = {"2g + 1"},
       .options = {"2", "3", "g + 1", "2g", "2g + 1", "3g"},
       .wrong =
           {{tr("the paper's algorithm"),
             {"g + 1"},
             tr("The paper reduce-scatters the gradients: once Ψ(N-1)/N in each micro-batch. An all-reduce "
                "costs twice that.")},
            {tr("reduced once a step"),
             {"3"},
             tr("A stage-2 rank keeps only 1/N of the gradients, so it reduces after every micro-batch. 3 is "
                "right for stage 1.")},
            {tr("the gather of the new parameters forgotten"),
             {"2g"},
             tr("After the update each rank has 1/N of the new parameters. One all-gather a step brings them "
                "to all.")},
            {tr("as much as plain data parallelism"),
             {"2"},
             tr("That is the paper's algorithm with one micro-batch. By default DeepSpeed's stage 2 sends 3 "
                "even then.")},
            {tr("stage 3 taken for stage 2"),
             {"3g"},
             tr("Stage 3 gathers in every micro-batch. Stage 2 gathers the parameters once a step.")}},
       .measured = default_of_stage_2,
       .around = {tr("DeepSpeed's default"),
                  tr("Each micro-batch costs an all-reduce, 2Ψ(N-1)/N, of which a rank uses 1/N. After the "
                     "update one all-gather adds Ψ(N-1)/N.")}},
      tr("The setting is `reduce_scatter` in DeepSpeed's configuration. Who measures a real run should look "
         "there before quoting the paper."),
      "stage 2:1:backward");
}

PredictionSpec names_of_fsdp() {
  const std::string two = stage_name(2), three = stage_name(3);
  return question(
      "shard_grad_op",
      tr("FSDP's SHARD_GRAD_OP does not reshard after forward (reshard_after_forward=False). With one "
         "micro-batch, which stages is it like?"),
      {.right = {beside(two, three)},
       .options = {beside(two, two), beside(two, three), beside(three, two), beside(three, three)},
       .wrong =
           {{tr("SHARD_GRAD_OP taken for stage 2"),
             {beside(two, two)},
             tr("In stage 2 each rank keeps all parameters between steps. SHARD_GRAD_OP shards them: they "
                "are whole from forward to backward only.")},
            {tr("the second gather counted"),
             {beside(three, three)},
             tr("Backward finds the parameters that forward gathered. One gather is left out: 2 times "
                "Ψ(N-1)/N instead of 3.")},
            {tr("traffic and memory exchanged"),
             {beside(three, two)},
             tr("It is the other way round: the gather that it saves is traffic, the shard that it keeps "
                "is memory.")}},
       .measured = kept_after_forward,
       .around =
           {tr("FSDP's names"),
            tr("It is stage 3 with reshard=off. It gathers once and reduce-scatters once, as many bytes "
               "as stage 2; between steps a rank keeps 1/N of everything, as in stage 3.")}},
      tr("At its peak it holds all parameters whole, as stage 2 does. With g micro-batches it gathers g "
         "times, "
         "unless no_sync keeps the parameters."),
      "stage 3:1:forward");
}

}  // namespace

std::vector<PredictionSpec> choice_questions() {
  return {why_stage_1(), default_of_deepspeed(), names_of_fsdp()};
}

}  // namespace ringside::zero_lesson
