// What must be settled before GLFW starts.
#pragma once

namespace ringside::gui {

// Debian 13's LibTorch holds an LLVM of its own, whose symbols would take the place of those that Mesa's
// software renderer looks for in its LLVM: a crash when the first context is made. So Mesa is loaded first,
// and told to look into its own libraries before those of the program. Where there is no Mesa nothing
// happens.
void keep_mesa_apart();

// GLFW 3.4 asks for Wayland first, whose library complains on stderr where there is none: it is asked for
// only where the environment names one.
void choose_platform();

}  // namespace ringside::gui
