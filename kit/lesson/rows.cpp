#include "ringside/lesson/rows.h"

#include "ringside/base/units.h"

namespace ringside::inline kit {
namespace {

bool is_number(const TraceColumn& column) {
  return column.kind == ColumnKind::kNumber || column.kind == ColumnKind::kInteger;
}

// Where the columns stand in the table; as many as were found.
std::vector<size_t> places_of(const TraceTable& table, const std::vector<std::string>& columns) {
  std::vector<size_t> places;
  for (size_t i = 0; columns.empty() && i < table.columns.size(); ++i) places.push_back(i);
  for (const std::string& name : columns)
    for (size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].name == name) places.push_back(i);
  return places;
}

figure::TableCell cell_of(const Attribute& value, const TraceColumn& column) {
  if (!is_number(column)) return {value.text()};
  const double number = value.number().value_or(figure::kNone);
  if (column.unit == "bytes") return {format_bytes(number), number};
  const auto whole = value.integer();
  return {whole ? format_count(*whole) : value.text(), number};
}

figure::Table table_of(const std::vector<const RowEvent*>& rows, const std::vector<std::string>& columns,
                       const std::string& lit) {
  figure::Table made;
  if (rows.empty()) return made;
  const TraceTable& table = *rows[0]->table;
  const std::vector<size_t> places = places_of(table, columns);
  if (places.size() < columns.size()) return made;
  for (const size_t i : places)
    made.columns.push_back({table.columns[i].name, "", is_number(table.columns[i])});
  for (const RowEvent* row : rows) {
    if (*row->table != table) continue;
    auto& cells = made.rows.emplace_back();
    for (const size_t i : places) cells.push_back(cell_of(row->values[i], table.columns[i]));
    if (!lit.empty() && cells.front().text == lit) made.lit.push_back(made.rows.size() - 1);
  }
  return made;
}

}  // namespace

figure::Table table_of_rows(const SectionView* section, std::string_view table,
                            const std::vector<std::string>& columns, const std::string& lit) {
  return section == nullptr ? figure::Table() : table_of(section->rows_of(table), columns, lit);
}

figure::Table table_of_rows(const Trace& trace, std::string_view table,
                            const std::vector<std::string>& columns, const std::string& lit) {
  std::vector<const RowEvent*> rows;
  for (const SectionView& section : trace.sections()) {
    const auto more = section.rows_of(table);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return table_of(rows, columns, lit);
}

}  // namespace ringside::inline kit
