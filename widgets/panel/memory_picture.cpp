#include "ringside/panel/memory_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside {
namespace {

// Bytes a parameter of everything, unsharded: 16.
double whole_state(const View& view) {
  for (const PredictionSpec& spec : view.lesson.predictions) {
    if (!spec.blocks) continue;
    double sum = 0;
    for (const StateBlock& block : spec.blocks(view.config)) sum += block.whole;
    return sum;
  }
  return 0;
}

// The question about what a rank keeps in that section; null where there is none.
const PredictionSpec* question_of(const View& view, const std::string& section) {
  for (const PredictionSpec& spec : view.lesson.predictions)
    if (spec.blocks && spec.section == section) return &spec;
  return nullptr;
}

// Dashed, and where N is dragged it moves as its formula says.
void add_guess(const View& view, const PredictionSpec* spec, double psi, ui::BlockColumnsData& data) {
  const Guess* guess = spec == nullptr ? nullptr : guess_of(view, spec->id);
  if (guess == nullptr) return;
  const double value = (guess->at ? guess->at(view.draft) : std::nullopt).value_or(guess->value);
  data.guesses.push_back({value * psi, fmt::format("you {:.2f}", value)});
}

}  // namespace

void MemoryPicture::add_marks(const View& view, ui::BlockColumnsData& data) {
  const double psi = figure::psi_of(*view.section);
  const bool unsharded = view.section->name() == about_.unsharded;
  const PredictionSpec* spec = question_of(view, view.section->name());
  if (psi == 0 || (spec == nullptr && !unsharded)) return;
  if (unsharded) {
    if (!whole_ || whole_->config != view.config) whole_ = {view.config, whole_state(view)};
    data.formulas.push_back({whole_->bytes * psi, fmt::format("{:g}Ψ", whole_->bytes)});
  }
  // The section that is watched, and beside it the one that is asked about.
  add_guess(view, view.asked != nullptr && view.asked->blocks ? view.asked : spec, psi, data);
  const bool answered = spec != nullptr && guess_of(view, spec->id) != nullptr && view.asked != spec;
  if (spec == nullptr || (!answered && !view.revealing)) return;
  const double bytes = spec->formula(view.draft) * psi;
  const std::string text = spec->formula_text ? spec->formula_text(view.draft) : "formula";
  const double like = std::max(bytes, double(view.memory->highest()));  // one unit on one axis
  data.formulas.push_back({bytes, fmt::format("{} = {}", text, ui::short_bytes(bytes, like))});
}

void MemoryPicture::add_ghost(const View& view, ui::BlockColumnsData& data) {
  if (view.pinned == nullptr) return;
  const SectionView* section = view.pinned->trace.find(view.pinned->section);
  if (section == nullptr) return;
  const std::string id = view.pinned->scenario + view.pinned->section + std::to_string(view.pinned->time_ns);
  if (id != ghost_of_) {
    ghost_ = {};
    ghost_.update(*section);
    ghost_of_ = id;
  }
  data.ghost_label = "pinned: " + view.pinned->section;
  for (int rank = 0; rank < section->ranks(); ++rank) {
    auto& held = data.ghost.emplace_back();
    for (const Category category : kCategories)
      held[size_t(category)] = ghost_.total(rank, category, view.pinned->time_ns);
  }
}

namespace {

constexpr double kFallSeconds = 0.6;

// The axis ends at the highest that is drawn at any instant of this section.
double highest(const View& view, const ui::BlockColumnsData& data) {
  double bytes = double(view.memory->highest());
  for (const auto* marks : {&data.formulas, &data.guesses})
    for (const ui::BytesMark& mark : *marks) bytes = std::max(bytes, mark.bytes);
  for (const auto& ghost : data.ghost)
    bytes = std::max(bytes, double(std::accumulate(ghost.begin(), ghost.end(), int64_t{0})));
  return bytes;
}

// How much of what all ranks hold is on rank 0 as well, by their hashes. Of state alone: what is hashed.
struct Copies {
  int blocks = 0, equal = 0;  // of ranks 1 and above: compared, and with rank 0's hash
  double left = 0;            // 0 to 1: of all bytes, what is no copy
};
Copies count_copies(const View& view, const figure::SectionIndex& index) {
  Copies copies;
  double all = 0, copied = 0;
  for (int rank = 0; rank < view.memory->ranks(); ++rank) {
    for (const Category category : figure::kStateKinds) {
      for (const auto& held : view.memory->at(rank, category, view.playhead.time_ns)) {
        const auto bytes = double(held.bytes);
        all += bytes;
        const auto& hashes = index.hashes(category, view.trace.name(held.tensor));
        const auto mine = hashes.find(rank), first = hashes.find(0);
        if (rank == 0 || held.unit != 0 || mine == hashes.end() || first == hashes.end()) continue;
        ++copies.blocks;
        if (mine->second != first->second) continue;
        ++copies.equal;
        copied += bytes;
      }
    }
  }
  copies.left = all > 0 ? 1 - copied / all : 1;
  return copies;
}

}  // namespace

// While it is asked: what the learner calls a copy is an outline, and dragging changes it.
void MemoryPicture::ask_copies(const View& view, ui::BlockColumnsData& data) {
  const Guess* guess = guess_of(view, about_.copies);
  const double share = guess == nullptr ? 0 : std::clamp(guess->value / 100, 0.0, 1.0);
  data.outlined = std::isfinite(share) ? share * view.memory->ranks() : 0;
  data.sweeps = true;
  called_copies_ = guess == nullptr ? "" : fmt::format("{:.0f}", 100 * share);
  if (view.memory->ranks() > 1)
    data.outlined_label = guess == nullptr ? tr("Drag over the copies, or type a number.")
                                           : tr("{:.0f} % are copies, you say", 100 * share);
}

