// What the mouse and the keys do to a plot, and what it tells of the place below the mouse.
#include <algorithm>
#include <cmath>
#include <utility>

#include "attention.h"
#include "line_plot_frame.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::ui {
namespace {

constexpr double kStep = 1.25;  // of zoom, a notch of the wheel or a key
constexpr double kPan = 0.1;    // of the view, an arrow key

}  // namespace

void LinePlot::act(Frame& f) {
  const Rect& plot = f.area.rect;
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetCursorScreenPos(
      {f.all.min.x, plot.min.y});  // with the numbers at the left: the wheel zooms y there
  if (std::exchange(focus_next_, false)) focus_next_item();
  ImGui::InvisibleButton("plot", {std::max(f.all.max.x - f.all.min.x, 1.0f), std::max(plot.height(), 1.0f)});
  mark(f.id, plot.min, plot.max);
  const bool over = ImGui::IsItemHovered();
  f.drawn.hovered = over && plot.contains(io.MousePos);
  f.drawn.x = f.area.x_at(io.MousePos.x);
  if (over) {
    keep_wheel();
    if (io.MouseWheel != 0) {
      const bool along_x = f.drawn.hovered && !io.KeyShift;
      const double centre = along_x ? (io.MousePos.x - plot.min.x) / std::max(plot.width(), 1.0f)
                                    : (plot.max.y - io.MousePos.y) / std::max(plot.height(), 1.0f);
      zoom(along_x, std::pow(kStep, -io.MouseWheel), centre);
    }
    if (ImGui::IsMouseDoubleClicked(0)) fit();
  }
  drag(f);
  if (over && !io.WantTextInput) {
    if (f.options.can_log_y && pressed({Key::kL})) log_y = !log_y, view_y_.reset();
    if (f.options.can_log_x && pressed({Key::kL, false, true})) log_x = !log_x, view_x_.reset();
  }
  if (!ImGui::IsItemFocused()) return;
  if (io.NavVisible)
    f.list->AddRect({plot.min.x - px(1), plot.min.y - px(1)}, {plot.max.x, plot.max.y}, colours().accent);
  keyboard(f);
}

// The cursor where the press was on it, else the view. Up and down only where y was zoomed: a hand that
// drags sideways does not keep its height.
void LinePlot::drag(Frame& f) {
  const Rect& plot = f.area.rect;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double cursor = f.options.cursor ? f.area.column(*f.options.cursor) : NAN;
  const bool on_cursor = std::abs(cursor - mouse.x) <= px(6);
  if (f.drawn.hovered && on_cursor) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (ImGui::IsItemActivated()) {
    dragging_cursor_ = on_cursor;
    last_mouse_ = mouse;
  }
  if (!ImGui::IsItemActive()) return;
  if (dragging_cursor_) {
    f.drawn.dragged = f.area.x_at(std::clamp(mouse.x, plot.min.x, plot.max.x));
  } else if (mouse.x != last_mouse_.x || mouse.y != last_mouse_.y) {
    const double dy = (mouse.y - last_mouse_.y) / std::max(plot.height(), 1.0f);
    pan((last_mouse_.x - mouse.x) / std::max(plot.width(), 1.0f), view_y_ ? dy : 0);
  }
  last_mouse_ = mouse;
}

void LinePlot::keyboard(Frame& f) {
  if (pressed({Key::kEqual}, true) || pressed({Key::kEqual, false, true}, true)) zoom(true, 1 / kStep, 0.5);
  if (pressed({Key::kMinus}, true)) zoom(true, kStep, 0.5);
  if (pressed({Key::k0})) fit();
  const double right = pressed({Key::kRight}, true) - pressed({Key::kLeft}, true);
  const double up = pressed({Key::kUp}, true) - pressed({Key::kDown}, true);
  if (right == 0 && up == 0) return;
  keep_arrows();
  pan(kPan * right, kPan * up);
}

void LinePlot::zoom(bool along_x, double factor, double centre) {
  const Range& range = along_x ? x_ : y_;
  const bool log = along_x ? log_x : log_y;
  const double low = centre - centre * factor, high = centre + (1 - centre) * factor;
  (along_x ? view_x_ : view_y_) = usable({value_at(low, range, log), value_at(high, range, log)}, log);
}

void LinePlot::pan(double dx, double dy) {
  if (dx != 0) view_x_ = usable({value_at(dx, x_, log_x), value_at(1 + dx, x_, log_x)}, log_x);
  if (dy != 0) view_y_ = usable({value_at(dy, y_, log_y), value_at(1 + dy, y_, log_y)}, log_y);
}

void LinePlot::readout(Frame& f) {
  struct Row {
    const Series* series;
    std::string name, value;
  };
  std::vector<Row> rows;
  float names = 0;
  const double step_x = round_step(x_.span(), 100, f.options.x_unit);
  const double step_y = round_step(y_.span(), 200, f.options.y_unit);
  std::optional<double> at;  // of the nearest point, where all series share it
  bool shared = true;
  for (size_t i = 0; i < f.series.size(); ++i) {
    if (hidden.contains(f.series[i].name)) continue;
    const auto p = nearest_point(f.series[i].points, f.drawn.x);
    const double step = log_y && p ? std::abs(p->y) / 100 : step_y;
    rows.push_back({&f.series[i], elide(f.series[i].name, px(180), Type::kLabel),
                    p ? format_value(p->y, f.options.y_unit, step) : "—"});
    names = std::max(names, text_width(Type::kLabel, rows.back().name));
    if (!p) continue;
    shared = shared && (!at || *at == p->x);
    at = p->x;
    const float x = static_cast<float>(f.area.column(p->x)), y = static_cast<float>(f.area.row(p->y));
    if (!f.area.rect.contains({x, y})) continue;
    f.list->AddCircleFilled({x, y}, px(4), colour_of(f.series[i]), 16);
    f.list->AddCircle({x, y}, px(4), colours().text, 16, px(1));
  }
  const FontScope scope(Type::kLabel);
  ImGui::BeginTooltip();
  const std::string x = format_value(shared && at ? *at : f.drawn.x, f.options.x_unit, step_x);
  ImGui::TextUnformatted(((f.options.x_name.empty() ? "" : f.options.x_name + " ") + x).c_str());
  for (const Row& row : rows) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    draw_sample(*ImGui::GetWindowDrawList(),
                {corner, {corner.x + px(20), corner.y + line_height(Type::kLabel)}}, *row.series);
    ImGui::Dummy({px(20), line_height(Type::kLabel)});
    ImGui::SameLine(0, px(4));
    ImGui::TextUnformatted(row.name.c_str());
    ImGui::SameLine(names + px(20 + 24));
    ImGui::TextUnformatted(row.value.c_str());
  }
  ImGui::EndTooltip();
}

}  // namespace ringside::ui
