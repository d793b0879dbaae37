// What moves between the columns: arcs above them, one a pair of ranks.
#include <algorithm>
#include <cmath>
#include <map>

#include "ringside/lesson/tr.h"
#include "ringside/widgets/block_columns.h"

namespace ringside::ui {
namespace {

struct Arc {
  ImVec2 from, top, to;
  ImVec2 at(float t) const {
    const float u = 1 - t;
    return {u * u * from.x + 2 * u * t * top.x + t * t * to.x,
            u * u * from.y + 2 * u * t * top.y + t * t * to.y};
  }
};

// Three strokes that meet at the rank where parts are summed, or part from where they are sent out.
void fan(ImDrawList& list, ImVec2 foot, bool inwards, ImU32 colour) {
  const float reach = px(5), height = px(7);
  for (int i = -1; i <= 1; ++i) {
    const float x = foot.x + reach * float(i);
    if (inwards)
      list.AddLine({x, foot.y - height}, foot, colour, px(1));
    else
      list.AddLine(foot, {x, foot.y - height}, colour, px(1));
  }
  if (!inwards) list.AddCircleFilled(foot, px(2), colour, 8);
  if (inwards)
    list.AddTriangleFilled({foot.x - px(3), foot.y - px(3)}, {foot.x + px(3), foot.y - px(3)}, foot, colour);
}

// What "AR b0" stands for.
std::string words_of(const Flight& flight) {
  std::string name(to_string(flight.op));
  std::ranges::replace(name, '_', '-');
  std::string text = std::string(code_of(flight.op)) + ": " + name;
  if (!flight.tag.empty()) text += " of " + flight.tag;
  if (!flight.label.empty()) text += ", " + flight.label;
  return flight.waiting ? tr("{}. It waits for the other ranks.", text) : text + ".";
}

bool gathers(Op op) { return op == Op::kAllGather || op == Op::kBroadcast; }

}  // namespace

void BlockColumns::draw_flights(ImDrawList& list, const Layout& layout,
                                const std::vector<Flight>& flights) const {
  if (layout.band.height() < px(40) || ranks_ == 0) return;
  const float line = line_height(), base = layout.band.max.y - line - px(2);
  const float room = base - layout.band.min.y - px(6);
  const auto middle = [&](int rank) {
    const Rect column = layout.column_of(std::clamp(rank, 0, ranks_ - 1));
    return (column.min.x + column.max.x) / 2;
  };
  const auto arc = [&](const Flight& flight) {
    const float from = middle(flight.from), to = middle(flight.to);
    const float far = std::abs(float(flight.to - flight.from)) / float(std::max(ranks_ - 1, 1));
    // The middle of a quadratic curve is half as high as its control point.
    return Arc{{from, base}, {(from + to) / 2, base - 2 * room * (0.3f + 0.7f * far)}, {to, base}};
  };
  const bool crowded = flights.size() > 16;
  for (const Flight& flight : flights) {
    if (flight.from == flight.to) continue;
    const Arc a = arc(flight);
    list.AddBezierQuadratic(a.from, a.top, a.to, fade(colour_of_tag(flight.tag), crowded ? 0.75f : 0.55f),
                            px(1), 16);
  }
  std::map<int, const Flight*> labels;  // what each rank's column is busy with: under way before waiting
  for (const Flight& flight : flights) {
    const int rank = flight.op == Op::kSend ? flight.from : flight.to;
    const auto [at, is_new] = labels.try_emplace(rank, &flight);
    if (!is_new && at->second->waiting && !flight.waiting) at->second = &flight;
    if (flight.from == flight.to) continue;
    const ImVec2 p = arc(flight).at(std::clamp(flight.progress, 0.0f, 1.0f));
    const float half = crowded ? px(3) : px(5);
    list.AddRectFilled({p.x - half, p.y - half}, {p.x + half, p.y + half}, colour_of_tag(flight.tag),
                       crowded ? 0 : px(2));
  }
  for (const auto& [rank, flight] : labels) {
    const float x = middle(rank), width = layout.slot - px(6);
    if (flight->waiting) {
      list.AddRect({x - px(5), base - px(10)}, {x + px(5), base}, colour_of_tag(flight->tag), px(2), 0,
                   px(1));
    } else {
      fan(list, {x, base}, !gathers(flight->op), colour_of_tag(flight->tag));
    }
    const std::string code(code_of(flight->op)),
        with = code + (flight->label.empty() ? "" : " ") + flight->label;
    const std::string& text = text_width(with) <= width ? with : code;
    const float wide = text_width(text);
    if (wide > width) continue;
    const Rect place{{x - wide / 2, layout.band.max.y - line}, {x + wide / 2, layout.band.max.y}};
    draw_text(list, place.min, flight->waiting ? colours().dim : colours().text, text);
    if (ImGui::IsWindowHovered() && place.contains(ImGui::GetIO().MousePos)) note(words_of(*flight));
  }
}

}  // namespace ringside::ui