// At its Reveal they fall into column 0, those of equal hashes.
void MemoryPicture::collapse(const View& view, const figure::SectionIndex& index,
                             ui::BlockColumnsData& data) const {
  const Copies copies = count_copies(view, index);
  if (copies.blocks == 0) {
    data.outlined_label = tr("Hashes are taken at the end of this stage.");
    return;
  }
  const double passed = ui::look().motion ? view.revealed_seconds / kFallSeconds : 1;
  data.fallen = float(std::clamp(passed, 0.001, 1.0));
  if (data.fallen >= 1)
    data.outlined_label = tr("{} of {} blocks: same hash as on rank 0. {:.0f} % remains.", copies.equal,
                             copies.blocks, 100 * copies.left);
}

void MemoryPicture::draw(View& view, ImVec2 size, const figure::SectionIndex* index) {
  ui::BlockColumnsData data;
  data.trace = &view.trace;
  const bool asks = is_copies(view.asked), reveals = is_copies(view.revealed);
  if (view.section != nullptr && view.memory != nullptr) {
    data.memory = view.memory;
    data.time_ns = view.playhead.time_ns;
    data.flights = ui::flights_at(*view.section, view.trace, view.playhead.time_ns);
    if (asks) ask_copies(view, data);
    if (reveals && index != nullptr) collapse(view, *index, data);
    add_marks(view, data);
    add_ghost(view, data);
    data.range_bytes = highest(view, data);
  }
  // What a copy is would be told by the slots and the notes.
  if (data.memory != nullptr && index != nullptr && !asks) {
    data.kind = [&](const ui::BlockId& id, int rank, int64_t bytes) {
      return kind_of(view, *index, id, rank, bytes, chosen_ && !reveals ? chosen_->rank : 0);
    };
  }
  data.words = [&](const ui::BlockId& id, int rank, int64_t bytes) {
    return words_of(view, asks ? nullptr : index, id, rank, bytes);
  };
  data.highlight = find_chosen(view);
  if (chosen_) data.highlight_rank = chosen_->rank;
  take(view, columns_.draw("blocks", size, data), data.sweeps);
}

void MemoryPicture::take(View& view, const ui::BlockColumnsEvents& events, bool sweeps) {
  if (events.swept && view.memory->ranks() > 0)
    view.wishes.typed = fmt::format("{:.0f}", 100 * *events.swept / view.memory->ranks());
  if (events.entered) view.wishes.commit = true;
  if (sweeps) return;
  if (events.clicked) {
    const Chosen clicked{events.clicked->category, view.trace.name(events.clicked->unit),
                         view.trace.name(events.clicked->tensor), events.clicked_rank};
    chosen_ = chosen_ == clicked ? std::nullopt : std::optional(clicked);
  }
  if (events.cleared) chosen_.reset();
}

// As this trace numbers it; none where no rank holds it at this moment.
std::optional<ui::BlockId> MemoryPicture::find_chosen(const View& view) const {
  if (!chosen_ || view.section == nullptr || view.memory == nullptr) return std::nullopt;
  for (int rank = 0; rank < view.memory->ranks(); ++rank) {
    for (const auto& held : view.memory->at(rank, chosen_->category, view.playhead.time_ns)) {
      if (view.trace.name(held.unit) == chosen_->unit && view.trace.name(held.tensor) == chosen_->tensor)
        return ui::BlockId{chosen_->category, held.unit, held.tensor};
    }
  }
  return std::nullopt;
}

std::string MemoryPicture::chosen_name() const {
  if (!chosen_) return "";
  return fmt::format("{}{}{}", to_string(chosen_->category), chosen_->unit.empty() ? "" : " " + chosen_->unit,
                     chosen_->tensor.empty() ? "" : " " + chosen_->tensor);
}

// The chosen block: where it lies, and whether it is the same everywhere.
void MemoryPicture::readout(View& view, const figure::SectionIndex& index) {
  chosen_words_.clear();
  if (!chosen_ || view.section == nullptr || view.memory == nullptr) {
    ui::remark(tr("Click a block: is it a part or a copy?"));
    return;
  }
  ui::paragraph(chosen_name(), ui::Type::kBold);
  ui::mark("chosen");
  const auto id = find_chosen(view);
  const int rank = std::min(chosen_->rank, view.memory->ranks() - 1);
  int64_t bytes = 0;
  if (id && rank >= 0) {
    for (const auto& held : view.memory->at(rank, id->category, view.playhead.time_ns))
      if (held.unit == id->unit && held.tensor == id->tensor) bytes = held.bytes;
  }
  if (bytes == 0) return ui::remark(tr("Rank {} does not hold it at this moment.", chosen_->rank));
  chosen_words_ = words_of(view, &index, *id, rank, bytes);
  ui::paragraph(chosen_words_, ui::Type::kLabel);
  const auto& hashes = index.hashes(chosen_->category, chosen_->tensor);
  const auto mine = hashes.find(rank);
  if (chosen_->unit.empty() && mine != hashes.end())
    ui::remark(tr("Its hash on rank {}: {}.", rank, mine->second));
}

void MemoryPicture::add_state(std::map<std::string, std::string>& state) const {
  state["chosen"] = chosen_name();
  state["chosen_is"] = chosen_words_;
  state["called_copies"] = called_copies_;
}

}  // namespace ringside
