#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attributes.h"
#include "panel_parts.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"

namespace ringside::zero_panel {

const PredictionSpec* question(const Lesson& lesson, const std::string& about, int stage) {
  const std::string id = question_id(about, stage);
  for (const PredictionSpec& spec : lesson.predictions) {
    if (spec.id == id) return &spec;
  }
  return nullptr;
}

std::string name_of(Op op) {
  std::string name(to_string(op));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

namespace {

std::string forward_words(int stage, const std::string& unit, const std::string& all) {
  if (stage < 3) return tr("Rank 0 is in forward ({}): {} hold all parameters, so nothing moves.", unit, all);
  return tr("Rank 0 is in forward ({}): its parameters are gathered, used and dropped.", unit);
}

std::string backward_words(int stage, const std::string& unit, int ranks, bool kept) {
  switch (stage) {
    case 0:
      return tr(
          "Rank 0 is in backward ({}): each full bucket of gradients is summed, and every rank keeps the "
          "whole sum.",
          unit);
    case 1:
      return tr(
          "Rank 0 is in backward ({}): of each sum it receives only its {}; its own gradients stay whole.",
          unit, part_name(ranks));
    case 2:
      return tr("Rank 0 is in backward ({}): of each sum it keeps its {} and drops the rest.", unit,
                part_name(ranks));
    default:
      return kept ? tr("Rank 0 is in backward ({}): the parameters were kept, so nothing is gathered again.",
                       unit)
                  : tr("Rank 0 is in backward ({}): its parameters are gathered a second time. That is why "
                       "stage 3 sends more.",
                       unit);
  }
}

std::string update_words(int stage, int ranks, const std::string& all) {
  if (stage == 0) return tr("Update: {} change all parameters. Each does the same work.", all);
  if (stage == 3)
    return tr("Update: each rank changes its {} of the parameters and keeps no more.", part_name(ranks));
  return tr("Update: each rank changes its {} of the parameters, then gathers the others.", part_name(ranks));
}

std::string words_of(const ui::Flight& flight) {
  const std::string op = name_of(flight.op);
  return flight.tag.empty() ? op : tr("{} of {}", op, flight.tag);
}

// Between two phases something may still be on its way, and more than one.
std::string words_of_flights(const View& view) {
  std::vector<std::string> names;
  for (const ui::Flight& flight : ui::flights_at(*view.section, view.trace, view.playhead.time_ns)) {
    if (flight.waiting) continue;
    if (std::string name = words_of(flight); std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  return names.empty() ? "" : tr("Rank 0 waits between two phases. On its way: {}.", join(names));
}

// Whether the answer to the question about that stage's traffic may stand in a sentence.
bool may_tell(const View& view, int stage) {
  const PredictionSpec* spec = question(view.lesson, "sent", stage);
  return spec == nullptr || view.revealing || guess_of(view, spec->id) != nullptr;
}

}  // namespace

std::optional<double> sent_psi(const View& view, const Indexes& indexes, int stage) {
  const SectionView* section = view.trace.find(stage_name(stage));
  const auto index = indexes.find(stage_name(stage));
  if (section == nullptr || index == indexes.end() || psi_of(*section) == 0) return std::nullopt;
  const auto bytes = index->second.sent_a_step();
  return bytes ? std::optional(*bytes / bytes_per_element(*section) / psi_of(*section)) : std::nullopt;
}

std::string words_at(const View& view) {
  if (view.section == nullptr) return "";
  const int stage = stage_of(*view.section), ranks = view.section->ranks();
  if (stage < 0) return "";
  const Moment moment = moment_at(view.trace, *view.section, view.playhead.time_ns);
  if (ranks == 1) return tr("One rank has nobody to share with: no stage keeps less, none sends anything.");
  const std::string all = ranks == 2 ? tr("both ranks") : tr("all {} ranks", ranks);
  const bool kept = zero_lesson::keeps_gathered(*view.section);
  if (moment.phase == "forward") return forward_words(stage, moment.unit, all);
  if (moment.phase == "backward") return backward_words(stage, moment.unit, ranks, kept);
  if (moment.phase == "update") return update_words(stage, ranks, all);
  if (moment.phase == "evaluate") return tr("Rank 0 evaluates: held-out samples, no gradients.");
  if (moment.phase == "hash") return tr("The end: every rank hashes what it holds. Equal hashes are copies.");
  if (moment.phase.empty()) {
    if (std::string moving = words_of_flights(view); !moving.empty()) return moving;
    if (moment.step >= 0) return tr("Stage {}, step {}: rank 0 is between two phases.", stage, moment.step);
    return stage == 0
               ? tr("Between two steps {} hold the same parameters, gradients and optimizer state.", all)
               : tr("Stage {}: this is what each rank holds between two steps.", stage);
  }
  return tr("Rank 0: {}.", moment.phase);
}

std::string traffic_words(const View& view, const Indexes& indexes) {
  const int stage = view.section == nullptr ? -1 : stage_of(*view.section);
  if (stage < 0) return tr("What a rank sends in a step, over the number of ranks.");
  const auto sent = sent_psi(view, indexes, stage), first = sent_psi(view, indexes, 0);
  if (!may_tell(view, stage)) return tr("What does a rank send in a step of stage {}? Guess first.", stage);
  if (!sent) return tr("No step of stage {} has ended yet.", stage);
  if (stage == 0 || !first || *first == 0 || !may_tell(view, 0))
    return tr("In a step of stage {} a rank sends {:.2f} Ψ elements.", stage, *sent);
  if (std::abs(*sent - *first) < 0.005 * *first)
    return tr(
        "A rank sends {:.2f} Ψ in a step of stage {}, as much as in stage 0: Adam runs between the two "
        "halves of the all-reduce.",
        *sent, stage);
  return tr("A rank sends {:.2f} Ψ in a step of stage {}, {:.2f} times as much as in stage 0.", *sent, stage,
            *sent / *first);
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
