// One rank's batch leaves a parameter unused. What waits for it, and which gradient results?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parts.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::missing_gradient {
namespace {

const ClaimResult kNotRun = not_testable(tr("it was not run"));
constexpr const char *kHangs = "the ranks hang", *kLeftOut = "that bucket is reduced without the rank",
                     *kItAlone = "that bucket is late, the others are not",
                     *kAllBehind = "that bucket is late, and all behind it";
constexpr const char *kStays = "it stays: its gradient is zero", *kMoves = "it moves: decay and momentum";

std::optional<Words> what_waits(const Trace& trace) {
  const auto late = late_behind(trace);
  if (!late) return std::nullopt;
  return Words{*late > 0 ? kAllBehind : kItAlone};
}

// The expert's step with one rank left out, in percent of its step with all ranks; on rank 0.
std::optional<double> share_of_step(const Trace& trace) {
  const auto all = moves(trace, kAll), one = moves(trace, kOne);
  if (all.empty() || one.empty() || all[0].moved == 0) return std::nullopt;
  return 100 * one[0].moved / all[0].moved;
}

std::optional<double> moved_unused(const Trace& trace) {
  for (const MoveRow& row : moves(trace, kUnused))
    if (row.step == 1) return row.moved;
  return std::nullopt;
}

bool ranks_agree(const std::vector<MoveRow>& rows) {
  return std::all_of(rows.begin(), rows.end(),
                     [&](const MoveRow& row) { return row.value == rows[0].value; });
}

// ---- Questions ----------------------------------------------------------------------

std::vector<PredictionSpec> predictions() {
  const auto of_ranks = [](double (*share)(double N)) {
    return [share](const Config& config) { return share(static_cast<double>(config.integer("ranks"))); };
  };
  return {
      ask("waits", tr("One rank's batch leaves the expert unused. What happens in this engine's step?"),
          {.right = {kAllBehind},
           .options = {kHangs, kLeftOut, kItAlone, kAllBehind},
           .wrong =
               {{tr("DDP without find_unused_parameters"),
                 {kHangs},
                 tr("There the bucket never fills and the reduction never ends. This engine reduces what is "
                    "left when backward has ended.")},
                {tr("a rank may leave a collective out"),
                 {kLeftOut},
                 tr("Every rank of the group has to call it. A rank without a gradient brings zeros.")},
                {tr("each bucket is reduced when it is full"),
                 {kItAlone},
                 tr("All ranks must reduce the buckets in one order. So buckets behind an incomplete one "
                    "wait, full as they are.")}},
           .measured = what_waits,
           .around = {tr("what waits"),
                      tr("The bucket is incomplete until backward has ended, and buckets are reduced in one "
                         "order on all ranks. So every bucket behind it loses its overlap.")}}),
      {.id = "share",
       .question = tr("How long is the expert's SGD step then, in percent of its step if all ranks use it? "
                      "All have the same rows."),
       .unit = "%",
       .formula = of_ranks([](double N) { return 100 * (N - 1) / N; }),
       .wrong = {{tr("the sum divided by the ranks that had a gradient"),
                  of_ranks([](double) { return 100.0; }),
                  {},
                  tr("The sum is divided by all N ranks. Nobody counts how many had a gradient.")},
                 {tr("left out by all, because one lacks it"),
                  of_ranks([](double) { return 0.0; }),
                  {},
                  tr("A missing gradient is a zero in the sum. The others' gradients stay in it.")},
                 {tr("the share of the rank that lacks it"),
                  of_ranks([](double N) { return 100 / N; }),
                  {},
                  tr("That share is what is missing.")}},
       .measured = share_of_step,
       .name = tr("step"),
       .why = tr("The sum over ranks has N-1 equal gradients and a zero, and is divided by N: (N-1)/N.")},
      ask("moves", tr("In the next step no rank uses the expert, under AdamW. Does the expert change?"),
          {.right = {kMoves},
           .options = {kStays, kMoves},
           .wrong =
               {{tr("a zero gradient changes nothing"),
                 {kStays},
                 tr("That is so for SGD without momentum and decay. AdamW moves on by its first moment and "
                    "shrinks weights.")}},
           .measured = [](const Trace& trace) -> std::optional<Words> {
             const auto moved = moved_unused(trace);
             return moved ? std::optional(Words{*moved > 0 ? kMoves : kStays}) : std::nullopt;
           },
           .around = {
               tr("no gradient at all"),
               tr("Here a missing gradient is a zero, and the optimizer updates every parameter. One that "
                  "skips None leaves it: another training.")}})};
}

// ---- Claims -------------------------------------------------------------------------

ClaimResult only_delays(const Trace& trace) {
  const auto late = late_behind(trace);
  const auto rows = moves(trace, kOne);
  if (!late || rows.empty()) return kNotRun;
  return holds_if(
      ranks_agree(rows),
      tr("all {} buckets are reduced on every rank, {} behind the expert's only after backward; the "
         "ranks end {}",
         kBuckets, *late, ranks_agree(rows) ? tr("equal") : tr("different")));
}

ClaimResult zero_is_none(const Trace& trace) {
  const auto moved = moved_unused(trace);
  const auto skipped = moves(trace, kSkipsNone);
  if (!moved || skipped.empty()) return kNotRun;
  return holds_if(
      *moved == 0 && ranks_agree(skipped),
      tr("with zeros AdamW moves the expert by {:.2g}; where one rank's optimizer skips None the ranks "
         "end {}",
         *moved, ranks_agree(skipped) ? tr("equal") : tr("different")));
}

ClaimResult check_names_it(const Trace& trace) {
  const SectionView* section = trace.find(kSkips);
  if (section == nullptr) return kNotRun;
  if (!section->has(kError)) return {Verdict::kFails, tr("the run came to its end")};
  const std::string error = section->text(kError), first = error.substr(0, error.find('\n'));
  return holds_if(first.find(tr("rank {}", absent_of(trace, kSkips))) != std::string::npos &&
                      first.find("timed out") == std::string::npos,
                  first);
}

ClaimResult noticed_at_once(const Trace& trace) {
  const SectionView* section = trace.find(kSilent);
  if (section == nullptr) return kNotRun;
  const int rank = absent_of(trace, kSilent) == 0 ? 1 : 0;  // one that skips nothing
  int64_t summed = 0;
  for (const CollectiveEvent& event : section->collectives(rank))
    summed += event.state == CollectiveState::kCompleted && trace.name(event.tag) == "gradients" ? 1 : 0;
  return holds_if(summed <= kExpertBucket,
                  tr("{} buckets were summed, {} of them of different layers; the call left over timed out",
                     summed, std::max<int64_t>(0, summed - kExpertBucket)));
}

}  // namespace

}  // namespace ringside::missing_gradient

