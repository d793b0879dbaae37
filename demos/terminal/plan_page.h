// The text of a plan: where it is written, and its columns.
#pragma once

#include <algorithm>
#include <ostream>

#include "ringside/base/text.h"
#include "table_text.h"
#include "terminal.h"

namespace ringside {

struct PlanPage {
  std::ostream& out;
  size_t width;

  PlanPage& operator<<(const auto& what) {
    out << what;
    return *this;
  }
  void line(const std::string& text, size_t indent = 0) {
    out << std::string(indent, ' ') << wrap(text, width, indent) << '\n';
  }
  void table(const std::vector<std::string>& titles, const std::vector<std::vector<std::string>>& rows) {
    // A terminal that is narrower than this folds its lines, which loses nothing.
    constexpr size_t kNarrowest = 72;
    out << table_text(titles, rows, int(std::max(width, kNarrowest)));
  }
};

}  // namespace ringside
