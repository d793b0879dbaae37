#include "ringside/panel/live_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "live_words.h"
#include "ringside/figures/instant.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside {

using ui::px;

namespace {

constexpr size_t kInstants = 96;  // of the sparkline
constexpr int kRanksOfRow = 9;    // that can be chosen

int ranks_in_row(int ranks) { return ranks > kRanksOfRow ? (ranks + 1) / 2 : ranks; }

bool is_recorded(const SectionView& section) {
  for (int rank = 0; rank < section.ranks(); ++rank) {
    if (!section.collectives(rank).empty() || !section.messages(rank).empty() ||
        !section.scalars(rank).empty())
      return true;
    for (const Category category : kCategories)
      if (!section.memory(rank, category).empty()) return true;
  }
  return false;
}

}  // namespace

// ---- Which instant ------------------------------------------------------------------------

// The section watched. While a run is followed and nothing is hidden, the one that runs now: that one may be
// long over. Where it keeps, sends and says nothing, the newest one that does, at its end.
LivePanel::At LivePanel::at(View& view, Panel& panel) const {
  const At watched{view.section, view.playhead.time_ns};
  const bool hides = view.open != nullptr && !view.open->empty();
  const bool follows = view.running && view.playhead.follow && !hides;
  if (!follows && (view.section == nullptr || is_recorded(*view.section))) return watched;
  const auto& sections = view.trace.sections();
  for (auto section = sections.rbegin(); section != sections.rend(); ++section) {
    if (!is_recorded(*section) || !panel.worth_watching(section->name()) ||
        !panel.offers(view, section->name()))
      continue;
    const bool same = view.section != nullptr && section->name() == view.section->name();
    return same ? watched : At{&*section, time_range(*section).last};
  }
  return watched;
}

LivePanel::Lines LivePanel::lines_at(const View& view, const Config& config, const Trace& trace,
                                     const At& at) const {
  try {
    if (view.lesson.live) return view.lesson.live({config, trace, at.section, at.time_ns});
  } catch (const std::exception&) {  // of a trace that was cut short
  }
  return {};
}

LivePanel::Gauges LivePanel::gauges_at(const View& view, const Config& config, const Trace& trace,
                                       const At& at) const {
  Gauges gauges;
  try {
    for (const Gauge& gauge : view.lesson.gauges)
      gauges.push_back(gauge.value({config, trace, at.section, at.time_ns}));
  } catch (const std::exception&) {  // likewise
  }
  gauges.resize(view.lesson.gauges.size());
  return gauges;
}

void LivePanel::update_pinned(const View& view) {
  const std::string of = view.pinned == nullptr ? "" : pinned_id(*view.pinned);
  if (of == pinned_.of) return;
  pinned_ = {};
  const SectionView* section = of.empty() ? nullptr : view.pinned->trace.find(view.pinned->section);
  if (section == nullptr) return;
  pinned_.of = of;
  pinned_.index.update(view.pinned->trace, *section, 0);
  pinned_.gauges = gauges_at(view, *view.pinned->config, view.pinned->trace, {section, view.pinned->time_ns});
}

// An open question of this section: about memory where it is answered by blocks, else about what is sent.
bool LivePanel::hides(const View& view, const char* part) const {
  if (view.section == nullptr) return false;
  return std::ranges::any_of(view.lesson.predictions, [&](const PredictionSpec& spec) {
    const bool of_memory = static_cast<bool>(spec.blocks);
    return spec.section == view.section->name() && of_memory == (part == std::string_view(kMemoryPart)) &&
           view.hides(spec.id);
  });
}

// The figure that says so in its block, or a picture of that name.
std::string LivePanel::picture_of(const View& view, const std::string& key) const {
  for (const FigureSpec& spec : view.lesson.figures)
    if (std::ranges::find(spec.live, key) != spec.live.end()) return spec.id;
  return std::ranges::find(pictures_, key) != pictures_.end() ? key : "";
}

// While a run goes on, what is said is made anew some times a second: nobody reads faster, and the ranks have
// the rest of the time.
bool LivePanel::is_fresh(const View& view, ImVec2 room) const {
  constexpr double kSeconds = 0.1;
  return view.running && view.run == told_.run && rank_ == told_.rank && room.x == told_.room.x &&
         room.y == told_.room.y && std::abs(view.seconds - told_.seconds) < kSeconds;
}

