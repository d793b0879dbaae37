#include "ringside/panel/step_readout.h"

#include <fmt/format.h>

#include <algorithm>

#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside {
namespace {

using figure::SectionIndex;
using figure::Sent;
using ui::px;

void sent_bars(const std::vector<Sent>& parts, double unit, double whole) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float width = ImGui::GetContentRegionAvail().x, label = px(64), number = px(48), height = px(14);
  for (const Sent& part : parts) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImU32 colour = part.parameters ? ui::colours().parameters : ui::colours().gradients;
    const auto length = static_cast<float>(part.bytes / unit / whole) * (width - label - number);
    ui::draw_label(list, {at, {at.x + label, at.y + height}}, ui::colours().dim,
                   fmt::format("{} of {}", ui::code_of(part.op), part.parameters ? "P" : "G"));
    list.AddRectFilled({at.x + label, at.y + px(2)}, {at.x + label + std::max(1.0f, length), at.y + height},
                       colour, px(2));
    ui::draw_label(list, {{at.x + width - number + px(4), at.y}, {at.x + width, at.y + height}},
                   ui::colours().text, fmt::format("{:.2f}", part.bytes / unit));
    ImGui::Dummy({width, height});
  }
}

// "sent 1.69 of 2.25 Ψ" of the step under the playhead.
void draw_sent(View& view, const SectionIndex& index, std::map<std::string, std::string>& state) {
  const double unit = figure::psi_of(*view.section) * figure::bytes_per_element(*view.section);
  const auto window = index.window_at(view.playhead.time_ns);
  if (unit <= 0 || !window) return;
  const auto so_far = index.sent(window->start_ns, view.playhead.time_ns + 1);
  const auto all = index.sent(window->start_ns, window->end_ns);
  double now = 0, whole = 0;
  for (const Sent& one : so_far) now += one.bytes / unit;
  for (const Sent& one : all) whole += one.bytes / unit;
  ui::paragraph(fmt::format("step {}: rank 0 sent {:.2f}{} Ψ", window->step, now,
                            window->open ? "" : fmt::format(" of {:.2f}", whole)),
                ui::Type::kBold);
  ui::mark("sent");
  sent_bars(so_far, unit, std::max(whole, 2.25));
  state["sent"] = fmt::format("{:.4f}", now);
  state["sent_of"] = fmt::format("{:.4f}", whole);
}

void draw_held(View& view, std::map<std::string, std::string>& state) {
  double held = 0;
  for (const Category category : figure::kStateKinds)
    held += static_cast<double>(view.memory->total(0, category, view.playhead.time_ns));
  const auto peak = static_cast<double>(view.memory->peak(0, view.playhead.time_ns));
  ui::paragraph(fmt::format("state {}   peak {}", format_mib(held), format_mib(peak)), ui::Type::kLabel);
  state["state"] = format_mib(held);
}

}  // namespace

void draw_step(View& view, const SectionIndex& index, const AskedOfStep& asked,
               std::map<std::string, std::string>& state) {
  if (view.hides(asked.sent))
    ui::remark(tr("What a step sends: guess first."));
  else
    draw_sent(view, index, state);
  if (view.memory == nullptr || view.memory->ranks() == 0) return;
  if (view.hides(asked.state))
    ui::remark(tr("What a rank keeps: guess first."));
  else
    draw_held(view, state);
}

}  // namespace ringside
