// What was clicked: its outline, the same on other ranks, who came last, and the note that says so.

#include <algorithm>

#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/timeline.h"

namespace ringside::ui {

std::span<const TimelineLane> Timeline::lanes_of(const Frame& frame, int rank, Lane kind) {
  const TimelineIndex::Rank& all = frame.index.rank(rank);
  if (kind == Lane::kComm) return all.comm;
  if (kind == Lane::kWait) return all.waits;
  if (frame.index.only_steps()) return {&all.steps, 1};
  return all.compute;
}

Timeline::Stretch Timeline::times_of(const Frame& frame, const Hit& hit) const {
  const SectionView& section = frame.index.section();
  if (hit.lane != Lane::kComm) {
    const SpanEvent& span = section.spans(hit.rank)[hit.event];
    return {span.start_ns, span.end_ns};
  }
  const CollectiveEvent& event = section.collectives(hit.rank)[hit.event];
  const int64_t start = event.time_started_ns != 0 ? event.time_started_ns : event.time_created_ns;
  return {start, std::max(start, event.time_completed_ns)};
}

std::optional<Timeline::Hit> Timeline::same_collective(const Frame& frame, const CollectiveEvent& event,
                                                       int rank) {
  const auto start = frame.index.start_of(event, rank);
  if (!start) return std::nullopt;
  const auto events = frame.index.section().collectives(rank);
  for (const TimelineLane& lane : frame.index.rank(rank).comm) {
    const size_t i = lane.first_starting_at(*start);
    if (i == lane.size() || lane[i].start_ns != *start) continue;
    const CollectiveEvent& found = events[lane[i].event];
    if (found.group == event.group && found.collective_seq_id == event.collective_seq_id)
      return Hit{Lane::kComm, rank, lane[i].event};
  }
  return std::nullopt;
}

// A rank's spans of the same name, unit and step, by time.
std::vector<Timeline::Hit> Timeline::like(const Frame& frame, const Hit& hit, int rank) {
  const SectionView& section = frame.index.section();
  const SpanEvent& wanted = section.spans(hit.rank)[hit.event];
  const auto spans = section.spans(rank);
  int64_t from = frame.index.first_ns(), to = frame.index.last_ns() + 1;
  const TimelineLane& steps = frame.index.rank(rank).steps;
  for (size_t low = 0, high = steps.size(); low < high;) {  // steps are numbered in their order
    const size_t middle = (low + high) / 2;
    const int64_t number = spans[steps[middle].event].step;
    if (number == wanted.step) {
      from = steps[middle].start_ns, to = steps[middle].end_ns + 1;
      break;
    }
    (number < wanted.step ? low : high) = number < wanted.step ? middle + 1 : middle;
  }
  std::vector<std::pair<int64_t, uint32_t>> found;
  for (const TimelineLane& lane : lanes_of(frame, rank, hit.lane)) {
    for (size_t i = lane.first_ending_after(from); i < lane.size() && lane[i].start_ns < to; ++i) {
      const SpanEvent& span = spans[lane[i].event];
      if (span.name == wanted.name && span.unit == wanted.unit && span.step == wanted.step)
        found.emplace_back(span.start_ns, lane[i].event);
    }
  }
  std::ranges::sort(found);
  std::vector<Hit> hits;
  for (const auto& [start, event] : found) hits.push_back({hit.lane, rank, event});
  return hits;
}

// Of spans the one with the same place in the same step: the second micro-batch's forward, say.
std::vector<Timeline::Hit> Timeline::partners_of(const Frame& frame, const Hit& hit) const {
  std::vector<Hit> partners;
  if (hit.count > 1) return partners;
  const bool comm = hit.lane == Lane::kComm;
  const std::vector<Hit> own = comm ? std::vector<Hit>{} : like(frame, hit, hit.rank);
  const auto place = std::ranges::find(own, hit.event, &Hit::event);
  for (int rank = 0; rank < frame.index.ranks(); ++rank) {
    if (rank == hit.rank) continue;
    if (comm) {
      const CollectiveEvent& event = frame.index.section().collectives(hit.rank)[hit.event];
      if (const auto same = same_collective(frame, event, rank)) partners.push_back(*same);
      continue;
    }
    const std::vector<Hit> others = like(frame, hit, rank);
    const auto nth = size_t(place - own.begin());
    if (nth < others.size()) partners.push_back(others[nth]);
  }
  return partners;
}

// By when each called, not by when the collective then began.
std::string Timeline::who_came_last(const Frame& frame, const Hit& hit,
                                    const std::vector<Hit>& partners) const {
  if (partners.empty() || hit.lane == Lane::kWait) return "";
  const SectionView& section = frame.index.section();
  const auto came = [&](const Hit& one) {
    return one.lane == Lane::kComm ? section.collectives(one.rank)[one.event].time_created_ns
                                   : section.spans(one.rank)[one.event].start_ns;
  };
  Hit first = hit, last = hit;
  for (const Hit& one : partners) {
    if (came(one) < came(first)) first = one;
    if (came(one) > came(last)) last = one;
  }
  if (first.rank == last.rank) return "";
  return "\n" + tr("rank {} came last, {} after rank {}", last.rank,
                   format_duration(double(came(last) - came(first)) * 1e-9), first.rank);
}

void Timeline::pin(const Frame& frame, const Hit& hit) {
  Pinned pinned{hit, partners_of(frame, hit), describe(frame, hit)};
  pinned.text += who_came_last(frame, hit, pinned.partners);
  pinned_ = std::move(pinned);
}

// Of one item, where it is in sight.
void Timeline::outline(const Frame& frame, const Hit& hit, float thickness) const {
  const auto [start, end] = times_of(frame, hit);
  const bool in_sight = hit.rank >= first_row_ && hit.rank < first_row_ + rows_shown(frame);
  if (hit.count > 1 || !in_sight || end < from_ || start > to_) return;
  const Bands bands = bands_of(frame, hit.rank);
  const Rect& band = hit.lane == Lane::kComm ? bands.comm : bands.compute;
  const float x0 = x_of(frame, start), x1 = std::max(x_of(frame, end), x0 + px(3));
  frame.canvas.list().AddRect({x0 - 1, band.min.y}, {x1 + 1, band.max.y}, colours().text, 0, 0,
                              px(thickness));
}

// The pinned event stays readable in the corner away from it, while it is in sight.
void Timeline::draw_pinned(const Frame& frame) {
  if (!pinned_ || look().covered) return;
  const auto [start, end] = times_of(frame, pinned_->hit);
  if (end < from_ || start > to_) return;
  const FontScope scope(Type::kLabel);
  const std::string& text = pinned_->text;
  const float most = frame.rows.width() - px(24);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str(), nullptr, false, most);
  const float width = std::min(size.x, most) + px(16), height = size.y + px(8);
  const bool on_left = start > from_ + (to_ - from_) / 2;
  const float x = on_left ? frame.rows.min.x + px(4) : frame.rows.max.x - width - px(4);
  const ImVec2 min(std::max(x, frame.rows.min.x), frame.rows.min.y + px(4)),
      max(min.x + width, min.y + height);
  if (width < px(60) || max.y > frame.canvas.rect().max.y) return;
  // A window of its own: what lies below keeps its letters, and these are above them.
  ImGui::SetNextWindowPos(min);
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_PopupBg));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(8), px(4)));
  ImGui::Begin((frame.id + ".pinned").c_str(), nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_Tooltip |
                   ImGuiWindowFlags_NoSavedSettings);
  ImGui::PushTextWrapPos(px(8) + most);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
  mark(frame.id + ".pinned", min, max);
}

}  // namespace ringside::ui
