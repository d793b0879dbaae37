#include "panel_parts.h"

namespace ringside::zero_panel {

void Ring::draw(View& view, ImVec2 size) {
  constexpr const char* kAlgorithms[] = {"direct: what these ranks do", "ring: the textbook's"};
  constexpr const char* kHalves[] = {"all-reduce", "reduce-scatter", "all-gather"};
  constexpr Op kOps[] = {Op::kAllReduce, Op::kReduceScatter, Op::kAllGather};
  const float above = ImGui::GetCursorPosY();
  {
    const ui::FontScope font(ui::Type::kLabel);
    const float half = (size.x - ui::px(16)) / 2;
    bool other = ui::choice_row("ring.algorithm", kAlgorithms, 2, algorithm_, half);
    ImGui::SameLine(0, ui::px(16));
    other = ui::choice_row("ring.half", kHalves, 3, half_, half) || other;
    if (other) step_ = 0;
  }
  const int ranks = static_cast<int>(view.draft.integer("ranks"));
  const Op op = kOps[half_];
  const auto transfers = algorithm_ == 0 ? ui::direct_transfers(ranks, op) : ui::ring_transfers(ranks, op);
  ui::RingData data;
  data.ranks = ranks;
  data.op = op;
  data.transfers = &transfers;
  data.tag = op == Op::kAllGather ? "parameters" : "gradients";
  data.step = step_;
  const float used = ImGui::GetCursorPosY() - above;
  if (const auto asked = ring_.draw("ring", {size.x, size.y - used}, data)) step_ = *asked;
}

}  // namespace ringside::zero_panel
