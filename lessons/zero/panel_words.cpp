// The point of a picture in a sentence.
#include <fmt/format.h>

#include <algorithm>

#include "panel_parts.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"
#include "ringside/panel/ring_picture.h"
#include "ringside/widgets/flights.h"

namespace ringside::zero_panel {
namespace {

// What rank 0 does in a phase, stage by stage. {unit}: "layer 2"; {all}: "all 4 ranks"; {part}: "quarter".
struct PhaseWords {
  const char* phase;
  std::array<const char*, kStages> of_stage;
};
constexpr const char* kNothingMoves =
    "Rank 0 is in forward ({unit}): {all} hold all parameters, so nothing moves.";
constexpr const char* kThenGathers =
    "Update: each rank changes its {part} of the parameters, then gathers the others.";
constexpr const char* kHashes = "The end: every rank hashes what it holds. Equal hashes are copies.";
constexpr const char* kEvaluates = "Rank 0 evaluates: held-out samples, no gradients.";
constexpr const char* kKept =
    "Rank 0 is in backward ({unit}): the parameters were kept, so nothing is gathered again.";
constexpr PhaseWords kPhases[] = {
    {"forward",
     {kNothingMoves, kNothingMoves, kNothingMoves,
      "Rank 0 is in forward ({unit}): its parameters are gathered, used and dropped."}},
    {"backward",
     {"Rank 0 is in backward ({unit}): each full bucket of gradients is summed, and every rank keeps the "
      "whole sum.",
      "Rank 0 is in backward ({unit}): of each sum it receives only its {part}; its own gradients stay "
      "whole.",
      "Rank 0 is in backward ({unit}): of each sum it keeps its {part} and drops the rest.",
      "Rank 0 is in backward ({unit}): its parameters are gathered a second time. That is why stage 3 sends "
      "more."}},
    {"update",
     {"Update: {all} change all parameters. Each does the same work.", kThenGathers, kThenGathers,
      "Update: each rank changes its {part} of the parameters and keeps no more."}},
    {"evaluate", {kEvaluates, kEvaluates, kEvaluates, kEvaluates}},
    {"hash", {kHashes, kHashes, kHashes, kHashes}}};

// Between two phases something may still be on its way, and more than one.
std::string words_of_flights(const View& view) {
  std::vector<std::string> names;
  for (const ui::Flight& flight : ui::flights_at(*view.section, view.trace, view.playhead.time_ns)) {
    if (flight.waiting) continue;
    const std::string op = name_of(flight.op),
                      name = flight.tag.empty() ? op : tr("{} of {}", op, flight.tag);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names.empty() ? "" : tr("Rank 0 waits between two phases. On its way: {}.", join(names));
}

std::string words_between(const View& view, int stage, int64_t step, const std::string& all) {
  if (std::string moving = words_of_flights(view); !moving.empty()) return moving;
  if (step >= 0) return tr("Stage {}, step {}: rank 0 is between two phases.", stage, step);
  return stage == 0 ? tr("Between two steps {} hold the same parameters, gradients and optimizer state.", all)
                    : tr("Stage {}: this is what each rank holds between two steps.", stage);
}

}  // namespace

std::string words_at(const View& view) {
  const int stage = view.section == nullptr ? -1 : stage_of(*view.section);
  if (stage < 0) return "";
  const int ranks = zero_lesson::data_ranks(*view.section);
  if (ranks == 1) return tr("One rank has nobody to share with: no stage keeps less, none sends anything.");
  const std::string all = ranks == 2 ? tr("both ranks") : tr("all {} ranks", ranks);
  const Moment moment = moment_at(view.trace, *view.section, view.playhead.time_ns);
  if (moment.phase.empty()) return words_between(view, stage, moment.step, all);
  for (const PhaseWords& words : kPhases) {
    if (moment.phase != words.phase) continue;
    const bool kept = moment.phase == "backward" && stage == 3 && zero_lesson::keeps_gathered(*view.section);
    return fmt::format(fmt::runtime(translated(kept ? kKept : words.of_stage[size_t(stage)])),
                       fmt::arg("unit", moment.unit), fmt::arg("all", all),
                       fmt::arg("part", figure::part_name(ranks)));
  }
  return tr("Rank 0: {}.", moment.phase);
}

bool asks_what_is_sent(const View& view) {
  for (int stage = 0; stage < kStages; ++stage)
    if (view.hides(question_id("sent", stage))) return true;
  return false;
}

std::string ring_words(const View& view) {
  const int64_t ranks = view.draft.integer("ranks");
  if (ranks == 1) return tr("One rank has nobody to send to.");
  if (asks_what_is_sent(view)) return tr("How do the parts of a tensor move from rank to rank?");
  return tr("To sum a tensor, a rank sends {} of its {} parts; to gather the sums, {} parts again.",
            ranks - 1, ranks, ranks - 1);
}

}  // namespace ringside::zero_panel
