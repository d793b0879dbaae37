// The wheel and the arrow keys belong to the widget below the mouse or with the
// focus: else the window would scroll and the focus would wander at the same time.
#pragma once

namespace ringside::ui {

bool item_lit();     // below the mouse, or with a focus that the keys have shown
void keep_wheel();   // after a hovered item: its window does not scroll
void keep_arrows();  // after a focused item: the focus stays

}  // namespace ringside::ui
