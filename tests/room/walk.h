// A lesson walked through as it is asked, with wrong answers: what can be read on the screen is searched for the
// right answers of the questions that are still open.
#pragma once

#include "in_room.h"

namespace ringside::gui {

// `id` is in the room, and none of its questions is answered.
void walk(InRoom& in, const std::string& id);

// Whether the number stands there by itself, and is no part of another one.
bool has_number(const std::string& text, const std::string& number);

}  // namespace ringside::gui
