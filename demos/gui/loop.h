// The room in its window, frame by frame, until someone leaves.
#pragma once

#include "gui_options.h"
#include "ringside/base/error.h"

namespace ringside::gui {

ExitCode run_room(const GuiOptions& options);

}  // namespace ringside::gui
