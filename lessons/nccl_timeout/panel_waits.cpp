// Who waits in what for whom, as nodes and arrows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "names.h"
#include "panel_parts.h"
#include "ringside/widgets/items.h"

namespace ringside::nccl_panel {
namespace {

using ui::px;

std::string node_words(const std::set<int>& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ","));
}

// One arrow and the node it leads to, in a row or at the beginning of the next.
class Chain {
 public:
  Chain() : list_(*ImGui::GetWindowDrawList()), start_(ImGui::GetCursorScreenPos()), at_(start_) {
    width_ = ImGui::GetContentRegionAvail().x;
    height_ = ui::line_height(ui::Type::kBody) + px(8);
  }
  void node(const std::string& text) {
    const float wide = std::min(ui::text_width(ui::Type::kBody, text) + px(16), width_);
    const ui::Rect box{at_, {at_.x + wide, at_.y + height_}};
    list_.AddRectFilled(box.min, box.max, ui::colours().raised, px(3));
    list_.AddRect(box.min, box.max, ui::colours().dim, px(3));
    ui::draw_text_in(list_, {{box.min.x + px(4), box.min.y}, {box.max.x - px(4), box.max.y}},
                     ui::colours().text, text, ui::Type::kBody);
    at_.x = box.max.x;
    furthest_ = std::max(furthest_, at_.x);
  }
  void arrow_to(const std::string& label, const std::string& next) {
    const float label_width = ui::text_width(ui::Type::kLabel, label);
    const float arrow = label_width + px(40);
    const float node = ui::text_width(ui::Type::kBody, next) + px(16);
    if (at_.x + arrow + node > start_.x + width_) at_ = {start_.x, at_.y + height_ + px(6)};
    const float y = at_.y + height_ / 2, right = at_.x + arrow - px(3);
    const float label_left = at_.x + px(16);
    list_.AddLine({at_.x + px(3), y}, {label_left - px(3), y}, ui::colours().dim, px(1));
    ui::draw_text(list_, {label_left, y - ui::line_height(ui::Type::kLabel) / 2}, ui::colours().text, label);
    ui::arrow(list_, {label_left + label_width + px(3), y}, {right, y}, ui::colours().dim);
    at_.x += arrow;
    this->node(next);
  }
  ~Chain() {
    const ImVec2 end(furthest_, at_.y + height_);
    ImGui::Dummy({end.x - start_.x, end.y - start_.y});
    ui::mark("waits", start_, end);
  }

 private:
  ImDrawList& list_;
  ImVec2 start_, at_;
  float width_, height_, furthest_ = 0;
};

}  // namespace

std::vector<Edge> waits_of(const SectionView& section) {
  std::vector<Edge> edges;
  for (const nccl_lesson::RankWait& row : rows_as<nccl_lesson::RankWait>(section)) {
    const std::string in = fmt::format("{} #{}", row.group, row.call);
    if (edges.empty() || edges.back().in != in) edges.push_back({{}, in, {}});
    edges.back().from.insert(static_cast<int>(row.rank));
    edges.back().on.insert(static_cast<int>(row.for_rank));
  }
  return edges;
}

std::string text_of(const std::vector<Edge>& edges) {
  if (edges.empty()) return "";
  std::string text = fmt::format("{}", fmt::join(edges.front().from, ","));
  for (const Edge& edge : edges) text += fmt::format(" ─{}─▸ {}", edge.in, fmt::join(edge.on, ","));
  return text;
}

void draw_waits(const std::vector<Edge>& edges) {
  if (edges.empty()) return;
  Chain chain;
  chain.node(node_words(edges.front().from));
  for (const Edge& edge : edges) chain.arrow_to(edge.in, node_words(edge.on));
}

}  // namespace ringside::nccl_panel
