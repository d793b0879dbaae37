// The questions that are answered in words (texts.inc): measured by one step of each set-up that the run
// probes.
#include "lesson.h"

namespace ringside::zero_lesson {
namespace {

bool same(double a, double b) { return std::abs(a - b) <= 0.03 * b; }  // but for padding

// Of the stages that send no more than stage 0 over several micro-batches, the one that keeps least.
std::optional<Words> least_that_sends_no_more(const Trace& trace) {
  const auto sent = sent_times(trace, "reduce_scatter", several_micro_batches(trace));
  int best = 0;
  double least = 0;
  for (int stage = 0; stage < kStages; ++stage) {
    const double kept = state_of(trace, needed(stage_section(trace, stage))).total();
    if (sent[size_t(stage)] > 1.01 * sent[0] || (stage > 0 && kept >= least)) continue;
    best = stage;
    least = kept;
  }
  return Words{stage_name(best)};
}

// The line through one micro-batch and several: "2g + 1".
std::optional<Words> default_of_stage_2(const Trace& trace) {
  const int64_t g = several_micro_batches(trace);
  const double once = sent_times(trace, "all_reduce", 1)[2], often = sent_times(trace, "all_reduce", g)[2];
  const double times = (often - once) / double(g - 1), rest = once - times;
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
  of_several_ranks(kept);
  const SectionView &two = needed(find_run(trace, 2, "reduce_scatter", 1)),
                    &three = needed(find_run(trace, 3, "reduce_scatter", 1));
  const auto like = [&](const auto& figure) {
    const double mine = figure(*kept);
    return same(mine, figure(two)) ? "2" : same(mine, figure(three)) ? "3" : "";
  };
  const std::string sent = like([&](const SectionView& one) { return sent_psi(trace, one); });
  const std::string state = like([&](const SectionView& one) { return state_of(trace, one).total(); });
  if (sent.empty() || state.empty()) return std::nullopt;
  return Words{fmt::format("sends as stage {}, keeps between steps as stage {}", sent, state)};
}

}  // namespace

std::vector<QuestionOf> choice_questions() {
  return {{"least_bytes_sent", least_that_sends_no_more},
          {"sent_by_default", default_of_stage_2},
          {"shard_grad_op", kept_after_forward}};
}

}  // namespace ringside::zero_lesson
