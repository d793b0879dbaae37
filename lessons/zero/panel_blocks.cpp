#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "panel_parts.h"
#include "ringside/base/units.h"
#include "ringside/widgets/items.h"

namespace ringside::zero_panel {
namespace {

constexpr Category kState[] = {Category::kParameters, Category::kGradients, Category::kOptimizer};

// Bytes a parameter of everything, unsharded: 16. All stages are drawn to this scale.
double whole_state(const View& view) {
  for (const PredictionSpec& spec : view.lesson.predictions) {
    if (!spec.blocks) continue;
    double sum = 0;
    for (const Block& block : spec.blocks(view.config)) sum += block.whole;
    return sum;
  }
  return 0;
}

}  // namespace

void Blocks::add_marks(const View& view, ui::BlockColumnsData& data) const {
  const double psi = psi_of(*view.section);
  const int stage = stage_of(*view.section);
  if (psi == 0 || stage < 0) return;
  if (stage == 0) data.formulas.push_back({whole_state(view) * psi, fmt::format("{:g}Ψ", whole_state(view))});
  // The stage that is watched, and beside it the one that is asked about.
  const PredictionSpec* spec = question(view.lesson, "state", stage);
  add_guess(view, view.asked != nullptr && view.asked->blocks ? view.asked : spec, psi, data);
  const bool answered = spec != nullptr && guess_of(view, spec->id) != nullptr && view.asked != spec;
  if (spec == nullptr || (!answered && !view.revealing)) return;
  const double bytes = spec->formula(view.draft) * psi;
  const std::string text = spec->formula_text ? spec->formula_text(view.draft) : "formula";
  data.formulas.push_back({bytes, fmt::format("{} = {}", text, ui::short_bytes(bytes))});
}

// Dashed, and where N is dragged it moves as its formula says.
void Blocks::add_guess(const View& view, const PredictionSpec* spec, double psi,
                       ui::BlockColumnsData& data) const {
  const Guess* guess = spec == nullptr ? nullptr : guess_of(view, spec->id);
  if (guess == nullptr) return;
  const double value = (guess->at ? guess->at(view.draft) : std::nullopt).value_or(guess->value);
  data.guesses.push_back({value * psi, fmt::format("you {:.2f}", value)});
}

void Blocks::add_ghost(const View& view, ui::BlockColumnsData& data) {
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
      held[static_cast<size_t>(category)] = ghost_.total(rank, category, view.pinned->time_ns);
  }
}

void Blocks::draw(View& view, ImVec2 size) {
  ui::BlockColumnsData data;
  data.trace = &view.trace;
  if (view.section != nullptr && view.memory != nullptr) {
    data.memory = view.memory;
    data.time_ns = view.playhead.time_ns;
    data.range_bytes =
        std::max(whole_state(view) * psi_of(*view.section), static_cast<double>(view.memory->highest()));
    data.flights = ui::flights_at(*view.section, view.trace, view.playhead.time_ns);
    add_marks(view, data);
    add_ghost(view, data);
  }
  data.highlight = find_chosen(view);
  const auto events = columns_.draw("blocks", size, data);
  if (events.clicked) {
    const Chosen clicked{events.clicked->category, view.trace.name(events.clicked->unit),
                         view.trace.name(events.clicked->tensor)};
    chosen_ = chosen_ == clicked ? std::nullopt : std::optional(clicked);
  }
  if (events.cleared) chosen_.reset();
}

// As this trace numbers it; none where no rank holds it at this moment.
std::optional<ui::BlockId> Blocks::find_chosen(const View& view) const {
  if (!chosen_ || view.section == nullptr || view.memory == nullptr) return std::nullopt;
  for (int rank = 0; rank < view.memory->ranks(); ++rank) {
    for (const auto& held : view.memory->at(rank, chosen_->category, view.playhead.time_ns)) {
      if (view.trace.name(held.unit) == chosen_->unit && view.trace.name(held.tensor) == chosen_->tensor)
        return ui::BlockId{chosen_->category, held.unit, held.tensor};
    }
  }
  return std::nullopt;
}

std::string Blocks::chosen_name() const {
  if (!chosen_) return "";
  return fmt::format("{}{}{}", to_string(chosen_->category), chosen_->unit.empty() ? "" : " " + chosen_->unit,
                     chosen_->tensor.empty() ? "" : " " + chosen_->tensor);
}

// The chosen block: where it lies, and whether it is the same everywhere.
void Blocks::readout(View& view, const SectionIndex& index) {
  if (!chosen_ || view.section == nullptr || view.memory == nullptr) {
    ui::paragraph("Click a block: which ranks hold it too?", ui::colours().dim, ui::Type::kLabel);
    return;
  }
  int holders = 0;
  int64_t bytes = 0;
  const auto id = find_chosen(view);
  for (int rank = 0; id && rank < view.memory->ranks(); ++rank) {
    for (const auto& held : view.memory->at(rank, id->category, view.playhead.time_ns)) {
      if (held.unit != id->unit || held.tensor != id->tensor) continue;
      ++holders;
      bytes = std::max(bytes, held.bytes);
    }
  }
  ui::paragraph(chosen_name(), ui::Type::kBold);
  ui::mark("chosen");
  ui::paragraph(fmt::format("{} on {} of {} ranks at this moment.", format_bytes(static_cast<double>(bytes)),
                            holders, view.section->ranks()),
                ui::Type::kLabel);
  const std::vector<std::string> hashes = index.hashes(chosen_->category, chosen_->tensor);
  const std::set<std::string> different(hashes.begin(), hashes.end());
  const size_t known = hashes.size();
  if (known == 0) {
    ui::paragraph("Its hash is taken at the end of the stage's training.", ui::colours().dim,
                  ui::Type::kLabel);
  } else if (different.size() == 1 && known > 1) {
    ui::paragraph(fmt::format("One hash on {} ranks, {}: {} of {} are copies.", known,
                              different.begin()->substr(0, 8), known - 1, known),
                  ui::Type::kLabel);
  } else {
    ui::paragraph(fmt::format("{} ranks, {} hashes: {}.", known, different.size(),
                              different.size() == known ? "each holds its own part" : "some are copies"),
                  ui::Type::kLabel);
  }
}

}  // namespace ringside::zero_panel
