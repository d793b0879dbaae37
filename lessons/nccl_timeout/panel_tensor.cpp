// The first guess of everybody: the number is a tensor of hidden states. It never is.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "names.h"
#include "panel_pictures.h"
#include "ringside/base/units.h"
#include "ringside/widgets/canvas.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::nccl_panel {
namespace {

using ui::px;
using ui::Type;

constexpr int kMostBatch = 64, kMostLength = 8192, kMostRanks = 8;

int64_t hidden_of(const View& view) {
  for (const char* name : {"plan 7B", "plan here"}) {
    const SectionView* plan = view.trace.find(name);
    if (plan == nullptr) continue;
    const auto hidden = number_in(*plan, "hidden");
    if (hidden && *hidden >= 1) return static_cast<int64_t>(*hidden);
  }
  return 0;
}

const char* parity(int64_t n) { return n % 2 == 0 ? "even" : "odd"; }

void slider(const char* name, const char* format, int& value, int most, float width) {
  ImGui::SetNextItemWidth(width);
  ImGui::SliderInt((std::string("##") + name).c_str(), &value, 1, most, format, ImGuiSliderFlags_AlwaysClamp);
  ui::mark(std::string("tensor.") + name);
}

struct Miss {
  int64_t length, by;
  bool too_small;
};
// The length whose product comes nearest, of `step` elements a token.
Miss nearest(int64_t logged, int64_t step) {
  const int64_t below = logged / step, down = logged - below * step, up = step - down;
  return down <= up ? Miss{below, down, true} : Miss{below + 1, up, false};
}

}  // namespace

void TensorPicture::sliders() {
  const float gap = px(8), width = std::min((ImGui::GetContentRegionAvail().x - 2 * gap) / 3, px(320));
  slider("batch", "batch B = %d", batch_, kMostBatch, width);
  ImGui::SameLine(0, gap);
  slider("length", "length T = %d", length_, kMostLength, width);
  ImGui::SameLine(0, gap);
  slider("ranks", "ranks N = %d", ranks_, kMostRanks, width);
}

void TensorPicture::figures(int64_t hidden, int64_t logged) {
  const int64_t product = int64_t{batch_} * length_ * hidden, all = product * ranks_;
  difference_ = logged - product;
  const int64_t difference_all = logged - all;
  ui::paragraph(fmt::format("B · T · H = {} · {} · {} = {}     × {} ranks = {}", batch_, length_, hidden,
                            format_count(product), ranks_, format_count(all)));
  {
    const ui::FontScope font(Type::kNumber);
    ImGui::TextUnformatted(format_count(difference_).c_str());
    ui::mark("tensor.difference");
  }
  const std::string off = fmt::format("from the logged {}; × {} ranks: {}", format_count(logged), ranks_,
                                      format_count(difference_all));
  ui::beside(ui::text_width(Type::kLabel, off));
  ui::paragraph(off, ui::colours().dim, Type::kLabel);
  const int64_t rest = logged % hidden;
  if (rest == 0)
    ui::paragraph(fmt::format("{} divides it: such a tensor could be it.", hidden), Type::kBold);
  else
    ui::paragraph(fmt::format("Never: {} mod {} = {}, whatever B, T and N.{}", format_count(logged), hidden,
                              format_count(rest),
                              logged % 2 != 0 && hidden % 2 == 0
                                  ? fmt::format(" One look does: it is {}, a multiple of {} is {}.",
                                                parity(logged), hidden, parity(hidden))
                                  : ""),
                  Type::kBold);
}

