// The text of a plan: where it is written, and its columns.
#pragma once

#include <ostream>

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
  void table(const std::vector<std::string>& titles, const std::vector<std::vector<std::string>>& rows) {
    out << table_text(titles, rows, static_cast<int>(width));
  }
};

}  // namespace ringside
