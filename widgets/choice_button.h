// A button of a row of which one is on.
#pragma once

#include <string>

namespace ringside::ui {

// Lit where it is the one that is on; its title is cut where it does not fit. True where it was pressed.
bool choice_button(const std::string& title, const std::string& marked, bool on, float width);
bool fits_button(const std::string& title, float width);

}  // namespace ringside::ui
