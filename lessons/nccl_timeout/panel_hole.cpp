// The hole opens: silence as the clock sees it, then the same calls under each other, and a thread through
// each that ends where a rank never came.
#include <fmt/format.h>

#include <algorithm>

#include "names.h"
#include "panel_parts.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside::nccl_panel {
namespace {

using ui::px;
using ui::Type;

constexpr double kClock = 1.0, kSlide = 0.5, kThreads = 0.6;  // seconds, one after the other
constexpr float kSlideSeconds = 0.3f;                         // by hand, from one alignment to the other

float towards(float now, float wanted) {
  if (!ui::look().motion) return wanted;
  const float step = ImGui::GetIO().DeltaTime / kSlideSeconds;
  return now < wanted ? std::min(wanted, now + step) : std::max(wanted, now - step);
}

float part_of(double seconds, double whole) {
  return static_cast<float>(std::clamp(seconds / whole, 0.0, 1.0));
}

}  // namespace

void Lanes::open_hole() {
  by_time = false;
  opened_at_ = ui::look().motion ? ImGui::GetTime() : -1;
}

std::string_view Lanes::opening() const {
  if (opened_at_ < 0) return "";
  return waited_ < 1 ? "clock" : slide_ > 0 ? "slide" : "threads";
}

void Lanes::play(const LanesData& data) {
  const double now = ImGui::GetTime() - opened_at_;
  if (opened_at_ < 0 || by_time || now > kClock + kSlide + kThreads) {
    opened_at_ = -1;
    waited_ = 1;
    slide_ = towards(slide_, by_time ? 1.0f : 0.0f);
    threads_ = slide_ == 0 && data.only_rank < 0 ? 1.0f : 0.0f;
    return;
  }
  waited_ = part_of(now, kClock);
  slide_ = 1 - part_of(now - kClock, kSlide);
  threads_ = part_of(now - kClock - kSlide, kThreads);
}

// What the run waited, as the clock of the source's run shows it.
void Lanes::draw_clock(ImDrawList& list, const ui::Rect& rect, const LanesData& data) const {
  if (opened_at_ < 0 || waited_ >= 1) return;
  const std::string number = tr("{:.0f} s", waited_ * static_cast<float>(nccl_lesson::kSourceDeadlineS));
  int64_t longest = 0;
  for (const Hole& hole : *data.holes) longest = std::max(longest, hole.waited_ns);
  const std::string here = tr("of silence in the log, {} here",
                              waited_words(static_cast<int64_t>(waited_ * static_cast<float>(longest))));
  const float width =
      std::max(ui::text_width(Type::kNumber, number), ui::text_width(Type::kLabel, here)) + px(32);
  const float high = ui::line_height(Type::kNumber) + ui::line_height(Type::kLabel) + px(16);
  const ImVec2 middle((rect.min.x + rect.max.x) / 2, (rect.min.y + rect.max.y) / 2);
  const ui::Rect box{{middle.x - width / 2, middle.y - high / 2},
                     {middle.x + width / 2, middle.y + high / 2}};
  list.AddRectFilled(box.min, box.max, ui::colours().raised, px(3));
  const float split = box.min.y + px(6) + ui::line_height(Type::kNumber);
  ui::draw_text_in(list, {{box.min.x, box.min.y + px(6)}, {box.max.x, split}}, ui::colours().text, number,
                   Type::kNumber);
  ui::draw_text_in(list, {{box.min.x, split}, {box.max.x, box.max.y}}, ui::colours().dim, here);
  ui::mark("lanes.clock", box.min, box.max);
}

// From the first rank down, a knot at each that called it. Where one did not, the thread is cut.
void Lanes::draw_threads(ImDrawList& list, const Layout& layout, const LanesData& data) const {
  if (threads_ <= 0 || slide_ > 0 || data.only_rank >= 0 || layout.ranks.size() < 2 || data.holes->empty())
    return;
  const float height = layout.lane * static_cast<float>(layout.ranks.size());
  const float down = layout.top + height * threads_;
  for (const Block& block : layout.blocks) {
    const float column = block.rect.width() / static_cast<float>(layout.columns);
    for (int64_t seq = block.first; seq <= block.last; ++seq) {
      const auto in_it = [&](const Hole& hole) { return hole.group == block.group && hole.seq == seq; };
      const bool broken = std::any_of(data.holes->begin(), data.holes->end(),
                                      [&](const Hole& hole) { return in_it(hole) && hole.never; });
      const ImU32 colour = broken ? ui::colours().alarm : ui::colours().dim;
      const float x = block.rect.min.x + column * static_cast<float>(seq - block.first + 1) - px(8);
      float from = -1;
      for (size_t lane = 0; lane < layout.ranks.size(); ++lane) {
        const float y = layout.top + layout.lane * (static_cast<float>(lane) + 0.5f);
        const Call* call = data.index->find(layout.ranks[lane], block.group, seq);
        const bool called =
            call != nullptr && call->created_ns <= data.time_ns && !data.gone.contains(layout.ranks[lane]);
        if (called && from >= 0 && y <= down) list.AddLine({x, from}, {x, y}, colour, px(1.5f));
        if (called && y <= down) list.AddCircleFilled({x, y}, px(2.5f), colour, 12);
        from = called ? y : -1;
      }
    }
  }
  ui::mark("lanes.threads", {layout.blocks.front().rect.min.x, layout.top},
           {layout.blocks.back().rect.max.x, layout.top + height});
}

bool Lanes::is_struck(const Place& place, const LanesData& data) const {
  return std::any_of(data.struck.begin(), data.struck.end(), [&](const nccl_lesson::StruckCall& one) {
    return one.rank == place.rank && one.call == place.seq && place.group < data.index->groups().size() &&
           one.group == data.index->groups()[place.group];
  });
}

}  // namespace ringside::nccl_panel
