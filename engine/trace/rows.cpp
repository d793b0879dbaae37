#include "ringside/trace/rows.h"

namespace ringside::inline trace {

TraceTable make_table(std::string_view table, std::span<const std::string_view> names,
                      std::span<const ColumnKind> kinds) {
  TraceTable made{std::string(table), {}};
  for (size_t i = 0; i < names.size(); ++i) {
    const size_t at = names[i].ends_with(']') ? names[i].rfind(" [") : names[i].npos;
    TraceColumn& column = made.columns.emplace_back();
    column = {std::string(names[i].substr(0, at)), kinds[i]};
    if (at != names[i].npos) column.unit = names[i].substr(at + 2, names[i].size() - at - 3);
  }
  return made;
}

}  // namespace ringside::inline trace
