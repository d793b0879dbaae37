// What CMake generates of the lesson folders (cmake/ringside_lessons.cmake).
// A table, since a static registration inside a static library registers nothing:
// the linker drops an object file to which nobody refers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside::detail {

const std::vector<std::string_view>& lesson_documents();  // each lesson.md, byte for byte

struct Experiment {
  std::string id;
  Lesson (*make_lesson)();
};
const std::vector<Experiment>& experiments();

}  // namespace ringside::detail
