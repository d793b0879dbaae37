// The desk, as far as instants go: Watch opens where the question is, and a run that is compared with another
// one is watched where that one was.
#include <fmt/format.h>

#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/figures/axis.h"
#include "ringside/lesson/section_title.h"
#include "room_desk.h"

namespace ringside::gui {
namespace {

constexpr double kSlowest = 0.01;  // of real time
constexpr double kLongest = 8;     // seconds that a step is played

// 1/100, or faster where that would take too long: 1, 2 or 5 times a power of ten.
double speed_for(int64_t length_ns) {
  const double seconds = double(length_ns) * 1e-9;
  return std::clamp(figure::round_step(seconds / kLongest, 1, {}), kSlowest, 1.0);
}

}  // namespace

bool Desk::section_is_over(const SectionView& section) const {
  return runs.ended() || runs.trace().sections().back().name() != section.name();
}

// Once for a question and a run: whoever comes back finds the playhead where it was.
void Desk::open_watch() {
  const PredictionSpec* spec = question();
  const std::string now = fmt::format("{} {}", run_number_, spec == nullptr ? "" : spec->id);
  if (opened_ == now) return;
  opened_ = now;
  if (spec == nullptr) return;
  if (auto place = panel->opening(*spec)) {
    awaited_ = Awaited{.place = std::move(*place), .played = step == Step::kWatch};
  } else if (!spec->instant.empty()) {
    awaited_ = Awaited{.instant = spec->instant, .played = step == Step::kWatch};
  } else {
    return;
  }
  playhead.follow = true;
  reach_awaited();
}

void Desk::show(const std::string& instant) {
  const PredictionSpec* spec = question();
  opened_ = fmt::format("{} {}", run_number_, spec == nullptr ? "" : spec->id);
  go_to(Step::kWatch);
  awaited_ = Awaited{.instant = instant};
  playhead.follow = true;
  reach_awaited();
}

// Until it is recorded the run is followed; whoever moves the playhead meanwhile is left alone.
void Desk::reach_awaited() {
  if (!awaited_) return;
  if (!playhead.follow) return awaited_.reset();
  if (runs.waits()) return;  // what is recorded is of the run before
  if (!awaited_->instant.empty()) return try_instant();
  const Trace& trace = runs.trace();
  const SectionView* section = trace.find(awaited_->place.section);
  if (section == nullptr) {
    if (runs.over()) awaited_.reset();
    return;
  }
  if (awaited_->followed) {
    playhead.section = section->name();
    chosen_by_hand_ = true;
    return awaited_.reset();
  }
  Place place = awaited_->place;
  if (place.step < 0 && !section_is_over(*section)) return;  // it is a part of the whole section
  auto time = instant_of(trace, place, lesson->words.step);
  if (!time && section_is_over(*section)) {  // it has fewer steps
    place.step = last_step(trace, *section, lesson->words.step);
    time = place.step < 0 ? std::nullopt : instant_of(trace, place, lesson->words.step);
    if (!time) return awaited_.reset();
  }
  if (!time) return;
  const auto whole = range_of_step(trace, *section, place.step, lesson->words.step);
  stand_at(*section, *time, whole && awaited_->played ? whole->last : *time);
}

// Looked for a few times a second: a mistake in it is told when the run can no longer come to it.
void Desk::try_instant() {
  constexpr double kPause = 0.1;
  const bool over = runs.over();
  if (!over && seconds - awaited_->tried_at < kPause && awaited_->tried_at >= 0) return;
  awaited_->tried_at = seconds;
  try {
    const FigureInput found = parse_instant(awaited_->instant, *config, runs.trace());
    const bool is_over = section_is_over(*found.section);
    if (awaited_->instant == found.section->name() && !is_over) return;  // its end is meant
    const int64_t number = last_step(runs.trace(), *found.section, lesson->words.step, found.time_ns);
    const auto whole = range_of_step(runs.trace(), *found.section, number, lesson->words.step);
    if (!whole && !is_over) return;  // its step has not ended
    stand_at(*found.section, whole && awaited_->played ? whole->first : found.time_ns, found.time_ns);
  } catch (const Error& error) {
    if (!over) return;
    say(error.what());
    awaited_.reset();
  }
}

// The timeline shows the step. Without motion the playhead stands where it would begin, or where it is to be;
// play then plays the step as slowly.
void Desk::stand_at(const SectionView& section, int64_t from_ns, int64_t until_ns) {
  const bool asked_for_end = !awaited_->instant.empty();
  const bool to_play = until_ns > from_ns, plays = to_play && look.motion;
  awaited_.reset();
  chosen_by_hand_ = true;
  playhead.section = section.name();
  playhead.follow = false;
  playhead.playing = plays;
  playhead.until_ns = to_play && (plays || !asked_for_end) ? until_ns : 0;
  playhead.time_ns = plays || !asked_for_end ? from_ns : until_ns;
  if (to_play) playhead.speed = speed_for(until_ns - from_ns);
  const int64_t number = last_step(runs.trace(), section, lesson->words.step, playhead.time_ns);
  const auto whole = range_of_step(runs.trace(), section, number, lesson->words.step);
  if (!whole) return;
  const int64_t margin = whole->length() / 30;
  zoom_ = TimeRange{whole->first - margin, whole->last + margin};
}

bool Desk::follows_traced(const Config& next) const {
  return traced_ && traced_->lesson() == lesson->id && next.lesson() == lesson->id;
}

// The run that stands there is pinned, unless the learner has pinned one. The next one is watched in the same
// section at the same instant; where it names a section of its own, that one of the pinned run is beside it.
std::optional<Desk::Awaited> Desk::compare_with(const Config& next) {
  if (!follows_traced(next) || *traced_ == next) return std::nullopt;
  change_guess.said = std::exchange(change_guess.next, kNoGuess);
  if (pinned && awaited_ && awaited_->closed) {  // the last change has come to nothing yet
    if (const std::string own = panel->section_of(next); !own.empty()) awaited_->place.section = own;
    return awaited_;
  }
  pinned_by_hand_ = pinned_by_hand_ && pinned;
  const bool unfinished = pinned && !runs.trace().complete();  // likewise
  if (!pinned_by_hand_ && !unfinished) pinned = this_run();
  if (!pinned) return std::nullopt;
  ++pins_;
  const Trace& trace = pinned->trace;
  const SectionView* section = trace.find(pinned->section);
  Place place = place_of(trace, *section, pinned->time_ns, lesson->words.step);
  place.section = panel->section_beside(next, pinned->section);
  if (place.section.empty()) return std::nullopt;
  if (!pinned_by_hand_) move_pinned(place);
  return Awaited{.place = std::move(place), .closed = true, .followed = !pinned_by_hand_ && playhead.follow};
}

void Desk::move_pinned(const Place& place) {
  const SectionView* same = pinned->trace.find(place.section);
  if (same == nullptr || place.section == pinned->section) return;
  pinned->section = place.section;
  pinned->time_ns = instant_of(pinned->trace, place, lesson->words.step).value_or(last_moment(*same));
}

// A run that the room has pinned shows the section that is watched, where it has that one.
void Desk::pair_pinned() {
  if (!pinned || pinned_by_hand_ || (awaited_ && awaited_->closed)) return;
  const SectionView* now = watched_section();
  if (now != nullptr && now->name() != pinned->section && pinned->trace.find(now->name()) != nullptr)
    move_pinned(place_of(runs.trace(), *now, playhead.time_ns, lesson->words.step));
}

// A learner who has stopped at an instant finds it in the next run too, where that has the section.
std::optional<Desk::Awaited> Desk::same_instant(const Config& next) {
  const SectionView* section = follows_traced(next) ? watched_section() : nullptr;
  if (step != Step::kWatch || section == nullptr || playhead.follow) return std::nullopt;
  if (const std::string own = panel->section_of(next); !own.empty() && own != section->name())
    return std::nullopt;
  return Awaited{.place = place_of(runs.trace(), *section, playhead.time_ns, lesson->words.step)};
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
    if (next == *config) return say(fmt::format("This line says it already: {}", line));
    run(std::move(next));
  } catch (const Error& error) {
    say(error.what());
  }
}