void LivePanel::tell(View& view, Panel& panel) {
  state_.clear(), pieces_.clear(), part_.clear(), pictures_.clear();
  for (PictureTab& tab : panel.pictures()) pictures_.push_back(std::move(tab.id));
  const At now = at(view, panel);
  if (now.section == nullptr) return;
  index_.update(view.trace, *now.section, view.run);
  refresh(mark_, view.trace, view.run);
  const std::string& name = now.section->name();
  const InputMark of{mark_, std::hash<std::string>()(name), name, now.time_ns};
  lines_.get(of, view.seconds, view.running, [&] { return lines_at(view, view.config, view.trace, now); });
  gauges_.get(
      of, view.seconds, view.running, [&] { return gauges_at(view, view.config, view.trace, now); },
      kSlowPause);
  update_pinned(view);
  rank_ = std::clamp(rank_, 0, std::max(0, index_.ranks() - 1));
  if (!view.section || now.section->name() != view.section->name())
    remark(tr("section: {}", now.section->name()), 60);
  if (index_.ranks() == 0) return;
  memory(view, now.time_ns);
  traffic(view, now.time_ns, panel.timeline_closed(view));
  results(view, now.time_ns);
}

std::string LivePanel::draw(View& view, Panel& panel) {
  clicked_.clear();
  view_ = &view;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (!is_fresh(view, room)) {
    tell(view, panel);
    fit(room.y);
    told_ = {view.run, rank_, room, view.seconds};
  }
  for (const Piece& piece : pieces_)
    if (!piece.left_out) piece.draw();
  return clicked_;
}

// ---- Memory -------------------------------------------------------------------------------

// Which rank memory and traffic are of.
void LivePanel::rank_choice() {
  if (index_.ranks() < 2 || index_.ranks() > 16) return;
  std::vector<std::string> names;
  for (int rank = 0; rank < index_.ranks(); ++rank) names.push_back(index_.name_of(rank));
  const auto rows = float((index_.ranks() - 1) / ranks_in_row(index_.ranks()) + 1);
  add(rows * (ui::line_height() + px(7)), kAlways, "", [this, names] { choose_rank(names); });
}

// names: (rank)
void LivePanel::choose_rank(const std::vector<std::string>& names) {
  const ui::FontScope font(ui::Type::kLabel);
  const int ranks = int(names.size()), in_row = ranks_in_row(ranks);
  for (int first = 0; first < ranks; first += in_row) {
    const int end = std::min(ranks, first + in_row);
    std::vector<std::string> numbers;
    for (int rank = first; rank < end; ++rank) numbers.push_back(std::to_string(rank));
    ImGui::PushID(first);
    int chosen = rank_ - first;
    if (ui::choice_row("live.rank", numbers, chosen, ImGui::GetContentRegionAvail().x,
                       {names.begin() + first, names.begin() + end}))
      rank_ = first + chosen;
    ImGui::PopID();
  }
}

void LivePanel::memory(const View& view, int64_t time_ns) {
  const bool shows = index_.has_memory() || has_lines(LivePart::kMemory);
  if (shows || index_.has_traffic()) rank_choice();
  if (!shows) return;
  const figure::LiveMemory memory = index_.memory(rank_, time_ns);
  if (hides(view, kMemoryPart)) {
    begin(kMemoryPart, "");
    return remark(tr("What a rank keeps: guess first."));
  }
  if (!index_.has_memory()) {
    begin(kMemoryPart, "");
    return declared(view, LivePart::kMemory);
  }
  begin(kMemoryPart, index_.name_of(rank_));
  std::optional<figure::LiveMemory> before;
  if (has_pinned(rank_)) before = pinned_.index.memory(rank_, view.pinned->time_ns);
  kinds(memory, before ? &*before : nullptr);
  spark(view, time_ns, memory.highest);
  declared(view, LivePart::kMemory);
}

void LivePanel::kinds(const figure::LiveMemory& memory, const figure::LiveMemory* pinned) {
  const auto pin = [&](int64_t figure::LiveMemory::*member) {
    return pinned == nullptr ? "" : bytes_text(pinned->*member);
  };
  for (const Category category : kCategories) {
    const int64_t bytes = memory.kinds[size_t(category)];
    const int64_t before = pinned == nullptr ? 0 : pinned->kinds[size_t(category)];
    if (bytes == 0 && before == 0 && category > Category::kActivations) continue;
    line({std::string(to_string(category)), bytes_text(bytes), pinned == nullptr ? "" : bytes_text(before),
          "", ui::colour_of(category), "",
          bytes == 0 && before == 0        ? 10
          : category >= Category::kBuffers ? 25
                                           : 80});
  }
  line({tr("all, peak so far {}", bytes_text(memory.peak)), bytes_text(memory.total),
        pin(&figure::LiveMemory::total), "", 0, "all"});
  if (index_.ranks() > 1)
    line({tr("highest peak: {}", index_.name_of(memory.highest_rank)), bytes_text(memory.highest),
          pin(&figure::LiveMemory::highest), "", 0, "highest", 40});
}