namespace ringside::lessons::missing_gradient {

Lesson make_lesson() {
  using namespace ringside::missing_gradient;
  Lesson lesson;
  lesson.parameters = {number("ranks", "N, ranks as threads", "ranks", "4", 3, 4),
                       number("absent", "the rank whose batch leaves the expert out", "rank", "1", 0, 3)};
  lesson.predictions = predictions();
  lesson.opening = [](const Config& config) -> std::vector<std::string> {
    return {tr("{} ranks train six layers, a bucket each. The second bucket of backward is the expert's.",
               config.integer("ranks")),
            tr("The batch of rank {} leaves the expert out, so that rank has no gradient for it.",
               std::min(config.integer("ranks") - 1, config.integer("absent")))};
  };
  lesson.claims = {
      {"delays", "this project's engine", tr("a parameter without a gradient on one rank only delays"),
       only_delays},
      {"none", "a common belief", tr("a gradient of zero and no gradient are the same"), zero_is_none},
      {"check", "this project's engine", tr("a rank that leaves the bucket out is named"), check_names_it},
      {"silent", "a common belief", tr("a mismatch is noticed at once, whatever the sizes"),
       noticed_at_once}};
  lesson.figures = figures();
  lesson.words = {tr("The ranks are starting."), tr("Now watch which bucket waits."), tr("step"), "backward"};
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::missing_gradient