void Desk::pinned_line() {
  if (pinned) run(*pinned->config);
}

const std::vector<GaugeRow>& Desk::gauges() {
  View now = view();
  if (!traced_ || !(*traced_ == *config)) now.section = nullptr;  // its run has not begun
  comparison_.update(now, pins_);
  return comparison_.rows();
}

// Where the first figure is of one section alone: which one, unless the change names it ("stage=3").
static std::string section_words(const SectionView* section, const std::string& change) {
  if (section == nullptr) return "";
  std::string as_word = title_of(*section);
  std::ranges::replace(as_word, ' ', '=');
  return change.find(as_word) == std::string::npos ? title_of(*section) + ", " : "";
}

// Then a figure differs by the section too, not by the change alone.
bool Desk::compares_sections() {
  const SectionView* now = pinned ? watched_section() : nullptr;
  if (now == nullptr || now->name() == pinned->section) return false;
  return pinned->trace.find(now->name()) != nullptr || runs.trace().find(pinned->section) != nullptr;
}

// No run was cut within it.
static bool is_whole(const Trace& trace, const std::string& section) {
  return trace.complete() || (trace.find(section) != nullptr && trace.sections().back().name() != section);
}

std::string Desk::not_measured(const std::string& words) const {
  if (runs.busy() || comparison_.waiting()) return tr("{}: the run is on its way.", words);
  if (!runs.trace().complete())
    return tr("{}: stopped before it was measured: run it to its end (R).", words);
  return tr("{}: this run did not measure it.", words);
}

std::string Desk::difference() {
  if (!pinned || lesson->gauges.empty()) return "";
  const std::string changed = words_that_differ(*pinned->config, *config);
  if (changed.empty()) return "";
  const std::vector<GaugeRow>& rows = gauges();
  const SectionView* section = watched_section();
  if (!is_whole(pinned->trace, pinned->section))
    return tr("{}: the pinned run had not measured it.", changed);
  if ((section != nullptr && !is_whole(runs.trace(), section->name())) ||
      std::ranges::none_of(rows, [](const GaugeRow& row) { return change_of(row).has_value(); }))
    return not_measured(changed);
  if (compares_sections())
    return difference_in_words(
        tr("{} → {}, {}", title_of(*pinned->trace.find(pinned->section)), title_of(*section), changed), rows,
        kNoGuess);
  return difference_in_words((comparison_.is_of_section() ? section_words(section, changed) : "") + changed,
                             rows, change_guess.said);
}

bool Desk::nothing_to_show() const { return runs.trace().sections().empty() && !runs.busy(); }

}  // namespace ringside::gui
