// Where a scenario line is wrong.
#pragma once

#include <string>

#include "room_desk.h"

namespace ringside::gui {

bool is_lesson(const std::string& id);  // of this program

// The word that makes it wrong; the whole line where no single word does. `why`: what was said of it.
Desk::LineMistake mistake_in(const std::string& line, const std::string& why);

}  // namespace ringside::gui
