#include "room_watching.h"

#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/figures/axis.h"
#include "ringside/widgets/look.h"

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

void Watching::enter(const Lesson& lesson) {
  lesson_ = &lesson;
  follow();
}

void Watching::forget_section() {
  memory_ = {};
  index_ = {};
  timeline = {};
  history_of_.reset();
}

void Watching::forget_trace() {
  forget_section();  // its names are of the trace before
  opened_for_.clear();
}

void Watching::follow(std::optional<Awaited> place) {
  awaited_ = std::move(place);
  opened_for_.clear();
  chosen_by_hand_ = false;
  playhead.follow = true;
}

void Watching::await(Awaited place) {
  awaited_ = std::move(place);
  playhead.follow = true;
}

bool Watching::watch(const std::string& section) {
  if (runs_.trace().find(section) == nullptr) return false;
  awaited_.reset();
  if (playhead.section != section) {
    playhead.section = section;
    go_live();
  }
  return chosen_by_hand_ = true;
}

void Watching::stride(Stride by, int direction) {
  ringside::stride(playhead, runs_.trace(), by, direction, step_word());
}

void Watching::seek(int64_t time_ns) {
  playhead.time_ns = time_ns;
  playhead.follow = playhead.playing = false;
}

void Watching::go_live() {
  playhead.follow = true;
  playhead.playing = false;
}

void Watching::toggle_play() {
  const SectionView* section = at_playhead();
  if (section == nullptr) return;
  const TimeRange range = time_range(*section);
  if (playhead.follow || playhead.time_ns >= range.last) playhead.time_ns = range.first;
  playhead.playing = !playhead.playing || playhead.follow;
  playhead.follow = false;
}

bool Watching::open_for(const std::string& question) {
  return std::exchange(opened_for_, question) != question;
}

void Watching::take_in(const SectionView* section) {
  if (section != nullptr) {
    if (history_of_ != section->name()) forget_section();
    history_of_ = section->name();
    memory_.update(*section);
    index_.update(runs_.trace(), *section, step_word());
    if (zoom_) timeline.show(zoom_->first, zoom_->last);
  }
  zoom_.reset();
}

const SectionView* Watching::section(bool hidden) const {
  if ((hidden || closed()) && runs_.trace().find(playhead.section) == nullptr) return nullptr;
  return at_playhead();
}

Moment Watching::moment(const SectionView& section) const {
  return moment_at(runs_.trace(), section, playhead.time_ns, 0, step_word());
}

Place Watching::place(const SectionView& section) const {
  return place_of(runs_.trace(), section, playhead.time_ns, step_word());
}

bool Watching::is_over(const SectionView& section) const {
  return runs_.ended() || runs_.trace().sections().back().name() != section.name();
}

// Until it is recorded the run is followed; whoever moves the playhead meanwhile is left alone.
std::string Watching::reach(const Config& config, double seconds) {
  if (!playhead.follow) awaited_.reset();
  if (!awaited_ || runs_.waits()) return "";  // what is recorded is of the run before
  if (!awaited_->instant.empty()) return try_instant(config, seconds);
  reach_place();
  return "";
}

void Watching::reach_place() {
  const Trace& trace = runs_.trace();
  const SectionView* section = trace.find(awaited_->place.section);
  if (section == nullptr) {
    if (runs_.over()) awaited_.reset();
    return;
  }
  if (awaited_->followed) {
    playhead.section = section->name();
    chosen_by_hand_ = true;
    return awaited_.reset();
  }
  Place place = awaited_->place;
  if (place.step < 0 && !is_over(*section)) return;  // it is a part of the whole section
  auto time = instant_of(trace, place, step_word());
  if (!time && is_over(*section)) {  // it has fewer steps
    place.step = last_step(trace, *section, step_word());
    time = place.step < 0 ? std::nullopt : instant_of(trace, place, step_word());
    if (!time) return awaited_.reset();
  }
  if (!time) return;
  const auto whole = range_of_step(trace, *section, place.step, step_word());
  stand_at(*section, *time, whole && awaited_->played ? whole->last : *time);
}

// Looked for a few times a second: a mistake in it is told when the run can no longer come to it.
std::string Watching::try_instant(const Config& config, double seconds) {
  constexpr double kPause = 0.1;
  const bool over = runs_.over();
  if (!over && seconds - awaited_->tried_at < kPause && awaited_->tried_at >= 0) return "";
  awaited_->tried_at = seconds;
  try {
    const FigureInput found = parse_instant(awaited_->instant, config, runs_.trace());
    const bool over_there = is_over(*found.section);
    if (awaited_->instant == found.section->name() && !over_there) return "";  // its end is meant
    const int64_t number = last_step(runs_.trace(), *found.section, step_word(), found.time_ns);
    const auto whole = range_of_step(runs_.trace(), *found.section, number, step_word());
    if (!whole && !over_there) return "";  // its step has not ended
    stand_at(*found.section, whole && awaited_->played ? whole->first : found.time_ns, found.time_ns);
  } catch (const Error& error) {
    if (over) {
      awaited_.reset();
      return error.what();
    }
  }
  return "";
}

// The timeline shows the step. Without motion the playhead stands where it would begin, or where it is to be;
// play then plays the step as slowly.
void Watching::stand_at(const SectionView& section, int64_t from_ns, int64_t until_ns) {
  const bool asked_for_end = !awaited_->instant.empty();
  const bool to_play = until_ns > from_ns, plays = to_play && ui::look().motion;
  awaited_.reset();
  chosen_by_hand_ = true;
  playhead.section = section.name();
  playhead.follow = false;
  playhead.playing = plays;
  playhead.until_ns = to_play && (plays || !asked_for_end) ? until_ns : 0;
  playhead.time_ns = plays || !asked_for_end ? from_ns : until_ns;
  if (to_play) playhead.speed = speed_for(until_ns - from_ns);
  const int64_t number = last_step(runs_.trace(), section, step_word(), playhead.time_ns);
  const auto whole = range_of_step(runs_.trace(), section, number, step_word());
  if (!whole) return;
  const int64_t margin = whole->length() / 30;
  zoom_ = TimeRange{whole->first - margin, whole->last + margin};
}

}  // namespace ringside::gui