// What the rank held over the section so far; the line is the instant.
void LivePanel::spark(const View& view, int64_t time_ns, int64_t most) {
  const TimeRange range = time_range(*index_.section());
  const std::string of = fmt::format("{} {} {}", view.run, rank_, index_.events_of(rank_));
  if (of != spark_.of) spark_.totals = index_.spark(rank_, range.first, range.last, kInstants);
  spark_.of = of;
  const double part = range.length() > 0 ? double(time_ns - range.first) / double(range.length()) : 1;
  add(px(25), 50, "", [this, most, part] { draw_spark(most, part); });
}

void LivePanel::draw_spark(int64_t most, double part) {
  const ImVec2 at = ImGui::GetCursorScreenPos(), size{ImGui::GetContentRegionAvail().x, px(24)};
  const auto like = float(std::max({int64_t{1}, most, *std::ranges::max_element(spark_.totals)}));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::vector<ImVec2> points;
  for (size_t i = 0; i < kInstants; ++i)
    points.emplace_back(at.x + size.x * float(i) / (kInstants - 1),
                        at.y + size.y * (1 - float(spark_.totals[i]) / like));
  list.AddPolyline(points.data(), int(points.size()), ui::colours().text, 0, px(1));
  const float x = at.x + size.x * float(std::clamp(part, 0.0, 1.0));
  list.AddLine({x, at.y}, {x, at.y + size.y}, ui::colours().accent, px(1));
  ImGui::Dummy(size);
  ui::mark("live.spark");
}

// ---- Traffic ------------------------------------------------------------------------------

namespace {

// What this step has not sent goes first, then what is little of it.
int worth_of(const figure::LiveSent& kind, const figure::LiveTraffic& traffic) {
  if (kind.calls == 0) return 12;
  return kind.bytes * 100 < traffic.sent ? 20 : 70;
}

}  // namespace

void LivePanel::traffic(const View& view, int64_t time_ns, const std::string& closed) {
  const bool lines = has_lines(LivePart::kTraffic);
  if (!index_.has_traffic() && !lines) return;
  const figure::LiveTraffic now = index_.traffic(rank_, time_ns);
  begin(kTrafficPart, !index_.has_traffic() ? ""
                      : now.step            ? tr("{}, step {}", index_.name_of(rank_), *now.step)
                                            : tr("{}, so far", index_.name_of(rank_)));
  if (hides(view, kTrafficPart)) return remark(tr("What a step sends: guess first."));
  if (!closed.empty()) {  // how long, and not who
    if (!now.waits.empty()) remark(waited_words(now.waits.front()), kAlways, false);
    return remark(closed);
  }
  if (index_.has_traffic()) {
    std::optional<figure::LiveTraffic> before;
    if (has_pinned(rank_)) before = pinned_.index.traffic(rank_, view.pinned->time_ns);
    for (const figure::LiveSent& kind : now.kinds) {
      if (kind.all_bytes == 0) continue;
      const figure::LiveSent* same = before ? find_kind(*before, kind) : nullptr;
      line({kind_words(kind), sent_words(kind), before ? bytes_text(same == nullptr ? 0 : same->bytes) : "",
            tr("since the section began: {} calls, {}", kind.all_calls, bytes_text(kind.all_bytes)),
            ui::colour_of_tag(kind.carried), "", worth_of(kind, now)});
    }
    line({tr("sent, of {} by all", bytes_text(now.wire)), bytes_text(now.sent),
          before ? bytes_text(before->sent) : "", "", 0, "sent"});
    waits(now);
  }
  declared(view, LivePart::kTraffic);
}

void LivePanel::waits(const figure::LiveTraffic& traffic) {
  const auto names = [&](int rank) { return index_.name_of(rank); };
  if (traffic.waits.empty()) return line({tr("nobody waits"), "", "", "", 0, "", 15});
  for (const figure::LiveWait& wait : traffic.waits) remark(wait_words(wait, names), kAlways, false);
  state_["waits"] = wait_words(traffic.waits.front(), names);
}

}  // namespace ringside
