#include "table_text.h"

#include "ringside/figures/text.h"

namespace ringside {

std::string table_text(const std::vector<std::string>& titles,
                       const std::vector<std::vector<std::string>>& rows, int width) {
  if (rows.empty()) return "";
  figure::Table table;
  for (const std::string& title : titles) {
    const bool number = title.starts_with(' ');
    table.columns.push_back({.title = number ? title.substr(1) : title, .number = number});
  }
  for (const std::vector<std::string>& words : rows) {
    std::vector<figure::TableCell> cells;
    for (const std::string& word : words) cells.push_back({word});
    table.rows.push_back(std::move(cells));
  }
  return figure::to_text(table, width, false);
}

}  // namespace ringside
