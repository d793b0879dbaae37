#include <algorithm>
#include <cmath>

#include "figure_lines.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside {
namespace {

using ui::Key;
using ui::px;
using ui::Type;

constexpr double kStep = 1.25;  // of zoom, a notch of the wheel or a key
constexpr double kPan = 0.1;    // of the view, an arrow key

}  // namespace

void LinesDrawing::act() {
  const ui::Rect& plot = area_.rect;
  const ImGuiIO& io = ImGui::GetIO();
  // With the numbers at the left: the wheel zooms y there.
  ImGui::SetCursorScreenPos({all_.min.x, plot.min.y});
  if (frame_->focus) ui::focus_next_item();
  ImGui::InvisibleButton("plot", {std::max(all_.width(), 1.0f), std::max(plot.height(), 1.0f)});
  ui::mark(frame_->id, plot.min, plot.max);
  const bool over = ImGui::IsItemHovered();
  inside_ = over && plot.contains(io.MousePos);
  mouse_x_ = area_.x_at(io.MousePos.x);
  if (over) {
    ui::keep_wheel();
    if (io.MouseWheel != 0) {
      const bool along_x = inside_ && !io.KeyShift;
      const double centre = along_x ? (io.MousePos.x - plot.min.x) / std::max(plot.width(), 1.0f)
                                    : (plot.max.y - io.MousePos.y) / std::max(plot.height(), 1.0f);
      zoom(along_x, std::pow(kStep, -io.MouseWheel), centre);
    }
    if (ImGui::IsMouseDoubleClicked(0)) fit();
  }
  drag();
  if (over && !io.WantTextInput) {
    if (ui::pressed({Key::kL})) log_y_ = !log_y_, view_y_.reset();
    if (axis_x_.log && ui::pressed({Key::kL, false, true})) log_x_ = !log_x_, view_x_.reset();
  }
  if (!ImGui::IsItemFocused()) return;
  if (io.NavVisible)
    list_->AddRect({plot.min.x - px(1), plot.min.y - px(1)}, {plot.max.x, plot.max.y}, ui::colours().accent);
  keyboard();
}

// The cursor where the press was on it, else the view. Up and down only where y was zoomed: a hand that
// drags sideways does not keep its height.
void LinesDrawing::drag() {
  const ui::Rect& plot = area_.rect;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double cursor = frame_->cursor_x ? area_.column(*frame_->cursor_x) : NAN;
  const bool on_cursor = std::abs(cursor - mouse.x) <= px(6);
  if (inside_ && on_cursor) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (ImGui::IsItemActivated()) {
    dragging_cursor_ = on_cursor;
    last_mouse_ = mouse;
  }
  if (!ImGui::IsItemActive()) return;
  if (dragging_cursor_) {
    frame_->drawn.dragged = area_.x_at(std::clamp(mouse.x, plot.min.x, plot.max.x));
  } else if (mouse.x != last_mouse_.x || mouse.y != last_mouse_.y) {
    const double dy = (mouse.y - last_mouse_.y) / std::max(plot.height(), 1.0f);
    pan((last_mouse_.x - mouse.x) / std::max(plot.width(), 1.0f), view_y_ ? dy : 0);
  }
  last_mouse_ = mouse;
}

void LinesDrawing::keyboard() {
  if (ui::pressed({Key::kEqual}, true) || ui::pressed({Key::kEqual, false, true}, true))
    zoom(true, 1 / kStep, 0.5);
  if (ui::pressed({Key::kMinus}, true)) zoom(true, kStep, 0.5);
  if (ui::pressed({Key::k0})) fit();
  const KeySteps keys = arrow_keys();
  if (!keys) return;
  ui::keep_arrows();
  pan(kPan * keys.right, -kPan * keys.down);
}

void LinesDrawing::zoom(bool along_x, double factor, double centre) {
  const figure::Range& range = along_x ? area_.x : area_.y;
  const bool log = along_x ? log_x_ : log_y_;
  const double low = centre - centre * factor, high = centre + (1 - centre) * factor;
  (along_x ? view_x_ : view_y_) =
      figure::usable({figure::value_at(low, range, log), figure::value_at(high, range, log)}, log);
}

void LinesDrawing::pan(double dx, double dy) {
  const auto moved = [](const figure::Range& range, double by, bool log) {
    return figure::usable({figure::value_at(by, range, log), figure::value_at(1 + by, range, log)}, log);
  };
  if (dx != 0) view_x_ = moved(area_.x, dx, log_x_);
  if (dy != 0) view_y_ = moved(area_.y, dy, log_y_);
}

// What each line says of the place below the mouse.
void LinesDrawing::readout() {
  struct Row {
    const DrawnLine* series;
    std::string name, value;
  };
  std::vector<Row> rows;
  float names = 0;
  const double step_x = figure::round_step(area_.x.span(), 100, x_unit_);
  const double step_y = figure::round_step(area_.y.span(), 200, y_unit_);
  std::optional<double> at;  // of the nearest point, where all series share it
  bool shared = true;
  for (const DrawnLine& series : series_) {
    if (is_hidden(series)) continue;
    const auto p = nearest_point(series.points, mouse_x_);
    const double step = log_y_ && p ? std::abs(p->y) / 100 : step_y;
    rows.push_back(
        {&series, ui::elide(series.name, px(180)), p ? figure::format_value(p->y, y_unit_, step) : "—"});
    names = std::max(names, ui::text_width(rows.back().name));
    if (!p) continue;
    shared = shared && (!at || *at == p->x);
    at = p->x;
    const ImVec2 dot(float(area_.column(p->x)), float(area_.row(p->y)));
    if (!area_.rect.contains(dot)) continue;
    list_->AddCircleFilled(dot, px(4), colour_of(series), 16);
    list_->AddCircle(dot, px(4), ui::colours().text, 16, px(1));
  }
  const ui::FontScope scope(Type::kLabel);
  ImGui::BeginTooltip();
  const std::string x = figure::format_value(shared && at ? *at : mouse_x_, x_unit_, step_x);
  ImGui::TextUnformatted(((axis_x_.name.empty() ? "" : axis_x_.name + " ") + x).c_str());
  for (const Row& row : rows) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    draw_sample(*ImGui::GetWindowDrawList(), {corner, {corner.x + px(20), corner.y + ui::line_height()}},
                *row.series);
    ImGui::Dummy({px(20), ui::line_height()});
    ImGui::SameLine(0, px(4));
    ImGui::TextUnformatted(row.name.c_str());
    ImGui::SameLine(names + px(20 + 24));
    ImGui::TextUnformatted(row.value.c_str());
  }
  ImGui::EndTooltip();
}

}  // namespace ringside
