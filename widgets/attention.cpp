#include "ringside/widgets/draw.h"

#include <imgui_internal.h>  // neither is public on every version

namespace ringside::ui {

bool item_lit() { return ImGui::IsItemHovered() || (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible); }

void keep_wheel() {
#if IMGUI_VERSION_NUM >= 18900
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
#else
  ImGui::SetItemUsingMouseWheel();
#endif
}

void keep_arrows() { ImGui::NavMoveRequestCancel(); }

}  // namespace ringside::ui
