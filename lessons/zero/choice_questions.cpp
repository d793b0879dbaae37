// The questions that are answered in words (questions.inc): measured by one step of each set-up that the run
// probes.
#include <fmt/format.h>

#include <cmath>

#include "lesson.h"
#include "measure.h"

namespace ringside::zero_lesson {
namespace {

bool same(double a, double b) { return std::abs(a - b) <= 0.03 * b; }  // but for padding

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
  if (kept == nullptr || two == nullptr || three == nullptr || data_ranks(*kept) == 1) return std::nullopt;
  const auto like = [&](const auto& figure) {
    const double mine = figure(*kept);
    return same(mine, figure(*two)) ? "2" : same(mine, figure(*three)) ? "3" : "";
  };
  const std::string sent = like([&](const SectionView& one) { return sent_psi(trace, one); });
  const std::string state = like([&](const SectionView& one) { return state_of(trace, one).total(); });
  if (sent.empty() || state.empty()) return std::nullopt;
  return Words{fmt::format("sends as stage {}, keeps between steps as stage {}", sent, state)};
}

}  // namespace

std::vector<PredictionSpec> choice_questions(const TextBlocks& text) {
  return {word_question(text["least_bytes_sent"], least_that_sends_no_more),
          word_question(text["sent_by_default"], default_of_stage_2),
          word_question(text["shard_grad_op"], kept_after_forward)};
}

}  // namespace ringside::zero_lesson
