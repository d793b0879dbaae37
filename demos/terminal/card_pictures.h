// Pictures of cards, for another program.
#pragma once

#include <filesystem>
#include <string>

namespace ringside {

// Copies the picture of a card "asked/LESSON/QUESTION" (kept_pictures.h) into the folder, which is made, and
// gives its name there: as PNG where rsvg-convert is installed, else as SVG. "" where there is none.
std::string copy_picture(const std::filesystem::path& data, const std::string& card,
                         const std::filesystem::path& folder);

}  // namespace ringside
