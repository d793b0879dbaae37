#include <fmt/format.h>

#include <algorithm>

#include "attributes.h"
#include "panel_parts.h"
#include "ringside/lesson/formula.h"

namespace ringside::zero_panel {

const PredictionSpec* question(const Lesson& lesson, const std::string& about, int stage) {
  const std::string id = about + "_stage_" + std::to_string(stage);
  for (const PredictionSpec& spec : lesson.predictions) {
    if (spec.id == id) return &spec;
  }
  return nullptr;
}

std::optional<double> at_ranks(const PredictionSpec& spec, const Config& config, double ranks) {
  if (!spec.symbols || !spec.formula_text) return std::nullopt;
  std::vector<Symbol> symbols = spec.symbols(config);
  for (Symbol& symbol : symbols) {
    if (symbol.name == "N") symbol.value = ranks;
  }
  return Formula::parse(spec.formula_text(config), symbols).value(symbols);
}

namespace {

std::string share(int ranks) {
  constexpr const char* kShares[] = {"",      "all of it", "half",    "third", "quarter",
                                     "fifth", "sixth",     "seventh", "eighth"};
  return ranks >= 1 && ranks <= 8 ? kShares[ranks] : fmt::format("1/{}", ranks);
}

std::string forward_words(int stage, const std::string& unit, const std::string& all) {
  if (stage < 3) return fmt::format("Forward, {}: {} hold all parameters, nothing moves.", unit, all);
  return fmt::format("Forward, {}: its parameters are gathered, used and dropped.", unit);
}

std::string backward_words(int stage, const std::string& unit, int ranks, bool kept) {
  switch (stage) {
    case 0:
      return fmt::format(
          "Backward, {}: each full bucket of gradients is summed, and all ranks keep the whole sum.", unit);
    case 1:
      return fmt::format(
          "Backward, {}: a rank receives the sum of its {} only; its own gradients stay whole.", unit,
          share(ranks));
    case 2:
      return fmt::format("Backward, {}: each rank keeps its {} of the sum, and drops the rest.", unit,
                         share(ranks));
    default:
      return kept ? fmt::format("Backward, {}: its parameters were kept, so nothing is gathered again.", unit)
                  : fmt::format("Backward, {}: its parameters are gathered a second time: that is the price.",
                                unit);
  }
}

std::string update_words(int stage, int ranks, const std::string& all) {
  if (stage == 0) return fmt::format("Update: {} change all parameters, the same work on each.", all);
  if (stage == 3)
    return fmt::format("Update: each rank changes its {}, and that is all it keeps.", share(ranks));
  return fmt::format("Update: each rank changes its {}, then gathers the others'.", share(ranks));
}

std::string capital(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// Between two phases something may still be on its way.
std::string words_of_flight(const View& view) {
  for (const ui::Flight& flight : ui::flights_at(*view.section, view.trace, view.playhead.time_ns)) {
    if (flight.waiting) continue;
    std::string op(to_string(flight.op));
    std::replace(op.begin(), op.end(), '_', '-');
    return capital(fmt::format("{} of {}{}.", op, flight.tag.empty() ? "something" : flight.tag,
                               flight.label.empty() ? "" : ", " + flight.label));
  }
  return "";
}

}  // namespace

std::string words_at(const View& view) {
  if (view.section == nullptr) return "";
  const int stage = stage_of(*view.section), ranks = view.section->ranks();
  if (stage < 0) return "";
  const Moment moment = moment_at(view.trace, *view.section, view.playhead.time_ns);
  if (ranks == 1) return "One rank has nobody to share with: no stage keeps less, none sends anything.";
  const std::string all = ranks == 2 ? "both ranks" : fmt::format("all {} ranks", ranks);
  const bool kept = zero_lesson::keeps_gathered(*view.section);
  if (moment.phase == "forward") return forward_words(stage, moment.unit, all);
  if (moment.phase == "backward") return backward_words(stage, moment.unit, ranks, kept);
  if (moment.phase == "update") return update_words(stage, ranks, all);
  if (moment.phase == "evaluate") return "Evaluation: held-out samples, no gradients.";
  if (moment.phase == "hash") return "The end: every rank hashes what it holds. Equal hashes are copies.";
  if (moment.phase.empty()) {
    if (const std::string moving = words_of_flight(view); !moving.empty()) return moving;
  }
  if (moment.phase.empty() && moment.step < 0)
    return stage == 0 ? capital(all) + " hold the same parameters, gradients and optimizer state."
                      : fmt::format("Stage {}: what is held between two steps.", stage);
  if (moment.phase.empty()) return fmt::format("Stage {}, step {}: between two phases.", stage, moment.step);
  return fmt::format("{}.", capital(moment.phase));
}

}  // namespace ringside::zero_panel
