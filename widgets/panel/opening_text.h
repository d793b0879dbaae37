// What stands in a picture's place while it would tell the answer: what the lesson is about.
#pragma once

#include "ringside/panel/panel.h"
#include "ringside/widgets/markdown.h"

namespace ringside {

class OpeningText {
 public:
  explicit OpeningText(const Lesson& lesson);
  // At the cursor, scrolling where it is long; `why` there is no picture stands below, smaller.
  void draw(View& view, const std::string& why, ImVec2 size) const;

 private:
  std::function<std::vector<std::string>(const Config&)> opening_;  // where the lesson declares it; else
  ui::Markdown text_;  // of lesson.md before its first heading of level 2
};

}  // namespace ringside
