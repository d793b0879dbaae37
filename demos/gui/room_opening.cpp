// The desk, as far as instants go: Watch opens where the question is, and a run that is compared with another
// one is watched where that one was.
#include <fmt/format.h>

#include "ringside/base/error.h"
#include "room_desk.h"

namespace ringside::gui {
// Once for a question and a run: whoever comes back finds the playhead where it was.
void Desk::open_watch() {
  const PredictionSpec* spec = guessing.question();
  if (spec == nullptr || !watching.open_for(spec->id)) return;
  const bool played = step == Step::kWatch;
  if (auto place = panel->opening(*spec))
    await({.place = std::move(*place), .played = played});
  else if (!spec->instant.empty())
    await({.instant = spec->instant, .played = played});
}

void Desk::show(const std::string& instant) {
  if (const PredictionSpec* spec = guessing.question()) watching.open_for(spec->id);
  go_to(Step::kWatch);
  await({.instant = instant});
}

void Desk::await(Awaited place) {
  watching.await(std::move(place));
  reach_awaited();
}

void Desk::reach_awaited() {
  if (const std::string mistake = watching.reach(*config, seconds); !mistake.empty()) tell(mistake);
}

bool Desk::follows_traced(const Config& next) const {
  return traced_ && traced_->lesson() == lesson->id && next.lesson() == lesson->id;
}

// The run that stands there is pinned, unless the learner has pinned one. The next one is watched in the same
// section at the same instant; where it names a section of its own, that one of the pinned run is beside it.
std::optional<Awaited> Desk::compare_with(const Config& next) {
  if (!follows_traced(next) || *traced_ == next) return std::nullopt;
  comparison.guess.said = std::exchange(comparison.guess.next, kNoGuess);
  const KeptRun* pinned = comparison.pinned();
  if (pinned != nullptr && watching.closed()) {  // the last change has come to nothing yet
    Awaited still = *watching.awaited();
    if (const std::string own = panel->section_of(next); !own.empty()) still.place.section = own;
    return still;
  }
  const bool unfinished = pinned != nullptr && !runs.trace().complete();  // likewise
  if (!comparison.by_hand() && !unfinished) comparison.pin(this_run(), false);
  pinned = comparison.pinned();
  if (pinned == nullptr) return std::nullopt;
  const SectionView* section = pinned->trace.find(pinned->section);
  Place place = place_of(pinned->trace, *section, pinned->time_ns, watching.step_word());
  place.section = panel->section_beside(next, pinned->section);
  if (place.section.empty()) return std::nullopt;
  const bool by_hand = comparison.by_hand();
  if (!by_hand) comparison.move_pinned(place, watching.step_word());
  return Awaited{.place = std::move(place), .closed = true, .followed = !by_hand && watching.playhead.follow};
}

// A run that the room has pinned shows the section that is watched, where it has that one.
void Desk::pair_pinned() {
  if (comparison.pinned() == nullptr || comparison.by_hand() || watching.closed()) return;
  if (const SectionView* now = watched_section();
      now != nullptr && now->name() != comparison.pinned()->section)
    comparison.move_pinned(watching.place(*now), watching.step_word());
}

// A learner who has stopped at an instant finds it in the next run too, where that has the section.
std::optional<Awaited> Desk::same_instant(const Config& next) {
  const SectionView* section = follows_traced(next) ? watched_section() : nullptr;
  if (step != Step::kWatch || section == nullptr || watching.playhead.follow) return std::nullopt;
  if (const std::string own = panel->section_of(next); !own.empty() && own != section->name())
    return std::nullopt;
  return Awaited{.place = watching.place(*section)};
}

// ---- Break it ------------------------------------------------------------------------

void Desk::change_line(const std::string& line) {
  std::vector<std::string> words = split_scenario(line);
  if (words.empty() || words.front() != lesson->id) {
    wishes.scenario = line;
    return;
  }
  words.erase(words.begin());
  try {
    Config next = config->with(words);
    if (next == *config) return tell(fmt::format("This line says it already: {}", line));
    run(std::move(next));
  } catch (const Error& error) {
    tell(error.what());
  }
}

const std::vector<GaugeRow>& Desk::gauges() {
  View now = view();
  if (!traced_ || !(*traced_ == *config)) now.section = nullptr;  // its run has not begun
  comparison.update(now);
  return comparison.rows();
}

std::string Desk::difference() {
  if (comparison.pinned() == nullptr) return "";
  gauges();
  return comparison.difference(*config, runs.trace(), watched_section(), runs.busy());
}

}  // namespace ringside::gui
