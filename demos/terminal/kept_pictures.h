// The figure that answers a question, of the last run: DATA/pictures/LESSON.QUESTION.svg. Cards for another
// program take it along (card_pictures.h).
#pragma once

#include <filesystem>
#include <string>

#include "ringside/lesson/lesson.h"

namespace ringside {

inline constexpr size_t kMostPictureBytes = size_t{4} << 20;

inline std::filesystem::path kept_picture(const std::filesystem::path& data, const std::string& name) {
  return data / "pictures" / (name + ".svg");
}

// A folder that cannot be written is no error: then cards have no pictures. An empty one is none.
void keep_pictures(const std::filesystem::path& data, const Lesson& lesson, const Config& config,
                   const Trace& trace);

}  // namespace ringside