// The numbers that B·T·H can be, around the logged one, for this batch.
void TensorPicture::line(ImVec2 size, int64_t hidden, int64_t logged) {
  const ui::Canvas canvas("tensor", size, focus_next_);
  focus_next_ = false;
  ImDrawList& list = canvas.list();
  const ui::Rect& r = canvas.rect();
  const float text = ui::line_height(Type::kLabel);
  const int64_t step = hidden * batch_, below = logged / step, first = std::max<int64_t>(0, below - 1);
  const float left = r.min.x + px(70), right = r.max.x - px(70),
              y = r.min.y + std::min(r.height() / 2, px(70));
  const auto x_of = [&](int64_t value) {
    return left +
           static_cast<float>(static_cast<double>(value - first * step) / static_cast<double>(3 * step)) *
               (right - left);
  };
  list.AddLine({r.min.x + px(8), y}, {r.max.x - px(8), y}, ui::colours().dim, px(1));
  for (int64_t k = first; k <= first + 3; ++k) {
    const float x = x_of(k * step);
    list.AddLine({x, y - px(6)}, {x, y + px(6)}, ui::colours().text, px(2));
    const bool reachable = k >= 1 && k <= kMostLength;
    ui::draw_text_in(list, {{x - px(68), y + px(8)}, {x + px(68), y + px(8) + text}}, ui::colours().dim,
                     reachable ? fmt::format("T = {}", k) : fmt::format("T = {}, too long", k));
  }
  const float x = x_of(logged);
  list.AddTriangleFilled({x, y - px(2)}, {x - px(6), y - px(14)}, {x + px(6), y - px(14)},
                         ui::colours().accent);
  const std::string name = "logged " + format_count(logged);
  const float half = ui::text_width(Type::kLabel, name) / 2 + 1;
  const float middle = std::clamp(x, r.min.x + half, r.max.x - half);
  ui::draw_text_in(list, {{middle - half, y - px(16) - text}, {middle + half, y - px(16)}},
                   ui::colours().text, name);
  ui::mark("tensor.logged", {x - px(6), y - px(14)}, {x + px(6), y});
  const Miss miss = nearest(logged, step);
  ui::draw_text_in(list, {{r.min.x + px(8), y + px(14) + text}, {r.max.x - px(8), y + px(14) + 2 * text}},
                   ui::colours().text,
                   fmt::format("nearest miss with B = {}: T = {}, too {} by {}", batch_, miss.length,
                               miss.too_small ? "small" : "large", format_count(miss.by)));
  if (canvas.focused()) {
    canvas.draw_focus();
    take_keys(miss.length);
  }
}

void TensorPicture::take_keys(int64_t nearest_length) {
  if (ui::pressed({ui::Key::kRight}, true)) length_ = std::min(kMostLength, length_ + 1);
  if (ui::pressed({ui::Key::kLeft}, true)) length_ = std::max(1, length_ - 1);
  if (ui::pressed({ui::Key::kUp}, true)) batch_ = std::min(kMostBatch, batch_ + 1);
  if (ui::pressed({ui::Key::kDown}, true)) batch_ = std::max(1, batch_ - 1);
  if (ui::pressed({ui::Key::kEnter}))
    length_ = static_cast<int>(std::clamp<int64_t>(nearest_length, 1, kMostLength));
}

void TensorPicture::draw(View& view, ImVec2 size) {
  const int64_t hidden = hidden_of(view), logged = view.config.integer("logged");
  if (hidden == 0)
    return ui::paragraph(view.running ? "The model's size is still to come (act 2)."
                                      : "No plan of this run says how wide the model is: set act to 2.",
                         ui::colours().dim);
  const float start = ImGui::GetCursorPosY();
  sliders();
  figures(hidden, logged);
  const float rest = size.y - (ImGui::GetCursorPosY() - start);
  line({size.x, std::max(rest, px(100))}, hidden, logged);
}

std::string TensorPicture::sentence(const View& view) const {
  const int64_t hidden = hidden_of(view), logged = view.config.integer("logged");
  if (hidden == 0) return "";
  if (logged % hidden != 0)
    return fmt::format("No batch and no length make {} out of rows of {}.", format_count(logged), hidden);
  return fmt::format("{} is {} rows of {}.", format_count(logged), format_count(logged / hidden), hidden);
}

void TensorPicture::add_state(std::map<std::string, std::string>& state) const {
  state["tensor_difference"] = std::to_string(difference_);
  state["tensor"] = fmt::format("{} {} {}", batch_, length_, ranks_);
}

}  // namespace ringside::nccl_panel
